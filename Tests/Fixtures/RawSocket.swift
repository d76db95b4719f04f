// The other end of a socket without any code of ours: what a test sends and reads here is octets.

import Foundation
import NIOCore

/// A stream socket with nothing above it, used from the test's own thread.
package final class RawSocket: Sendable {
    /// The file descriptor, which is closed when the object goes.
    package let descriptor: CInt

    /// Takes a connected socket over; what is read and written on it waits 20 seconds at most.
    package init(descriptor: CInt) {
        self.descriptor = descriptor
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        let length = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, length)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, length)
    }

    /// Connects to the socket at `path`.
    package convenience init(unix path: String) throws {
        self.init(descriptor: socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0))
        let descriptor = self.descriptor
        let result = try withSocketAddress(path) { connect(descriptor, $0, $1) }
        guard result == 0 else { throw IOError(errnoCode: errno, reason: "connect") }
    }

    /// Connects to a TCP port of this computer, at 127.0.0.1.
    package convenience init(port: Int) throws {
        self.init(descriptor: socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let descriptor = self.descriptor
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw IOError(errnoCode: errno, reason: "connect") }
    }

    deinit { close(self.descriptor) }

    /// Two sockets that are connected with each other.
    package static func pair() throws -> (RawSocket, RawSocket) {
        var descriptors: [CInt] = [0, 0]
        guard socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &descriptors) == 0 else {
            throw IOError(errnoCode: errno, reason: "socketpair")
        }
        return (RawSocket(descriptor: descriptors[0]), RawSocket(descriptor: descriptors[1]))
    }

    /// Sends all octets; false where the other end is gone or takes nothing for 20 seconds.
    @discardableResult
    package func send(_ octets: [UInt8]) -> Bool {
        var rest = octets[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Foundation.send(self.descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Reads exactly `count` octets, or fewer where the stream ends or the time is over.
    package func read(_ count: Int) -> [UInt8] {
        var octets: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while octets.count < count {
            let got = recv(self.descriptor, &chunk, min(chunk.count, count - octets.count), 0)
            guard got > 0 else { break }
            octets += chunk[..<got]
        }
        return octets
    }

    /// Whether the other end has closed, after whatever it sent.
    package func endsWithin20Seconds() -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let got = recv(self.descriptor, &chunk, chunk.count, 0)
            if got == 0 { return true }
            if got < 0 { return errno == ECONNRESET }
        }
    }

    /// Sends no more; what comes can still be read.
    package func finish() { shutdown(self.descriptor, CInt(SHUT_WR)) }

    /// Sends no more, and takes no more.
    package func hangUp() { shutdown(self.descriptor, CInt(SHUT_RDWR)) }
}
