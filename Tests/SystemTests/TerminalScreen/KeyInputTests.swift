// The keys of a descriptor: the end of a pipe, whose input is available at once, or a terminal.

import CommandLineTool
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import TerminalScreen

@Suite("Keys of a descriptor")
struct KeyInputTests {
    /// The ends of a pipe that never block.
    private static func ends() -> (reading: CInt, writing: CInt) {
        var ends: [CInt] = [-1, -1]
        _ = pipe(&ends)
        for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        return (ends[0], ends[1])
    }

    @Test("reports a lone Escape after 40 ms without octets")
    func escape() async throws {
        let result = try await #require(processExitsWith: .exitCode(99), observing: [\.standardOutputContent]) {
            try await SessionRun.minute { run in
                let (reading, writing) = KeyInputTests.ends()
                let (input, world) = (KeyInput(reading), run.world)
                input.open { key in Console.print("\(key) at \(world.milliseconds)") }
                for (time, text) in [
                    (100, "\u{1B}"), (200, "\u{1B}"), (230, "[A"), (300, "\u{1B}"), (330, "\u{1B}"),
                    (400, "a\u{1B}[Db"), (500, "c\u{1B}"), (539, "b"), (600, "\u{1B}["), (700, "C"),
                ] {
                    run.at(time) {
                        _ = text.withCString { write(writing, $0, strlen($0)) }
                        input.read()
                    }
                }
                run.at(139) { Console.print("not yet") }
            }
        }
        #expect(
            result.lines == [
                "not yet", "escape at 140", "up at 230", "escape at 330", "escape at 370",
                #"character("a") at 400"#, "left at 400", #"character("b") at 400"#, #"character("c") at 500"#,
                "wordLeft at 539", "right at 700",
            ]
        )
    }

    @Test("reports the end of input, or an error, once, whatever errno was before")
    @MainActor
    func end() {
        for code in [EAGAIN, EINTR, EIO, nil] {
            let (reading, writing) = Self.ends()
            // The write end of a pipe cannot be read.
            let input = KeyInput(code == nil ? writing : reading)
            var count = 0
            input.open(onEnd: { count += 1 }, onKey: { _ in Issue.record("a key") })
            if let code {
                input.read()
                #expect(count == 0)
                close(writing)
                errno = code
            }
            input.read()
            #expect(count == 1)
        }
    }

    @Test("stops reading when it is closed, and reads again when it is opened")
    func closed() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
            @MainActor in
            let terminal = try TestTerminal()
            let screen = try #require(Screen(input: terminal.slave, output: terminal.slave, hasColors: false))
            var (keys, probes) = ([Key](), 0)
            screen.onKey = { keys.append($0) }
            screen.open()
            terminal.type("a")
            await terminalWait(for: "a key") { keys.count == 1 }
            screen.close()
            // A line that stays available, because nothing reads it.
            terminal.type("x\n")
            let probe = DispatchSource.makeReadSource(fileDescriptor: terminal.slave, queue: .main)
            probe.setEventHandler { MainActor.assumeIsolated { probes += 1 } }
            probe.resume()
            await terminalWait(for: "a line") { probes >= 4 }
            probe.cancel()
            tcflush(terminal.slave, TCIFLUSH)
            screen.open()
            for (count, key) in [(2, "b"), (3, "c")] {
                terminal.type(key)
                await terminalWait(for: "a key") { keys.count == count }
            }
            screen.close()
            Console.print("\(keys)")
            exit(0)
        }
        #expect(result.lines == ["\([Key.character("a"), .character("b"), .character("c")])"])
    }
}
