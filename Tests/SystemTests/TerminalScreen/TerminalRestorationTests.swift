// Standard error behind a screen: nothing stands in the middle of the screen, and nothing is lost.

import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import TerminalScreen

/// A pseudo-terminal in the place of standard error.
@MainActor
final class StandardErrorTerminal {
    private let pair: PseudoTerminalPair
    var path: String { pair.path }
    let slave: CInt
    private var settings = termios()

    init() throws {
        pair = try PseudoTerminalPair()
        slave = open(pair.path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        dup2(slave, STDERR_FILENO)
        tcgetattr(slave, &settings)
    }

    /// Has it given back at the end.
    func arm(leaving text: String = "<left>", hasScreen: Bool = true) {
        TerminalRestoration.arm(slave, settings, leaving: text, hasScreen: hasScreen)
    }

    /// What was written to it since the last call.
    func text() -> String { pair.text() }

    /// Writes to standard error.
    func write(_ text: String) { _ = text.withCString { Foundation.write(STDERR_FILENO, $0, strlen($0)) } }

    /// Prints the last line, and what the terminal has got.
    func print() {
        Swift.print("\(TerminalRestoration.lastLine ?? "-") \(text().debugDescription)")
    }
}

/// How many descriptors are open; the one with which that is found out is among them.
func openDescriptorCount() -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? -1
}

@Suite("A terminal that is given back")
struct TerminalRestorationTests {
    @Test("keeps lines of standard error off the screen, and writes them below it")
    func lines() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { @MainActor in
            let terminal = try StandardErrorTerminal()
            terminal.print()
            terminal.arm(hasScreen: true)
            terminal.print()
            terminal.write("one\ntwo\n")
            terminal.print()
            terminal.write("three")
            terminal.print()
            TerminalRestoration.restore()
            terminal.print()
            // It is given back once, and lines go where they went before.
            TerminalRestoration.restore()
            terminal.write("four\n")
            terminal.print()
        }
        #expect(
            try #require(result).lines == [
                #"- """#, #"- """#, #"two """#, #"three """#, #"- "<left>one\r\ntwo\r\nthree""#, #"- "four\r\n""#,
            ]
        )
    }

    @Test("leaves standard error alone beside a line with a prompt")
    func prompt() async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) { @MainActor in
            endProcess(after: 60)
            // What the test tells does not go to the terminal.
            let output = dup(STDOUT_FILENO)
            let pair = try PseudoTerminalPair()
            let slave = open(pair.path, O_RDWR | O_NOCTTY)
            for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] { dup2(slave, descriptor) }
            let line = try #require(PromptLine(environment: ["TERM": "xterm"]) { _ in })
            line.open()
            TerminalRestorationTests.put("one\n", to: STDERR_FILENO)
            let isTerminal = isatty(STDERR_FILENO) == 1
            let words = "\(isTerminal) \(TerminalRestoration.lastLine ?? "-") \(pair.text().debugDescription)\n"
            TerminalRestorationTests.put(words, to: output)
            exit(0)
        }
        #expect(try #require(result).lines == [#"true - "one\r\n""#])
    }

    private static func put(_ text: String, to descriptor: CInt) {
        _ = text.withCString { Foundation.write(descriptor, $0, strlen($0)) }
    }

    @Test("keeps a mebibyte of lines, and those after more than that", arguments: [0, 1])
    func manyLines(more: Int) async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            @MainActor [more] in
            let terminal = try StandardErrorTerminal()
            terminal.arm(hasScreen: true)
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
        #expect(try #require(result).lines == shown[more])
    }

    @Test("knows the last 1,024 octets of a long line", arguments: [1024, 1025])
    func longLine(count: Int) async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            @MainActor [count = count as Int] in
            let pair = try PseudoTerminalPair()
            let slave = open(pair.path, O_RDWR | O_NOCTTY)
            dup2(slave, STDERR_FILENO)
            TerminalRestoration.arm(slave, termios(), leaving: "", hasScreen: true)
            let text = String((0..<count).map { Character(UnicodeScalar(UInt8(0x61 + $0 % 26))) })
            _ = text.withCString { write(STDERR_FILENO, $0, strlen($0)) }
            let line = TerminalRestoration.lastLine ?? "-"
            print("\(line.count) \(text.hasSuffix(line))")
            _ = "\n\n".withCString { write(STDERR_FILENO, $0, strlen($0)) }
            print(TerminalRestoration.lastLine?.count ?? -1)
            fflush(nil)
            _exit(0)
        }
        let (shown, later) = (min(count, 1024), min(count, 1022))
        #expect(try #require(result).lines == ["\(shown) true", "\(later)"])
    }

    @Test("writes long lines whole, and begins a second screen without a line")
    func longLines() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { @MainActor in
            let terminal = try StandardErrorTerminal()
            terminal.arm()
            let text = String((0..<5000).map { Character(UnicodeScalar(UInt8(0x61 + $0 % 26))) })
            terminal.write(text)
            TerminalRestoration.restore()
            print(terminal.text() == "<left>" + text)
            terminal.arm()
            print(TerminalRestoration.lastLine ?? "-")
            terminal.write("next\n\n")
            print(TerminalRestoration.lastLine ?? "-")
            TerminalRestoration.restore()
            print(TerminalRestoration.lastLine ?? "-", terminal.text().debugDescription)
            exit(0)
        }
        #expect(try #require(result).lines == ["true", "-", "next", #"- "<left>next\r\n\r\n""#])
    }

    @Test("keeps the lines in a file without a name, which is closed in programs that are started")
    func file() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { @MainActor in
            let terminal = try StandardErrorTerminal()
            terminal.arm()
            for descriptor in 3..<256 as Range<CInt> {
                let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
                guard let link else { continue }
                let isClosed = fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0
                if link.contains("/screen-") {
                    let isAppended = fcntl(descriptor, F_GETFL) & O_APPEND != 0
                    print("file", isClosed, isAppended, link.hasSuffix(" (deleted)"))
                }
                if link == terminal.path, !isClosed { print("open") }
            }
            TerminalRestoration.restore()
            exit(0)
        }
        #expect(try #require(result).lines == ["file true true true"])
    }

    @Test("leaves standard error alone if it is not a terminal")
    func noTerminal() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { @MainActor in
            let terminal = try StandardErrorTerminal()
            var ends: [CInt] = [-1, -1]
            _ = pipe(&ends)
            _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
            dup2(ends[1], STDERR_FILENO)
            terminal.arm()
            terminal.write("one\n")
            print(readableText(of: ends[0]).debugDescription, TerminalRestoration.lastLine ?? "-")
            TerminalRestoration.restore()
            terminal.write("two\n")
            print(readableText(of: ends[0]).debugDescription, terminal.text().debugDescription)
            exit(0)
        }
        #expect(try #require(result).lines == [#""one\n" -"#, #""two\n" "<left>""#])
    }

    // MARK: The end

    @Test(
        "gives the terminal back, once, before a signal ends the program",
        arguments: [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGQUIT] as [CInt]
    )
    func signals(number: CInt) async throws {
        let result = await #expect(processExitsWith: .signal(number), observing: [\.standardOutputContent]) {
            @MainActor [number = number as CInt] in
            // No file of the memory is kept.
            var limit = rlimit(rlim_cur: 0, rlim_max: 0)
            setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
            TerminalRestoration.arm(STDOUT_FILENO, termios(), leaving: "<left>\n", hasScreen: false)
            // A thread that serves a queue does not get each of them.
            unblockSignal(number)
            raise(number)
        }
        #expect(try #require(result).lines == ["<left>"])
    }

    @Test("gives the terminal back, once, at the end of the program, and before it is taken again")
    func end() async throws {
        let result = await #expect(processExitsWith: .exitCode(3), observing: [\.standardOutputContent]) { @MainActor in
            for number in 1...3 {
                TerminalRestoration.arm(STDOUT_FILENO, termios(), leaving: "<\(number)>\n", hasScreen: false)
            }
            TerminalRestoration.restore()
            TerminalRestoration.restore()
            TerminalRestoration.arm(STDOUT_FILENO, termios(), leaving: "<4>\n", hasScreen: false)
            exit(3)
        }
        #expect(try #require(result).lines == ["<1>", "<2>", "<3>", "<4>"])
    }

    @Test("keeps a signal handler that the program has set since the terminal was taken first")
    func ownHandler() async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) { @MainActor in
            endProcess(after: 60)
            // No file of the memory is kept.
            var limit = rlimit(rlim_cur: 0, rlim_max: 0)
            setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
            TerminalRestoration.arm(STDOUT_FILENO, termios(), leaving: "<1>\n", hasScreen: false)
            TerminalRestoration.restore()
            signal(SIGQUIT, countSignal)
            TerminalRestoration.arm(STDOUT_FILENO, termios(), leaving: "<2>\n", hasScreen: false)
            unblockSignal(SIGQUIT)
            raise(SIGQUIT)
            print(signalCount)
            fflush(nil)
            exit(0)
        }
        // The terminal is not given back by a signal that does not end the program, but at the end.
        #expect(try #require(result).lines == ["<1>", "1", "<2>"])
    }

    // MARK: Descriptors

    @Test(
        "leaves standard error alone if only one descriptor is left; two are enough",
        arguments: [1, 2]
    )
    func oneDescriptor(left: Int) async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            @MainActor [left = left as Int] in
            endProcess(after: 60)
            let terminal = try StandardErrorTerminal()
            // What is opened once for the whole process is so by now.
            terminal.arm(leaving: "")
            TerminalRestoration.restore()
            let (free, next) = (dup(terminal.slave), dup(terminal.slave))
            close(free)
            close(next)
            let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
            var limit = rlimit()
            guard getrlimit(kind, &limit) == 0 else { exit(2) }
            let count = limit.rlim_cur
            limit.rlim_cur = rlim_t(Int(left == 1 ? free : next) + 1)
            guard setrlimit(kind, &limit) == 0 else { exit(3) }
            terminal.arm(leaving: "")
            limit.rlim_cur = count
            guard setrlimit(kind, &limit) == 0 else { exit(4) }
            let other = dup(terminal.slave)
            print(isatty(STDERR_FILENO) == 1, other == free)
            TerminalRestoration.restore()
            print(isatty(STDERR_FILENO) == 1)
            exit(0)
        }
        // Two are enough.
        #expect(try #require(result).lines == [left == 1 ? "true true" : "false false", "true"])
    }

    @Test("leaves no descriptor open, with a screen or without", arguments: [true, false])
    func restored(hasScreen: Bool) async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            @MainActor [hasScreen] in
            endProcess(after: 60)
            let terminal = try StandardErrorTerminal()
            // What is opened once for the whole process is so by now.
            terminal.arm(hasScreen: hasScreen)
            TerminalRestoration.restore()
            let before = openDescriptorCount()
            terminal.arm(hasScreen: hasScreen)
            let meanwhile = openDescriptorCount()
            TerminalRestoration.restore()
            for _ in 1...20 {
                terminal.arm(hasScreen: hasScreen)
                TerminalRestoration.restore()
            }
            print(meanwhile - before, openDescriptorCount() - before)
            exit(0)
        }
        // The file of the lines, and standard error as it was.
        #expect(try #require(result).lines == [hasScreen ? "2 0" : "0 0"])
    }

    @Test("leaves no descriptor open of the first time if the terminal is taken again")
    func takenAgain() async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) { @MainActor in
            endProcess(after: 60)
            let terminal = try StandardErrorTerminal()
            terminal.arm(leaving: "")
            let once = openDescriptorCount()
            for _ in 1...20 { terminal.arm(leaving: "") }
            print(openDescriptorCount() - once)
            TerminalRestoration.restore()
            exit(0)
        }
        #expect(try #require(result).lines == ["0"])
    }

    @Test("keeps the lines in a file with the descriptor 0")
    func zero() async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) { @MainActor in
            endProcess(after: 60)
            // It is taken until the terminal is open.
            dup2(open("/dev/null", O_RDWR), STDIN_FILENO)
            let terminal = try StandardErrorTerminal()
            close(STDIN_FILENO)
            terminal.arm()
            let file = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/0")
            print(file?.contains("/screen-") ?? false)
            terminal.write("one\n")
            print(TerminalRestoration.lastLine ?? "-")
            TerminalRestoration.restore()
            print(terminal.text().debugDescription)
            exit(0)
        }
        #expect(try #require(result).lines == ["true", "one", #""<left>one\r\n""#])
    }

    @Test("leaves standard error alone if there is no folder for the file, and nothing open")
    func noFolder() async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) { @MainActor in
            endProcess(after: 60)
            let terminal = try StandardErrorTerminal()
            // What is opened once for the whole process is so by now.
            terminal.arm(leaving: "")
            TerminalRestoration.restore()
            setenv("TMPDIR", "/nowhere", 1)
            let before = openDescriptorCount()
            for _ in 1...3 {
                terminal.arm(leaving: "")
                print(isatty(STDERR_FILENO) == 1, TerminalRestoration.lastLine ?? "-")
                TerminalRestoration.restore()
            }
            print(openDescriptorCount() - before)
            exit(0)
        }
        #expect(try #require(result).lines == ["true -", "true -", "true -", "0"])
    }
}
