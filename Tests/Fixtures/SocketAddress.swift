// The address of a socket in the file system, as the calls of the operating system take it.

package import Foundation
import NIOCore

/// Calls `body` with the address of the socket at `path`.
package func withSocketAddress<Result>(
    _ path: String,
    _ body: (UnsafePointer<sockaddr>, socklen_t) throws -> Result
) throws -> Result {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let octets = Array(path.utf8)
    // The octet behind the path's last one stays zero.
    guard octets.count < MemoryLayout.size(ofValue: address.sun_path) else {
        throw IOError(errnoCode: ENAMETOOLONG, reason: path)
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: octets) }
    return try withUnsafePointer(to: &address) { pointer in
        try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            try body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
    }
}
