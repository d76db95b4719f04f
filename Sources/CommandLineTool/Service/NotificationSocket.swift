// The socket of a service manager, which receives what its services report: the protocol of sd_notify(3), without
// libsystemd. A message is one datagram of lines, each a variable and its value.

import BluetoothTransport

#if canImport(Glibc)
import Glibc
private let datagrams = CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
#elseif canImport(Musl)
import Musl
private let datagrams = SOCK_DGRAM | SOCK_CLOEXEC
#elseif canImport(Darwin)
import Darwin
private let datagrams = SOCK_DGRAM
#endif

/// A service manager's socket.
final class NotificationSocket: Sendable {
    private let descriptor: CInt
    private let address: sockaddr_un
    private let length: socklen_t

    /// The socket that `NOTIFY_SOCKET` names; `nil` if the name is invalid.
    ///
    /// - Parameter name: A path, or `@` and the name of an abstract socket of Linux (unix(7)).
    init?(_ name: String) {
        var octets = Array(name.utf8)
        var address = sockaddr_un()
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard let first = octets.first, octets.count > 1, octets.count <= StreamAddress.maximumPathLength else {
            return nil
        }
        switch first {
        case UInt8(ascii: "/"): break
        case UInt8(ascii: "@"): octets[0] = 0
        default: return nil
        }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: octets) }
        let descriptor = socket(AF_UNIX, datagrams, 0)
        guard descriptor >= 0 else { return nil }
        self.descriptor = descriptor
        self.address = address
        // The address ends with the name: an abstract one has no terminating zero.
        length = socklen_t(MemoryLayout<sockaddr_un>.size - room + octets.count)
    }

    deinit { close(descriptor) }

    /// Sends a message. A manager that is gone or does not read never blocks the program.
    func send(_ lines: [String]) {
        let octets = Array(lines.joined(separator: "\n").utf8)
        withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = sendto(descriptor, octets, octets.count, CInt(MSG_DONTWAIT), address, length)
            }
        }
    }
}
