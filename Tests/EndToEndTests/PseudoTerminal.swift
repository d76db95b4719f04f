// A terminal for a process of a test: what it draws is kept.

import Foundation

/// A pseudo-terminal whose other end the test reads. Unchecked: the lock guards the octets.
final class PseudoTerminal: @unchecked Sendable {
    /// The end for the process.
    let process: FileHandle
    private let own: CInt
    private let lock = NSLock()
    private var octets = Data()

    /// Opens a pair.
    init() throws {
        let own = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        // Unlock the other end, then ask for its number: the C library's functions for this are not declared here.
        var isLocked: CInt = 0
        var number: CUnsignedInt = 0
        guard own >= 0, ioctl(own, 0x4004_5431, &isLocked) == 0, ioctl(own, 0x8004_5430, &number) == 0 else {
            throw Missing("a pseudo-terminal")
        }
        let other = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard other >= 0 else { throw Missing("the other end of a pseudo-terminal") }
        self.own = own
        process = FileHandle(fileDescriptor: other, closeOnDealloc: true)
        Thread.detachNewThread { [self] in
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = read(own, &buffer, buffer.count)
                guard count > 0 else { break }
                lock.withLock { octets += buffer[..<count] }
            }
            close(own)
        }
    }

    /// All that was drawn so far.
    var text: String { lock.withLock { String(decoding: octets, as: UTF8.self) } }

    /// Types a line, once the process has drawn a text.
    func type(_ line: String, after text: String) throws {
        try eventually("\"\(text)\" on the terminal") { self.text.contains(text) }
        try FileHandle(fileDescriptor: own, closeOnDealloc: false).write(contentsOf: Data((line + "\n").utf8))
    }
}
