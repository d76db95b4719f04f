// Checks requests. The page changes nothing, so only the measurements need protection: another site in a user's browser
// must not read them. The browser prevents that, unless that site's name resolves to this server ("DNS rebinding");
// then its name is in Host. So Host must be a name that no other site can have: an address, `localhost`, this
// computer's name, or one that the user has listed.

import FlyingFox
import Foundation

/// Checks requests.
struct RequestCheck: Sendable {
    /// Where the server listens.
    let listen: ListenAddress
    /// Further names by which it is reached.
    let names: [String]

    /// - Parameters:
    ///   - listen: Where the server listens.
    ///   - names: Further names by which it is reached, such as that of a proxy.
    init(listen: ListenAddress, names: [String] = []) {
        self.listen = listen
        self.names = names.map { $0.lowercased() }
    }

    /// Why a request is refused; `nil` if it is answered.
    func refusal(of request: HTTPRequest) -> HTTPStatusCode? {
        guard request.method == .GET else { return .methodNotAllowed }
        guard let host = request.headers[.host], self.isName(host) else { return .misdirectedRequest }
        // Where the browser says so, the request comes from this page, or from the address bar (Fetch Metadata).
        switch request.headers[HTTPHeader("Sec-Fetch-Site")] {
        case nil, "same-origin", "none": return nil
        // A link to the page that a person follows.
        case _ where request.path == "/" && request.headers[HTTPHeader("Sec-Fetch-Mode")] == "navigate": return nil
        case _: return .forbidden
        }
    }

    private func isName(_ host: String) -> Bool {
        var name = host.lowercased()
        if let port = name.range(of: #":[0-9]{1,5}$"#, options: .regularExpression) { name.removeSubrange(port) }
        if self.names.contains(name) { return true }
        if self.listen.isLoopback { return ["localhost", "127.0.0.1", "[::1]"].contains(name) }
        if ListenAddress.isAddress(name) { return true }
        let own = ProcessInfo.processInfo.hostName.lowercased()
        let first = own.prefix { $0 != "." }
        return ["localhost", own, String(first), first + ".local"].contains(name)
    }
}

/// Where a server listens: `PORT`, `ADDRESS:PORT` or `[ADDRESS]:PORT`.
package struct ListenAddress: Sendable {
    /// The address, without brackets.
    package let address: String
    /// The port; 0 for any that is free.
    package let port: UInt16

    /// An address in text; `nil` if it is none. A port alone is one on loopback.
    package init?(_ text: String) {
        if let port = UInt16(text) {
            self.address = "127.0.0.1"
            self.port = port
            return
        }
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            return nil
        }
        let host = String(text[..<colon])
        guard Self.isAddress(host) else { return nil }
        self.address = host.trimmingCharacters(in: ["[", "]"])
        self.port = port
    }

    /// Whether only this computer reaches it.
    package var isLoopback: Bool { self.address == "::1" || self.address.hasPrefix("127.") }

    /// Whether text is an address of IP version 4, or one of version 6 in brackets.
    static func isAddress(_ text: String) -> Bool {
        var six = in6_addr()
        var four = in_addr()
        if text.hasPrefix("["), text.hasSuffix("]") {
            return inet_pton(AF_INET6, String(text.dropFirst().dropLast()), &six) == 1
        }
        return inet_pton(AF_INET, text, &four) == 1
    }
}
