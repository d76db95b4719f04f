// The other end of an H4 connection, if the system knows it: the process of a Unix socket, the address of
// a TCP connection.

import NIOCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The other end of a connection.
public enum H4Peer: Hashable, Sendable, CustomStringConvertible {
    /// A process of this machine, by its identifier.
    case process(Int)
    /// A host on the network: its address and port.
    case network(String)
    case unknown

    /// The other end of a channel. Call this on the channel's loop.
    init(of channel: any Channel) {
        if let address = channel.remoteAddress, let host = address.ipAddress, let port = address.port {
            self = .network(host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)")
        } else if let process = Self.processNumber(channel) {
            self = .process(process)
        } else {
            self = .unknown
        }
    }

    /// The credentials that the kernel recorded when the connection was established.
    private struct Credentials: Sendable {
        var process: Int32 = 0
        var user: UInt32 = 0
        var group: UInt32 = 0
    }

    private static func processNumber(_ channel: any Channel) -> Int? {
        #if os(Linux)
        guard let provider = channel as? any SocketOptionProvider else { return nil }
        var credentials: Credentials?
        let option: EventLoopFuture<Credentials> = provider.unsafeGetSocketOption(
            level: .init(rawValue: SOL_SOCKET),
            name: .init(rawValue: SO_PEERCRED)
        )
        // On the channel's own loop the result is available immediately.
        option.assumeIsolated().whenSuccess { credentials = $0 }
        return credentials.flatMap { $0.process > 0 ? Int($0.process) : nil }
        #else
        return nil
        #endif
    }

    /// The program and its process, or the address.
    public var description: String {
        switch self {
        case .process(let number): ProcessListing().process(number).description
        case .network(let address): address
        case .unknown: "somebody"
        }
    }
}
