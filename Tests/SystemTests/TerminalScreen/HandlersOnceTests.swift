// The handlers of signals that give the terminal back, when the terminal is taken a second time: they are set with the
// first time alone. The test is a process of its own.

import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import TerminalScreen

@Suite("Handlers of signals behind a terminal that is taken again")
struct HandlersOnceTests {
    @Test("A handler that the program has set since the terminal was taken first stays when it is taken again")
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
}
