// A session of its own with a terminal, for tests of what a program does in the foreground of a terminal and in its
// background. It changes the whole process: for tests that are processes of their own.

import Foundation

/// The terminal of this process's session, a pseudo-terminal; this process is the session's leader.
package struct ControllingTerminal {
    /// The end of the test.
    package let master: CInt
    /// The end of the program.
    package let slave: CInt

    /// Begins a session with a terminal; throws the system's error.
    package init() throws {
        guard setsid() >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        let pair = try PseudoTerminalPair()
        self.master = pair.descriptor
        // A leader without a terminal that opens one has it from then on.
        self.slave = open(pair.path, O_RDWR | O_CLOEXEC)
        guard self.slave >= 0, tcgetpgrp(self.slave) == getpgrp() else { throw POSIXError(.EIO) }
    }

    /// All that was written to it since the last call.
    package func text() -> String { writtenText(at: slave, of: master) }

    /// Gives the foreground to another group, whose only process has ended: this one is in the background from then on.
    package func giveForegroundAway() throws {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        posix_spawnattr_setflags(&attributes, CShort(POSIX_SPAWN_SETPGROUP))
        posix_spawnattr_setpgroup(&attributes, 0)
        let arguments: [UnsafeMutablePointer<CChar>?] = [strdup("sh"), strdup("-c"), strdup(":"), nil]
        let environment: [UnsafeMutablePointer<CChar>?] = [nil]
        var process = pid_t()
        // Nobody waits for the process, so that its group stays.
        let code = posix_spawn(&process, "/bin/sh", nil, &attributes, arguments, environment)
        guard code == 0, tcsetpgrp(self.slave, process) == 0, tcgetpgrp(self.slave) == process else {
            throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO)
        }
    }
}
