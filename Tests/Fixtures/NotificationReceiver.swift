// The end of a service manager: the socket to which a service sends what it reports (sd_notify(3)).

import Foundation
import NIOCore

/// A datagram socket that takes the reports of services.
package final class NotificationReceiver: Sendable {
    /// The value of `NOTIFY_SOCKET`.
    package let name: String
    private let descriptor: CInt

    /// A socket with this name: a path, or behind an at sign one of Linux's abstract ones. A message is awaited for two
    /// minutes.
    package init(_ name: String) throws {
        self.name = name
        descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        var limit = timeval(tv_sec: 120, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let octets = name.hasPrefix("@") ? [0] + Array(name.utf8.dropFirst()) : Array(name.utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: octets) }
        let length = socklen_t(MemoryLayout.offset(of: \sockaddr_un.sun_path)! + octets.count)
        let descriptor = self.descriptor
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        guard result == 0 else { throw IOError(errnoCode: errno, reason: "bind") }
    }

    deinit { close(descriptor) }

    /// The lines of the next message; `nil` where none comes.
    package func message() -> [String]? {
        var octets = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &octets, octets.count, 0)
        guard count >= 0 else { return nil }
        return String(decoding: octets[..<count], as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Whether no message is there now.
    package var isEmpty: Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) == 0
    }

    /// The lines of messages up to one that has the given one.
    package func messages(until line: String) throws -> [String] {
        var all: [String] = []
        while let message = self.message() {
            all += message
            if message.contains(line) { return all }
        }
        throw IOError(errnoCode: ETIMEDOUT, reason: "\"\(line)\" behind \(all)")
    }
}
