// Standard error behind a screen: no line spoils the screen, and none is lost.

import CommandLineTool
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import TerminalScreen

/// A terminal as standard error.
@MainActor
private struct StandardErrorTerminal {
    let terminal: TestTerminal
    private var settings = termios()

    init(at descriptors: [CInt] = [STDERR_FILENO]) throws {
        // No read blocks for ever.
        endProcess(after: 60)
        terminal = try TestTerminal(at: descriptors)
        tcgetattr(terminal.slave, &settings)
    }

    /// Restores it at the end.
    func arm(leaving text: String = "<left>", hasScreen: Bool = true) {
        TerminalRestoration.arm(terminal.slave, settings, leaving: text, hasScreen: hasScreen)
    }

    /// Takes it and restores it, so that everything that is opened once per process is open.
    func begin(hasScreen: Bool = true) {
        arm(leaving: "", hasScreen: hasScreen)
        TerminalRestoration.restore()
    }

    /// Writes to standard error.
    func write(_ text: String) { _ = text.withCString { Foundation.write(STDERR_FILENO, $0, strlen($0)) } }

    /// Prints the last line, and the terminal's input.
    func print() {
        terminal.tell("\(TerminalRestoration.lastLine ?? "-") \(terminal.text().debugDescription)")
    }

    static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }
}

@Suite("A terminal that is restored")
struct TerminalRestorationTests {
    @Test("keeps lines of standard error off the screen, and writes them below it")
    func lines() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
            @MainActor in
            let terminal = try StandardErrorTerminal()
            terminal.print()
            terminal.arm()
            terminal.print()
            terminal.write("one\ntwo\n")
            terminal.print()
            terminal.write("three")
            terminal.print()
            TerminalRestoration.restore()
            terminal.print()
            // It is restored once, and then lines go where they went before.
            TerminalRestoration.restore()
            terminal.write("four\n")
            terminal.print()
        }
        #expect(
            result.lines == [
                #"- """#, #"- """#, #"two """#, #"three """#, #"- "<left>one\r\ntwo\r\nthree""#, #"- "four\r\n""#,
            ]
        )
    }

    @Test("leaves standard error alone for a line with a prompt")
    func prompt() async throws {
        let result = try await #require(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            @MainActor in
            let terminal = try StandardErrorTerminal(at: [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO])
            let line = try #require(PromptLine(environment: ["TERM": "xterm"]) { _ in })
            line.open()
            terminal.write("one\n")
            terminal.terminal.tell("\(StandardErrorTerminal.isTerminal)")
            terminal.print()
            exit(0)
        }
        #expect(result.lines == ["true", #"- "one\r\n""#])
    }

    @Test("keeps a mebibyte of lines, and those after more than that", arguments: [0, 1])
    func manyLines(more: Int) async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
            @MainActor [more] in
            let terminal = try StandardErrorTerminal()
            terminal.arm()
            terminal.write(String(repeating: "x", count: (1 << 20) - 4 + more) + "\nend")
            terminal.print()
            terminal.write("\nlast\n")
            terminal.print()
            TerminalRestoration.restore()
            terminal.print()
        }
        let shown = [
            [#"end """#, #"- """#, #"- "<left>""#], [#"- """#, #"last """#, #"- "<left>\r\nlast\r\n""#],
        ]
        #expect(result.lines == shown[more])
    }

    @Test("returns the last 1,024 octets of a long line, writes it in full, and begins a second screen without a line")
    func longLines() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
            @MainActor in
            let terminal = try StandardErrorTerminal()
            terminal.arm()
            // Each part of it is different.
            let text = String((0..<5000).map { Character(UnicodeScalar(UInt8(0x61 + $0 % 26))) })
            terminal.write(text)
            let line = TerminalRestoration.lastLine ?? "-"
            terminal.write("\n\n")
            Console.print("\(line.count) \(text.hasSuffix(line)) \(TerminalRestoration.lastLine?.count ?? -1)")
            TerminalRestoration.restore()
            Console.print("\(terminal.terminal.text() == "<left>" + text + "\r\n\r\n")")
            terminal.arm()
            terminal.print()
            terminal.write("next\n\n")
            terminal.print()
            exit(0)
        }
        #expect(result.lines == ["1024 true 1022", "true", #"- """#, #"next """#])
    }

    @Test("keeps the lines in an unnamed file, which is closed in child programs")
    func file() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
            @MainActor in
            let terminal = try StandardErrorTerminal()
            terminal.arm()
            for descriptor in 3..<256 as Range<CInt> {
                let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
                guard let link else { continue }
                let isClosed = fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0
                if link.contains("/screen-") {
                    let isAppended = fcntl(descriptor, F_GETFL) & O_APPEND != 0
                    Console.print("file \(isClosed) \(isAppended) \(link.hasSuffix(" (deleted)"))")
                }
                if link == terminal.terminal.path, !isClosed { Console.print("open") }
            }
            TerminalRestoration.restore()
            exit(0)
        }
        #expect(result.lines == ["file true true true"])
    }

    @Test("leaves standard error alone if it is not a terminal")
    func noTerminal() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
            @MainActor in
            let terminal = try StandardErrorTerminal()
            var ends: [CInt] = [-1, -1]
            _ = pipe(&ends)
            _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
            dup2(ends[1], STDERR_FILENO)
            terminal.arm()
            terminal.write("one\n")
            Console.print("\(readableText(of: ends[0]).debugDescription) \(TerminalRestoration.lastLine ?? "-")")
            TerminalRestoration.restore()
            terminal.write("two\n")
            Console.print("\(readableText(of: ends[0]).debugDescription) \(terminal.terminal.text())")
            exit(0)
        }
        #expect(result.lines == [#""one\n" -"#, #""two\n" <left>"#])
    }

    // MARK: The end

    /// Writes a text to standard output before the program ends.
    private static func arm(_ text: String) {
        // No core file is written.
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
        TerminalRestoration.arm(STDOUT_FILENO, termios(), leaving: text + "\n", hasScreen: false)
    }

    @Test(
        "restores the terminal once, before a signal ends the program",
        arguments: [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGQUIT] as [CInt]
    )
    func signals(number: CInt) async throws {
        let result = try await #require(processExitsWith: .signal(number), observing: [\.standardOutputContent]) {
            @MainActor [number = number as CInt] in
            TerminalRestorationTests.arm("<left>")
            // A thread of a dispatch queue blocks some of them.
            unblockSignal(number)
            raise(number)
        }
        #expect(result.lines == ["<left>"])
    }

    @Test("restores the terminal once, at the end of the program, and before it is taken again")
    func end() async throws {
        let result = try await #require(processExitsWith: .exitCode(3), observing: [\.standardOutputContent]) {
            @MainActor in
            for number in 1...3 { TerminalRestorationTests.arm("<\(number)>") }
            for _ in 1...2 { TerminalRestoration.restore() }
            TerminalRestorationTests.arm("<4>")
            exit(3)
        }
        #expect(result.lines == ["<1>", "<2>", "<3>", "<4>"])
    }

    @Test("keeps a signal handler that the program has set since the terminal was taken first")
    func ownHandler() async throws {
        let result = try await #require(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            @MainActor in
            endProcess(after: 60)
            TerminalRestorationTests.arm("<1>")
            TerminalRestoration.restore()
            signal(SIGQUIT, countSignal)
            TerminalRestorationTests.arm("<2>")
            unblockSignal(SIGQUIT)
            raise(SIGQUIT)
            print(signalCount)
            fflush(nil)
            exit(0)
        }
        // A signal that does not end the program does not restore the terminal; the end does.
        #expect(result.lines == ["<1>", "1", "<2>"])
    }

    // MARK: Descriptors

    @Test("leaves standard error alone if only one descriptor is left; two are enough", arguments: [1, 2])
    func oneDescriptor(left: Int) async throws {
        let result = try await #require(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            @MainActor [left = left as Int] in
            let terminal = try StandardErrorTerminal()
            terminal.begin()
            let (free, next) = (dup(STDOUT_FILENO), dup(STDOUT_FILENO))
            for descriptor in [free, next] { close(descriptor) }
            let count = limitDescriptors(to: UInt64(left == 1 ? free : next) + 1)
            terminal.arm(leaving: "")
            limitDescriptors(to: count)
            let isFree = dup(STDOUT_FILENO) == free
            Console.print("\(StandardErrorTerminal.isTerminal) \(isFree)")
            TerminalRestoration.restore()
            Console.print("\(StandardErrorTerminal.isTerminal)")
            exit(0)
        }
        #expect(result.lines == [left == 1 ? "true true" : "false false", "true"])
    }

    @Test("leaves no descriptor open, with a screen or without, restored or taken again", arguments: [true, false])
    func restored(hasScreen: Bool) async throws {
        let result = try await #require(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            @MainActor [hasScreen] in
            let terminal = try StandardErrorTerminal()
            terminal.begin(hasScreen: hasScreen)
            let before = openDescriptorCount()
            for count in [1, 20] {
                for _ in 1...count { terminal.arm(leaving: "", hasScreen: hasScreen) }
                Console.print("\(openDescriptorCount() - before)")
            }
            for _ in 1...20 { terminal.begin(hasScreen: hasScreen) }
            Console.print("\(openDescriptorCount() - before)")
            exit(0)
        }
        // The file of the lines, and the original standard error.
        #expect(result.lines == (hasScreen ? ["2", "2", "0"] : ["0", "0", "0"]))
    }

    @Test("leaves standard error alone if there is no folder for the file, and nothing open")
    func noFolder() async throws {
        let result = try await #require(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            @MainActor in
            let terminal = try StandardErrorTerminal()
            terminal.begin()
            setenv("TMPDIR", "/nowhere", 1)
            let before = openDescriptorCount()
            for _ in 1...3 {
                terminal.arm(leaving: "")
                Console.print("\(StandardErrorTerminal.isTerminal) \(TerminalRestoration.lastLine ?? "-")")
                TerminalRestoration.restore()
            }
            Console.print("\(openDescriptorCount() - before)")
            exit(0)
        }
        #expect(result.lines == ["true -", "true -", "true -", "0"])
    }
}
