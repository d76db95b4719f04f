// A program with a terminal of its own: what a person sees on the screen, and the keys that a person presses.

import Fixtures
import Foundation
import TerminalScreen

/// A process in a pseudo-terminal. Unchecked: the condition's lock guards what changes.
final class ScreenProcess: @unchecked Sendable {
    private let process = Process()
    /// The test's end of the terminal.
    private let descriptor: CInt
    private let original: termios
    private let condition = NSCondition()
    // Under the condition's lock.
    private let terminal: VirtualTerminal
    private var octets: [UInt8] = []
    private var status: Int32?

    /// Starts a program.
    init(
        _ executable: URL,
        _ arguments: [String] = [],
        in testbed: ProcessTestbed,
        rows: Int = 24,
        columns: Int = 80,
        environment: [String: String] = [:]
    ) throws {
        descriptor = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        // Unlock the other end, then ask for its number: the C library's functions for this are not declared here.
        var isLocked: CInt = 0
        var number: CUnsignedInt = 0
        guard descriptor >= 0, ioctl(descriptor, 0x4004_5431, &isLocked) == 0,
            ioctl(descriptor, 0x8004_5430, &number) == 0
        else { throw Missing("a pseudo-terminal") }
        let other = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard other >= 0 else { throw Missing("the other end of a pseudo-terminal") }
        var settings = termios()
        tcgetattr(descriptor, &settings)
        original = settings
        terminal = VirtualTerminal(rows: rows, columns: columns) { ColumnWidth.columns(of: $0) }
        let handle = FileHandle(fileDescriptor: other, closeOnDealloc: true)
        process.executableURL = executable
        process.arguments = arguments
        var all = ProcessInfo.processInfo.environment.filter { name, _ in
            !["COREBLUETOOTH_", "LC_", "LANG", "NO_COLOR"].contains { name.hasPrefix($0) }
        }
        all["XDG_RUNTIME_DIR"] = testbed.path("run")
        all["XDG_STATE_HOME"] = testbed.path("state")
        all["COREBLUETOOTH_ADAPTER"] = "air"
        all["TERM"] = "xterm-256color"
        process.environment = all.merging(environment) { $1 }
        process.standardInput = handle
        process.standardOutput = handle
        process.standardError = handle
        process.terminationHandler = { [self] process in
            change {
                status = process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
            }
        }
        resize(rows: rows, columns: columns)
        try process.run()
        Thread.detachNewThread { [self] in read() }
    }

    /// Gives the terminal another size.
    func resize(rows: Int, columns: Int) {
        change { terminal.resize(rows: rows, columns: columns) }
        var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(descriptor, UInt(TIOCSWINSZ), &size)
        if process.isRunning { kill(process.processIdentifier, SIGWINCH) }
    }

    /// Ends the process where it has not ended by itself.
    func terminate() {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
        // The handler stays: it may be running on a thread of Foundation, which does not hold it meanwhile.
    }

    /// Types text.
    func type(_ text: String) {
        var octets = Array(text.utf8)[...]
        while !octets.isEmpty {
            let count = octets.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            octets = octets.dropFirst(count)
        }
    }

    /// Sends a signal.
    func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

    /// What stands on the screen.
    var screen: [String] { condition.withLock { terminal.text } }

    /// Whether the program has the screen, and whether the cursor is seen.
    var isFullScreen: Bool { condition.withLock { terminal.isAlternate } }
    /// Whether the cursor is seen.
    var isCursorShown: Bool { condition.withLock { terminal.isCursorShown } }
    /// Whether there were colours.
    var hasColors: Bool { condition.withLock { terminal.hasColors } }

    /// Whether the terminal's settings are those that it had.
    var isRestored: Bool {
        var settings = termios()
        tcgetattr(descriptor, &settings)
        return settings.c_lflag == original.c_lflag && settings.c_iflag == original.c_iflag
            && settings.c_oflag == original.c_oflag && settings.c_cflag == original.c_cflag
    }

    /// Waits for a row that contains a text, and returns it.
    @discardableResult
    func row(with text: String, within seconds: TimeInterval = TestProcess.timeout) throws -> String {
        try wait("the row \"\(text)\"", seconds) { terminal.text.first { $0.contains(text) } }
    }

    /// Waits until no row contains a text.
    func noRow(with text: String, within seconds: TimeInterval = TestProcess.timeout) throws {
        try wait("no row \"\(text)\"", seconds) { terminal.text.contains { $0.contains(text) } ? nil : () }
    }

    /// Waits for the end; returns the exit status, or the negative number of the signal that killed the process.
    func end(within seconds: TimeInterval = TestProcess.timeout) throws -> Int32 {
        try wait("the end", seconds) { status }
    }

    private func wait<T>(_ what: String, _ seconds: TimeInterval, _ result: () -> T?) throws -> T {
        let deadline = Date(timeIntervalSinceNow: seconds)
        condition.lock()
        defer { condition.unlock() }
        while true {
            if let result = result() { return result }
            guard condition.wait(until: deadline) else {
                throw Missing("\(what); on the screen:\n\(terminal.text.joined(separator: "\n"))")
            }
        }
    }

    private func change(_ body: () -> Void) {
        condition.lock()
        body()
        condition.broadcast()
        condition.unlock()
    }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = Foundation.read(descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            change {
                octets += buffer[..<count]
                // The last octets may be a part of a character or of a sequence; what follows completes it.
                let whole = Self.wholeCount(octets)
                terminal.receive(String(decoding: octets[..<whole], as: UTF8.self))
                octets.removeFirst(whole)
            }
        }
        close(descriptor)
    }

    /// How many octets are whole characters; the last character may be the beginning of a longer cluster.
    private static func wholeCount(_ octets: [UInt8]) -> Int {
        guard let last = octets.lastIndex(where: { $0 < 0x80 }) else { return 0 }
        return last + 1
    }
}
