// Which requests are obeyed. The page is for the user of this computer alone, yet every page that the user's browser has
// open can send requests to loopback, and a site can let its own name lead there. So a request is obeyed only if
//
//     its target is a path               (RFC 9112, 3.2.1: no proxy stands in between)
//     its Host is loopback, and the port (a site whose name leads here has another Host)
//     its Origin is that Host            (RFC 6454; needed to change something, and for all others where it is given)
//     its path begins with the token     (nobody else knows the address)
//     it changes something only by JSON  (a form of another page cannot send that)
//
// A link to the page that a person follows is no danger: it needs the token, and does nothing.

import NIOHTTP1

/// Checks a request before it is looked at.
struct RequestCheck: Sendable {
    /// Why a request is refused.
    enum Refusal: Hashable, Sendable {
        case target, host, origin, token, method, contentType
    }

    /// What becomes of a request.
    enum Verdict: Hashable, Sendable {
        /// It is obeyed; the path stands behind the token's slash.
        case obeyed(path: String)
        /// The slash behind the token is missing, without which the page's own addresses are wrong.
        case slashMissing
        /// It is refused.
        case refused(Refusal)
    }

    /// The port at which the page is.
    let port: Int
    /// The secret.
    let token: AccessToken

    /// Creates the check of a page's requests.
    init(port: Int, token: AccessToken) {
        self.port = port
        self.token = token
    }

    /// What becomes of a request.
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

    /// The one Host of a request, in small letters; `nil` where it is not loopback with this port.
    private func host(_ headers: HTTPHeaders) -> String? {
        let hosts = headers["Host"]
        guard hosts.count == 1, let host = hosts.first?.lowercased() else { return nil }
        // A browser leaves the port of HTTP out.
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
        // Fetch Metadata: browsers say where a request comes from, also where it has no Origin.
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

    /// What is said to a person.
    var words: String {
        switch self {
        case .target: "The target of a request is a path."
        case .host: "This page has another name: open the address that the program has printed."
        case .origin: "A page of another origin may not use this one."
        case .token: "The address needs its token: open the one that the program has printed."
        case .method: "A request is GET or POST."
        case .contentType: "What is posted is application/json."
        }
    }
}
