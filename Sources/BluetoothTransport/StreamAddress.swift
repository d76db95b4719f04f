// The address of a stream of H4 octets: a Unix socket by its path, or TCP by host and port. It is written `unix:PATH`
// or `tcp:HOST:PORT`.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The address of a stream socket.
public enum StreamAddress: Hashable, Sendable, CustomStringConvertible {
    /// A Unix socket.
    case unix(path: String)
    /// A TCP port of a host; the host is a name or an IP address without brackets.
    case tcp(host: String, port: Int)

    /// The maximum length of the path of a Unix socket, in octets: `sun_path` without its terminating zero.
    package static let maximumPathLength = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    /// Parses `unix:PATH` or `tcp:HOST:PORT`; with `allowsAnyPort`, port 0 stands for any free port of a listener.
    ///
    /// - Throws: ``TransportError`` with one line on the error.
    public init(parsing text: String, allowsAnyPort: Bool = false) throws(TransportError) {
        if let path = text.droppingPrefix("unix:") {
            self = .unix(path: try Self.checked(path: path, in: text))
        } else if let rest = text.droppingPrefix("tcp:") {
            self = try Self.tcp(parsing: rest, in: text, allowsAnyPort: allowsAnyPort)
        } else {
            throw TransportError(.badName, "\"\(text)\" is no address: write unix:PATH or tcp:HOST:PORT")
        }
    }

    /// Checks the path of a socket that is part of `text`.
    static func checked(path: String, in text: String) throws(TransportError) -> String {
        guard !path.isEmpty else {
            throw TransportError(.badName, "\"\(text)\" lacks the path of a socket: write it behind the last colon")
        }
        guard !path.utf8.contains(0) else {
            throw TransportError(.badName, "the path in \"\(text)\" holds a zero octet: no file can be named so")
        }
        if let error = Self.unix(path: path).lengthError { throw error }
        return path
    }

    /// The error of a path that is too long for a socket; `nil` for other addresses.
    var lengthError: TransportError? {
        guard case .unix(let path) = self, path.utf8.count > Self.maximumPathLength else { return nil }
        return TransportError(
            .badName,
            "the socket path \(path) has \(path.utf8.count) octets, at most \(Self.maximumPathLength) are possible: "
                + "choose a shorter one"
        )
    }

    /// Parses `HOST:PORT`, which is part of `text`.
    static func tcp(
        parsing rest: String,
        in text: String,
        allowsAnyPort: Bool = false
    ) throws(TransportError) -> StreamAddress {
        guard let colon = rest.lastIndex(of: ":") else {
            throw TransportError(.badName, "\"\(text)\" lacks the port: write tcp:HOST:PORT")
        }
        var host = String(rest[..<colon])
        let digits = rest[rest.index(after: colon)...]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
        } else if host.contains(":") {
            throw TransportError(.badName, "the host in \"\(text)\" has colons: write an IPv6 address as [::1]")
        }
        guard !host.isEmpty, !host.contains(where: \.isWhitespace), !host.utf8.contains(0) else {
            throw TransportError(
                .badName,
                "\"\(text)\" lacks the host: write tcp:HOST:PORT, such as tcp:127.0.0.1:9101"
            )
        }
        guard digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let port = UInt16(digits), port > 0 || allowsAnyPort
        else {
            throw TransportError(
                .badName,
                "the port in \"\(text)\" is not a number from 1 to 65535: write tcp:HOST:PORT"
            )
        }
        return .tcp(host: host, port: Int(port))
    }

    /// The text that ``init(parsing:allowsAnyPort:)`` parses.
    public var description: String {
        switch self {
        case .unix(let path): "unix:\(path)"
        case .tcp(let host, let port): host.contains(":") ? "tcp:[\(host)]:\(port)" : "tcp:\(host):\(port)"
        }
    }
}

extension String {
    /// The text after `prefix`; `nil` if it begins otherwise.
    func droppingPrefix(_ prefix: String) -> String? {
        self.hasPrefix(prefix) ? String(self.dropFirst(prefix.count)) : nil
    }
}
