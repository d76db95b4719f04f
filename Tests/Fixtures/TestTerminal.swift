// A pseudo-terminal for tests of programs in a terminal. It may take the place of standard streams and lead a session,
// which changes the whole process: for tests that are processes of their own.

import Foundation

/// A terminal: what is typed at it, and what a program writes to it.
package final class TestTerminal {
    /// The end of the test.
    package let master: CInt
    /// The end of the program.
    package let slave: CInt
    package let path: String
    /// Standard output as it was before.
    private let report = dup(STDOUT_FILENO)
    /// What was written and not awaited yet.
    private var shown = ""

    /// Opens a terminal; throws the system's error.
    ///
    /// - Parameters:
    ///   - descriptors: Those whose place it takes.
    ///   - isControlling: Whether this process leads a session of its own from now on, whose terminal it is.
    ///   - isPlain: Whether it passes on what a program writes as it is, and echoes nothing.
    package init(
        at descriptors: [CInt] = [],
        rows: Int = 24,
        columns: Int = 80,
        isControlling: Bool = false,
        isPlain: Bool = false
    ) throws {
        if isControlling, setsid() < 0 { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        let pair = try PseudoTerminalPair()
        (master, path) = (pair.descriptor, pair.path)
        // A leader of a session without a terminal gets the one that it opens.
        slave = open(path, O_RDWR | O_CLOEXEC | (isControlling ? 0 : O_NOCTTY))
        guard slave >= 0, !isControlling || tcgetpgrp(slave) == getpgrp() else { throw POSIXError(.EIO) }
        _ = fcntl(master, F_SETFL, O_NONBLOCK)
        if isPlain { makePlain(slave) }
        resize(rows: rows, columns: columns)
        for descriptor in descriptors { dup2(slave, descriptor) }
    }

    package func resize(rows: Int = 24, columns: Int) {
        var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(slave, UInt(TIOCSWINSZ), &size)
    }

    package func type(_ text: String) { _ = text.withCString { write(master, $0, strlen($0)) } }

    /// All that was written to it since the last call.
    package func text() -> String { writtenText(at: slave, of: master) }

    /// Prints a line on standard output as it was before.
    package func tell(_ line: String) { _ = (line + "\n").withCString { write(report, $0, strlen($0)) } }

    /// Waits until a text was written since the last call, doing something again and again; all that was written until
    /// then.
    @MainActor
    @discardableResult
    package func wait(for end: String, doing act: () -> Void = {}) async -> String {
        await terminalWait(for: end.debugDescription) {
            act()
            shown += readableText(of: master)
            return shown.contains(end)
        }
        let place = shown.range(of: end)?.upperBound ?? shown.endIndex
        defer { shown = String(shown[place...]) }
        return String(shown[..<place])
    }

    private var current: termios {
        var settings = termios()
        tcgetattr(slave, &settings)
        return settings
    }

    /// Whether it gives keys one by one.
    package var isRaw: Bool { current.c_lflag & tcflag_t(ICANON | ECHO) == 0 }

    /// Which of its settings are on: lines, echo, extensions, signals; Enter, flow control; the keys that stop and
    /// interrupt; and whether output is processed.
    package var settings: String {
        var settings = current
        let local = [ICANON, ECHO, IEXTEN, ISIG].map { settings.c_lflag & tcflag_t($0) != 0 ? "1" : "0" }
        let input = [ICRNL, IXON].map { settings.c_iflag & tcflag_t($0) != 0 ? "1" : "0" }
        let (stop, interrupt) = withUnsafeBytes(of: &settings.c_cc) { ($0[Int(VSUSP)], $0[Int(VINTR)]) }
        let output = settings.c_oflag & tcflag_t(OPOST) != 0
        return "\(local.joined()) \(input.joined()) \(stop) \(interrupt) \(output)"
    }

    /// Gives the foreground to another group, whose only process has ended: this one is in the background from then on.
    package func giveForegroundAway() throws {
        // Nobody waits for the process, so that its group stays.
        let process = try spawn(["/bin/sh", "-c", ":"], [:], [])
        guard tcsetpgrp(slave, process) == 0, tcgetpgrp(slave) == process else { throw POSIXError(.EIO) }
    }
}

/// Waits until a condition is met; ends the process, which is a test's own, if that takes a minute.
@MainActor
package func terminalWait(for what: String, until isMet: @MainActor () -> Bool) async {
    let deadline = ContinuousClock.now + .seconds(60)
    while !isMet() {
        guard ContinuousClock.now < deadline else { fatalError("waited a minute for \(what)") }
        await Task.yield()
    }
}

/// The number of open descriptors of files, terminals and pipes.
///
/// Those without a path are left out: the system's libraries open them, for the timers of a queue for instance, when
/// they come to it.
package func openDescriptorCount() -> Int {
    let folder = "/proc/self/fd"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.count { name in
        guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)") else {
            return false
        }
        return !target.hasPrefix("anon_inode:")
    }
}
