// The terminal of a program that asks a person, with what stands at its standard input. It changes the whole process:
// for tests that are processes of their own.

import Fixtures
import Foundation

extension ControllingTerminal {
    /// Begins a session with a terminal; a question that nobody answers ends the process.
    ///
    /// - Parameter standardInput: `terminal`; `pipe`, one that has ended; else `/dev/null`.
    init(standardInput: String) throws {
        endProcess(after: 60)
        try self.init()
        switch standardInput {
        case "terminal":
            dup2(slave, STDIN_FILENO)
        case "pipe":
            var ends: [CInt] = [-1, -1]
            _ = pipe(&ends)
            dup2(ends[0], STDIN_FILENO)
            close(ends[0])
            close(ends[1])
        default:
            dup2(open("/dev/null", O_RDONLY), STDIN_FILENO)
        }
    }
}
