// A program in a terminal of its own, whose screen is read as fast as it is drawn.

import BenchmarkSupport
import Foundation

/// A program in a pseudo-terminal.
final class ScreenProgram {
    private let process = Process()
    private let descriptor: CInt
    private let lock = NSLock()
    private var drawn = 0
    private var last = Data()

    /// Starts a program in a terminal of 24 rows and 80 columns.
    init(_ program: URL, _ arguments: [String]) throws {
        let descriptor = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var isLocked: CInt = 0
        var number: CUnsignedInt = 0
        expect(
            descriptor >= 0 && ioctl(descriptor, 0x4004_5431, &isLocked) == 0
                && ioctl(descriptor, 0x8004_5430, &number) == 0,
            "there is no pseudo-terminal"
        )
        var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(descriptor, UInt(TIOCSWINSZ), &size)
        self.descriptor = descriptor
        let other = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
        expect(other >= 0, "the pseudo-terminal cannot be opened")
        let end = FileHandle(fileDescriptor: other, closeOnDealloc: true)
        self.process.executableURL = program
        self.process.arguments = arguments
        self.process.standardInput = end
        self.process.standardOutput = end
        self.process.standardError = end
        try self.process.run()
        Thread.detachNewThread { [self] in
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = read(descriptor, &buffer, buffer.count)
                guard count > 0 else { break }
                self.lock.withLock {
                    self.drawn += count
                    self.last = (self.last + Data(buffer[..<count])).suffix(4096)
                }
            }
        }
    }

    var isRunning: Bool { self.process.isRunning }
    /// The number of octets that the program has drawn.
    var drawnOctets: Int { self.lock.withLock { self.drawn } }
    /// The last octets.
    var lastOctets: String { self.lock.withLock { String(decoding: self.last, as: UTF8.self) } }
    /// In MB.
    var residentMemory: Double { Meter.residentMemory(of: self.process.processIdentifier) ?? .nan }

    /// Presses keys.
    func type(_ text: String) {
        guard !text.isEmpty else { return }
        try? FileHandle(fileDescriptor: self.descriptor, closeOnDealloc: false).write(contentsOf: Data(text.utf8))
    }

    /// Waits for the end; returns the exit status.
    func end() -> Int32 {
        self.process.waitUntilExit()
        return self.process.terminationStatus
    }
}
