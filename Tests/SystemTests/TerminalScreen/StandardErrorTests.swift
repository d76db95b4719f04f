// Standard error while a screen is open, beside what is told of its last line: the file that takes its place, a
// standard error that is no terminal, many lines, and the signals of a person and of the program itself. Each test is a
// process of its own.

import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import TerminalScreen

@Suite("Standard error behind a screen")
struct StandardErrorTests {
    /// A pseudo-terminal, at which a screen is to be given back.
    @MainActor
    private final class Terminal {
        let master: CInt
        let slave: CInt
        let path: String
        private var settings = termios()

        init() throws {
            let pair = try PseudoTerminalPair()
            (master, path) = (pair.descriptor, pair.path)
            slave = open(pair.path, O_RDWR | O_NOCTTY | O_CLOEXEC)
            tcgetattr(slave, &settings)
        }

        /// What was written to it since the last call.
        func text() -> String { writtenText(at: slave, of: master) }

        func arm() { TerminalRestoration.arm(slave, settings, leaving: "<left>", hasScreen: true) }
    }

    private static func write(_ text: String) {
        _ = text.withCString { Foundation.write(STDERR_FILENO, $0, strlen($0)) }
    }

    @Test("The file in its place has no name and is written at its end; no program that is started gets either")
    func file() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { @MainActor in
            let terminal = try Terminal()
            dup2(terminal.slave, STDERR_FILENO)
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

    @Test("Where it is no terminal it is left alone, and nothing is known of its lines")
    func noTerminal() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { @MainActor in
            let terminal = try Terminal()
            var ends: [CInt] = [-1, -1]
            _ = pipe(&ends)
            _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
            dup2(ends[1], STDERR_FILENO)
            terminal.arm()
            StandardErrorTests.write("one\n")
            print(readableText(of: ends[0]).debugDescription, TerminalRestoration.lastLine ?? "-")
            TerminalRestoration.restore()
            StandardErrorTests.write("two\n")
            print(readableText(of: ends[0]).debugDescription, terminal.text().debugDescription)
            exit(0)
        }
        #expect(try #require(result).lines == [#""one\n" -"#, #""two\n" "<left>""#])
    }

    @Test("Many lines are all there behind the screen, and the second screen begins without a line")
    func manyLines() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { @MainActor in
            let terminal = try Terminal()
            dup2(terminal.slave, STDERR_FILENO)
            terminal.arm()
            let text = String((0..<5000).map { Character(UnicodeScalar(UInt8(0x61 + $0 % 26))) })
            StandardErrorTests.write(text)
            TerminalRestoration.restore()
            print(terminal.text() == "<left>" + text)
            terminal.arm()
            print(TerminalRestoration.lastLine ?? "-")
            StandardErrorTests.write("next\n\n")
            print(TerminalRestoration.lastLine ?? "-")
            TerminalRestoration.restore()
            print(TerminalRestoration.lastLine ?? "-", terminal.text().debugDescription)
            exit(0)
        }
        #expect(try #require(result).lines == ["true", "-", "next", #"- "<left>next\r\n\r\n""#])
    }
}
