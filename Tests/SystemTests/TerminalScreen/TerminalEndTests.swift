// What is known of the lines behind a screen, and that each way out gives the terminal back. Each test is a process of
// its own.

import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import TerminalScreen

@Suite("The end of a terminal's program")
struct TerminalEndTests {
    private static func opened(_ path: String) -> CInt { open(path, O_RDWR | O_NOCTTY) }

    @Test("Of a long line the end is known, 1,024 octets of it", arguments: [1023, 1024, 1025, 5000])
    func longLine(count: Int) async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            @MainActor [count = count as Int] in
            let pair = try PseudoTerminalPair()
            let slave = TerminalEndTests.opened(pair.path)
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

    @Test(
        "A signal that ends the program gives the terminal back first, once",
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

    @Test("The end of the program gives the terminal back, once, and so does another program's taking it")
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
}
