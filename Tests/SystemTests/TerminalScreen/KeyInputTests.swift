// The keys of a descriptor in virtual time: the end of a pipe, which has what was written to it at once.

import CommandLineTool
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import TerminalScreen

@Suite("Keys of a descriptor")
struct KeyInputTests {
    /// One end of a pipe, whose keys and whose end are printed with their times.
    @MainActor
    private final class Source {
        /// Holds the clocks of the process from its first use on.
        private(set) lazy var run = SessionRun()
        let writing: CInt
        let input: KeyInput

        /// Reads from a pipe, or fails to: the other end of a pipe cannot be read from.
        init(readsOtherEnd: Bool = false) {
            var ends: [CInt] = [-1, -1]
            _ = pipe(&ends)
            for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
            writing = ends[1]
            input = KeyInput(readsOtherEnd ? ends[1] : ends[0])
        }

        func open() {
            let world = run.world
            input.open(
                onEnd: { Console.print("end at \(world.milliseconds)") },
                onKey: { key in Console.print("\(key) at \(world.milliseconds)") }
            )
        }

        /// Does something at a time of the world, in milliseconds.
        func at(_ milliseconds: Int, _ body: @escaping @MainActor () -> Void) {
            run.world.onMain(after: .milliseconds(milliseconds), body)
        }

        /// Types, and has it read at once.
        func type(_ text: String) {
            _ = text.withCString { write(writing, $0, strlen($0)) }
            input.read()
        }
    }

    @Test("takes an Escape as one after 40 ms without octets")
    func escape() async throws {
        let result = await #expect(processExitsWith: .exitCode(99), observing: [\.standardOutputContent]) {
            let run = await MainActor.run {
                let source = Source()
                source.open()
                source.at(100) { source.type("\u{1B}") }
                source.at(139) { Console.print("not yet") }
                source.at(200) { source.type("\u{1B}") }
                source.at(230) { source.type("[A") }
                source.at(300) { source.type("\u{1B}") }
                source.at(330) { source.type("\u{1B}") }
                source.at(400) { source.type("a\u{1B}[Db") }
                source.at(500) { source.type("c\u{1B}") }
                source.at(539) { source.type("b") }
                source.at(600) { source.type("\u{1B}[") }
                source.at(700) { source.type("C") }
                return source.run
            }
            run.passMinute()
        }
        #expect(
            try #require(result).lines == [
                "not yet", "escape at 140", "up at 230", "escape at 330", "escape at 370",
                #"character("a") at 400"#, "left at 400", #"character("b") at 400"#, #"character("c") at 500"#,
                "wordLeft at 539", "right at 700",
            ]
        )
    }

    @Test(
        "reports the end of input, or an error, once",
        arguments: [false, true]
    )
    func end(isError: Bool) async throws {
        let result = await #expect(processExitsWith: .exitCode(99), observing: [\.standardOutputContent]) { [isError] in
            let run = await MainActor.run {
                let source = Source(readsOtherEnd: isError)
                source.open()
                if !isError { source.at(100) { source.input.read() } }
                source.at(200) {
                    Console.print("before the end")
                    if !isError { close(source.writing) }
                    source.input.read()
                }
                source.at(300) { Console.print("behind it") }
                return source.run
            }
            run.passMinute()
        }
        #expect(try #require(result).lines == ["before the end", "end at 200", "behind it"])
    }

    @Test("stops reading when it is closed, and reads again when it is opened")
    func closed() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { @MainActor in
            let terminal = try PseudoTerminalPair()
            let slave = open(terminal.path, O_RDWR | O_NOCTTY)
            let screen = try #require(Screen(input: slave, output: slave, hasColors: false))
            let keys = Count()
            screen.onKey = { keys.words.append("\($0)") }
            screen.open()
            _ = "a".withCString { write(terminal.descriptor, $0, 1) }
            await keys.wait(1)
            screen.close()
            // A line, which can be read again and again: nobody takes it.
            _ = "x\n".withCString { write(terminal.descriptor, $0, 2) }
            let probe = DispatchSource.makeReadSource(fileDescriptor: slave, queue: .main)
            let probes = Count()
            probe.setEventHandler { MainActor.assumeIsolated { probes.words.append("readable") } }
            probe.resume()
            await probes.wait(4)
            probe.cancel()
            tcflush(slave, TCIFLUSH)
            screen.open()
            _ = "b".withCString { write(terminal.descriptor, $0, 1) }
            await keys.wait(2)
            _ = "c".withCString { write(terminal.descriptor, $0, 1) }
            await keys.wait(3)
            screen.close()
            for word in keys.words { print(word) }
            exit(0)
        }
        #expect(
            try #require(result).lines == [#"character("a")"#, #"character("b")"#, #"character("c")"#]
        )
    }

    @Test("ends at the end of input, whatever error the system has had before")
    func endBehindError() async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) { @MainActor in
            endProcess(after: 60)
            for code in [EAGAIN, EINTR, EIO] {
                var ends: [CInt] = [-1, -1]
                _ = pipe(&ends)
                let input = KeyInput(ends[0])
                var count = 0
                input.open(onEnd: { count += 1 }, onKey: { _ in })
                close(ends[1])
                errno = code
                input.read()
                print(count)
            }
            exit(0)
        }
        #expect(try #require(result).lines == ["1", "1", "1"])
    }

    /// What has come, on the main thread.
    @MainActor
    private final class Count {
        var words: [String] = []

        /// Waits until there are so many.
        func wait(_ count: Int) async {
            await terminalWait(for: "\(count) events") { words.count >= count }
        }
    }
}
