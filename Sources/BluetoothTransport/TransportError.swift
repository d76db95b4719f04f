// The errors of a transport: one line for a person that names the cause and the remedy if there is one, a code for a
// program, and the error number of the system.

import NIOCore
import NIOPosix

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Why a transport could not be opened or used.
public struct TransportError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure; more may be added.
    public struct Code: Hashable, Sendable {
        private let name: String

        /// A malformed name or address.
        package static let badName = Code(name: "badName")
        /// There is nothing at this address.
        package static let notFound = Code(name: "notFound")
        /// No process listens at this address.
        package static let refused = Code(name: "refused")
        package static let noPermission = Code(name: "noPermission")
        /// Another process uses it.
        package static let inUse = Code(name: "inUse")
        package static let timedOut = Code(name: "timedOut")
        /// This system or version does not support it.
        package static let unsupported = Code(name: "unsupported")
        /// It was closed by its owner.
        public static let closed = Code(name: "closed")
        /// Any other failure.
        package static let failed = Code(name: "failed")
    }

    package var code: Code
    /// One line: the cause, then the remedy.
    package var message: String
    /// The error number of the system call that failed; `nil` if none did.
    package var errorNumber: CInt?

    public init(_ code: Code, _ message: String, errorNumber: CInt? = nil) {
        (self.code, self.message, self.errorNumber) = (code, message, errorNumber)
    }

    public var description: String { self.message }
}

extension TransportError {
    /// The failure of a system call on a file.
    package init(errno number: CInt, _ doing: String) {
        let code: Code =
            switch number {
            case ENOENT, ENOTDIR: .notFound
            case EACCES, EPERM, EROFS: .noPermission
            case EADDRINUSE, EWOULDBLOCK, EBUSY: .inUse
            default: .failed
            }
        self.init(code, "\(doing): \(systemErrorText(number))", errorNumber: number)
    }

    /// The failure to connect to a controller or an air at `address`.
    init(connectingTo address: StreamAddress, _ error: any Error) {
        let cause = ConnectionFailure(error)
        switch (cause, address) {
        case (.errno(ENOENT), .unix(let path)), (.errno(ENOTDIR), .unix(let path)):
            self.init(.notFound, "there is no socket at \(path): start what serves it, or correct the path")
        case (.errno(ECONNREFUSED), .unix(let path)):
            self.init(.refused, "nobody serves the socket \(path) any more: start what serves it")
        case (.errno(ECONNREFUSED), .tcp):
            self.init(.refused, "nobody listens at \(address): start what serves it, or correct host and port")
        case (.errno(EACCES), _), (.errno(EPERM), _):
            self.init(.noPermission, "no permission to connect to \(address): ask its owner for access")
        case (.errno(ENOTSOCK), _), (.errno(EPROTOTYPE), _):
            self.init(.badName, "\(address) is not a stream socket: name the socket of a controller or of an air")
        case (.errno(let number), _):
            self.init(.failed, "cannot connect to \(address): \(systemErrorText(number))")
        case (.timedOut, _):
            self.init(.timedOut, "no answer from \(address): is the address right, and is it reachable from here?")
        case (.unknownHost, .tcp(let host, _)):
            self.init(.notFound, "no host has the name \(host): correct it, or give its address in numbers")
        case (.unknownHost, .unix), (.other, _):
            self.init(.failed, "cannot connect to \(address): \(oneLine(error))")
        }
        self.errorNumber = cause.errorNumber
    }

    /// The failure to listen at `address`.
    init(listeningAt address: StreamAddress, _ error: any Error) {
        self.init(listeningAt: address, ConnectionFailure(error), oneLine(error))
    }

    /// The failure of a system call for a listening socket.
    init(listeningAt address: StreamAddress, errno number: CInt) {
        self.init(listeningAt: address, .errno(number), systemErrorText(number))
    }

    private init(listeningAt address: StreamAddress, _ failure: ConnectionFailure, _ text: String) {
        switch (failure, address) {
        case (.errno(EADDRINUSE), _):
            self.init(.inUse, "\(address) is in use: end the other server, or choose another place")
        case (.errno(EACCES), _), (.errno(EPERM), _):
            self.init(.noPermission, "no permission to listen at \(address): choose a place that is yours")
        case (.errno(ENOENT), .unix(let path)), (.errno(ENOTDIR), .unix(let path)):
            self.init(.notFound, "the folder of \(path) does not exist: create it")
        case (.errno(EADDRNOTAVAIL), _):
            self.init(.badName, "\(address) is not an address of this machine: use 127.0.0.1 or 0.0.0.0")
        case (.errno(let number), _):
            self.init(.failed, "cannot listen at \(address): \(systemErrorText(number))")
        case (.unknownHost, .tcp(let host, _)):
            self.init(.notFound, "no host has the name \(host): correct it, or give its address in numbers")
        case (.timedOut, _), (.unknownHost, .unix), (.other, _):
            self.init(.failed, "cannot listen at \(address): \(text)")
        }
        self.errorNumber = failure.errorNumber
    }
}

/// The cause of an error that SwiftNIO reports for a connection.
private enum ConnectionFailure {
    case errno(CInt)
    case timedOut
    case unknownHost
    case other

    var errorNumber: CInt? { if case .errno(let number) = self { number } else { nil } }

    init(_ error: any Error) {
        switch error {
        case let error as IOError:
            self = error.errnoCode == ETIMEDOUT ? .timedOut : .errno(error.errnoCode)
        case let error as NIOConnectionError:
            // One failure per address of the host; any of them will do.
            if let single = error.connectionErrors.last {
                self = ConnectionFailure(single.error)
            } else {
                self = .unknownHost
            }
        case ChannelError.connectTimeout:
            self = .timedOut
        case is SocketAddressError.UnknownHost:
            self = .unknownHost
        default:
            self = .other
        }
    }
}

/// The system's text for an error number.
package func systemErrorText(_ number: CInt) -> String {
    String(cString: strerror(number))
}

/// Why a connection broke, in one line.
func oneLine(_ error: any Error) -> String {
    if let error = error as? IOError { return systemErrorText(error.errnoCode) }
    return String(describing: error).split(whereSeparator: \.isNewline).joined(separator: " ")
}
