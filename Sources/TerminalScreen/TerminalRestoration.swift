// Restores the terminal on every way out of the process: `exit`, a signal from outside, a trap in this program.
// Everything for that is prepared beforehand, because a signal handler may call very little (signal-safety(7)).

import Foundation

/// The original terminal settings, while they are changed.
///
/// Output to standard error would spoil the screen meanwhile: it goes to an unnamed file, and from there to its
/// destination when the screen is closed.
enum TerminalRestoration {
    /// The data of a signal handler; not changed while it is published.
    private struct Record {
        var descriptor: CInt
        var settings: termios
        var octets: UnsafeMutableBufferPointer<UInt8>
        /// The original standard error; -1 if it was not redirected.
        var standardError: CInt
        /// The file that standard error goes to meanwhile.
        var lines: CInt
    }

    /// Signals of a crash, and signals from outside that nothing else handles.
    private static let signals = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGQUIT]

    /// The most octets of lines that are kept.
    private static let lineLimit: off_t = 1 << 20

    /// Used by the main thread and by signal handlers; nil while the terminal is unchanged.
    private nonisolated(unsafe) static var record: UnsafeMutablePointer<Record>?
    private nonisolated(unsafe) static var isArmed = false

    /// Restores these settings from now on, on every way out.
    ///
    /// - Parameters:
    ///   - descriptor: The terminal.
    ///   - settings: Its original settings.
    ///   - leaving: Written to the terminal first.
    ///   - hasScreen: Whether the whole screen is in use, which lines on standard error would spoil.
    static func arm(_ descriptor: CInt, _ settings: termios, leaving: String, hasScreen: Bool) {
        self.restore()
        let octets = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: leaving.utf8.count)
        _ = octets.initialize(from: leaving.utf8)
        let (standardError, lines) = hasScreen ? self.divertStandardError() : (-1, -1)
        let record = UnsafeMutablePointer<Record>.allocate(capacity: 1)
        record.initialize(
            to: Record(
                descriptor: descriptor,
                settings: settings,
                octets: octets,
                standardError: standardError,
                lines: lines
            )
        )
        self.record = record
        guard !self.isArmed else { return }
        self.isArmed = true
        atexit { TerminalRestoration.restore() }
        for number in self.signals { self.watch(number) }
    }

    /// The last line that was written to standard error since the screen was opened; `nil` if there is none.
    static var lastLine: String? {
        guard let record = self.record, record.pointee.lines >= 0 else { return nil }
        let end = lseek(record.pointee.lines, 0, SEEK_END)
        // Nobody has read that for a long time.
        if end > Self.lineLimit { ftruncate(record.pointee.lines, 0) }
        var octets = [UInt8](repeating: 0, count: Int(min(end, 1024)))
        guard !octets.isEmpty else { return nil }
        let count = pread(record.pointee.lines, &octets, octets.count, end - off_t(octets.count))
        guard count > 0 else { return nil }
        return String(decoding: octets[..<count], as: UTF8.self).split(separator: "\n").last.map(String.init)
    }

    /// Restores the terminal; safe in a signal handler, and does nothing if the terminal is unchanged.
    static func restore() {
        guard let record = self.record else { return }
        // The record is not freed: this may be a signal handler.
        self.record = nil
        self.write(record.pointee.octets.baseAddress, record.pointee.octets.count, to: record.pointee.descriptor)
        tcsetattr(record.pointee.descriptor, TCSANOW, &record.pointee.settings)
        guard record.pointee.standardError >= 0 else { return }
        dup2(record.pointee.standardError, STDERR_FILENO)
        close(record.pointee.standardError)
        lseek(record.pointee.lines, 0, SEEK_SET)
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 4096) { buffer in
            while true {
                let count = read(record.pointee.lines, buffer.baseAddress, buffer.count)
                guard count > 0 else { break }
                self.write(buffer.baseAddress, count, to: STDERR_FILENO)
            }
        }
        close(record.pointee.lines)
    }

    /// Redirects standard error to an unnamed file, if it is a terminal.
    private static func divertStandardError() -> (original: CInt, lines: CInt) {
        guard Terminal.error.isTerminal else { return (-1, -1) }
        var template = Array((NSTemporaryDirectory() + "/screen-XXXXXX").utf8CString)
        let lines = mkstemp(&template)
        guard lines >= 0 else { return (-1, -1) }
        unlink(template)
        _ = fcntl(lines, F_SETFD, FD_CLOEXEC)
        _ = fcntl(lines, F_SETFL, O_APPEND)
        let original = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)
        guard original >= 0, dup2(lines, STDERR_FILENO) >= 0 else {
            close(lines)
            return (-1, -1)
        }
        return (original, lines)
    }

    private static func write(_ octets: UnsafePointer<UInt8>?, _ count: Int, to descriptor: CInt) {
        guard let octets else { return }
        var start = 0
        while start < count {
            let written = Foundation.write(descriptor, octets + start, count - start)
            if written > 0 { start += written } else if errno != EINTR { return }
        }
    }

    private static func watch(_ number: CInt) {
        var action = sigaction()
        sigemptyset(&action.sa_mask)
        // The signal is raised again once the terminal is restored, and then ends the process as usual.
        action.sa_flags = CInt(bitPattern: UInt32(SA_RESETHAND)) | CInt(SA_NODEFER)
        action.__sigaction_handler.sa_handler = { number in
            TerminalRestoration.restore()
            raise(number)
        }
        sigaction(number, &action, nil)
    }
}
