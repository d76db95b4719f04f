// Descriptors that a terminal's program seldom has: lines of standard error in a file with the number 0, no folder for
// that file, a standard error that is the terminal of a line with a prompt, and the end of the keys behind an error of
// something else. Each test is a process of its own, with a pseudo-terminal.

import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import TerminalScreen

@Suite("Unusual descriptors of a terminal's program")
struct UnusualDescriptorsTests {
    private static func write(_ text: String, to descriptor: CInt) {
        _ = text.withCString { Foundation.write(descriptor, $0, strlen($0)) }
    }

    @Test("A file of lines that has the descriptor 0 is one as any other")
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
            UnusualDescriptorsTests.write("one\n", to: STDERR_FILENO)
            print(TerminalRestoration.lastLine ?? "-")
            TerminalRestoration.restore()
            print(terminal.text().debugDescription)
            exit(0)
        }
        #expect(try #require(result).lines == ["true", "one", #""<left>one\r\n""#])
    }

    @Test("Where there is no folder for the file of lines, standard error is left alone, and nothing is left open")
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

    @Test("Beside a line with a prompt standard error stays the terminal, and what is written to it is there at once")
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
            UnusualDescriptorsTests.write("one\n", to: STDERR_FILENO)
            let isTerminal = isatty(STDERR_FILENO) == 1
            let words = "\(isTerminal) \(TerminalRestoration.lastLine ?? "-") \(pair.text().debugDescription)\n"
            UnusualDescriptorsTests.write(words, to: output)
            exit(0)
        }
        #expect(try #require(result).lines == [#"true - "one\r\n""#])
    }

    @Test("The end of the keys is one, whatever error the system has had before")
    func end() async throws {
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
}
