// Decides which requests are allowed. The page is for the user of this computer alone, but every page open in the
// user's browser can send requests to loopback, and a site can resolve its own name to it. So a request is allowed only
// if
//
//     its target is a path               (RFC 9112, 3.2.1: there is no proxy)
//     its Host is loopback with the port (a site whose name resolves to loopback has another Host)
//     its Origin is that Host            (RFC 6454; required for changes, checked on all requests that have one)
//     its path begins with the token     (nobody else knows the address)
//     it changes something only by JSON  (a form of another page cannot send that)
//
// A link to the page on another site is harmless: it needs the token, and changes nothing.

import NIOHTTP1

/// Checks a request before anything else reads it.
struct RequestCheck: Sendable {
    /// Why a request is refused.
    enum Refusal: Hashable, Sendable {
        case target, host, origin, token, method, contentType
    }

    /// The result of the check.
    enum Verdict: Hashable, Sendable {
        /// The request is allowed; the path is what follows the token's slash.
        case obeyed(path: String)
        /// The slash after the token is missing, so the page's relative addresses would be wrong.
        case slashMissing
        /// The request is refused.
        case refused(Refusal)
    }

    /// The page's port.
    let port: Int
    /// The secret.
    let token: AccessToken

    /// Creates the check of a page's requests.
    init(port: Int, token: AccessToken) {
        self.port = port
        self.token = token
    }

    /// Checks a request.
    func verdict(_ head: HTTPRequestHead) -> Verdict {
        guard head.uri.first == "/" else { return .refused(.target) }
        guard let host = self.host(head.headers) else { return .refused(.host) }
        let path = head.uri.prefix { $0 != "?" && $0 != "#" }.dropFirst()
        let secret = path.prefix { $0 != "/" }
        let rest = path.dropFirst(secret.count)
        guard self.isOriginAllowed(head, host: host, isPage: rest == "/") else { return .refused(.origin) }
        guard self.token.matches(secret) else { return .refused(.token) }
        guard head.method == .GET || head.method == .POST else { return .refused(.method) }
        guard head.method == .GET || Self.isJSON(head.headers["Content-Type"]) else { return .refused(.contentType) }
        return rest.isEmpty ? .slashMissing : .obeyed(path: String(rest.dropFirst()))
    }

    /// The one Host of a request, in lower case; `nil` unless it is loopback with this port.
    private func host(_ headers: HTTPHeaders) -> String? {
        let hosts = headers["Host"]
        guard hosts.count == 1, let host = hosts.first?.lowercased() else { return nil }
        // A browser omits the default port of HTTP.
        let ports = self.port == 80 ? ["", ":80"] : [":\(self.port)"]
        return ports.contains { port in ["127.0.0.1", "localhost", "[::1]"].contains { $0 + port == host } }
            ? host : nil
    }

    private func isOriginAllowed(_ head: HTTPRequestHead, host: String, isPage: Bool) -> Bool {
        let origins = head.headers["Origin"]
        let isFollowedLink =
            isPage && head.method == .GET && head.headers["Sec-Fetch-Mode"] == ["navigate"]
            && head.headers["Sec-Fetch-Dest"] == ["document"]
        guard origins.isEmpty ? head.method == .GET : origins.map({ $0.lowercased() }) == ["http://" + host] else {
            return false
        }
        // Fetch Metadata: browsers report where a request comes from, even if it has no Origin.
        return head.headers["Sec-Fetch-Site"].allSatisfy { $0 == "same-origin" || $0 == "none" || isFollowedLink }
    }

    private static func isJSON(_ types: [String]) -> Bool {
        guard types.count == 1, let type = types.first?.split(separator: ";").first else { return false }
        return type.lowercased().filter { $0 != " " } == "application/json"
    }
}

extension RequestCheck.Refusal {
    /// The status of the answer (RFC 9110, 15).
    var status: HTTPResponseStatus {
        switch self {
        case .target: .badRequest
        case .host: .misdirectedRequest
        case .origin, .token: .forbidden
        case .method: .methodNotAllowed
        case .contentType: .unsupportedMediaType
        }
    }

    /// The explanation for a person.
    var words: String {
        switch self {
        case .target: "The target of a request must be a path."
        case .host: "The page has another host name: open the address that the program has printed."
        case .origin: "Pages of other origins may not use this one."
        case .token: "The token is missing: open the address that the program has printed."
        case .method: "Only GET and POST are allowed."
        case .contentType: "A POST must be application/json."
        }
    }
}
