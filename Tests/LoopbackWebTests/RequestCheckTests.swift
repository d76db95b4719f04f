import Fixtures
import NIOHTTP1
import Testing

@testable import LoopbackWeb

@Suite("The check of a request")
struct RequestCheckTests {
    private static let secret = "abcdefghijklmnop"

    private func verdict(
        _ method: HTTPMethod = .GET,
        _ uri: String = "/\(secret)/",
        port: Int = 8088,
        host: String? = "127.0.0.1:8088",
        _ fields: [(String, String)] = []
    ) throws -> RequestCheck.Verdict {
        let token = try #require(AccessToken(Self.secret))
        let host = host.map { [("Host", $0)] } ?? []
        let head = HTTPRequestHead(version: .http1_1, method: method, uri: uri, headers: HTTPHeaders(host + fields))
        return RequestCheck(port: port, token: token).verdict(head)
    }

    private static let json = ("Content-Type", "application/json")
    private static let origin = ("Origin", "http://127.0.0.1:8088")

    @Test("allows requests for the page and its parts, under each name of loopback")
    func obeyed() throws {
        for host in ["127.0.0.1:8088", "localhost:8088", "LocalHost:8088", "[::1]:8088"] {
            #expect(try verdict(host: host) == .obeyed(path: ""))
            #expect(try verdict(host: host, [("Origin", "http://" + host)]) == .obeyed(path: ""))
        }
        #expect(try verdict(.GET, "/\(Self.secret)/events/en?x#y") == .obeyed(path: "events/en"))
        #expect(try verdict(.POST, "/\(Self.secret)/do", [Self.origin, Self.json]) == .obeyed(path: "do"))
        #expect(try verdict(port: 80, host: "localhost") == .obeyed(path: ""))
        #expect(try verdict(port: 80, host: "localhost:80") == .obeyed(path: ""))
        #expect(try verdict(.GET, "/\(Self.secret)") == .slashMissing)
    }

    @Test(
        "refuses another host, such as that of a site that resolves to loopback",
        arguments: [
            "example.org:8088", "127.0.0.1", "127.0.0.1:80", "127.0.0.1:8089", "localhost.example.org:8088",
            "127.0.0.1:8088.example.org", "0.0.0.0:8088", "127.0.0.2:8088", "[::]:8088", "::1:8088", "",
        ]
    )
    func host(host: String) throws {
        #expect(try verdict(host: host) == .refused(.host))
    }

    @Test("refuses a request without a Host, or with two")
    func hostCount() throws {
        #expect(try verdict(host: nil) == .refused(.host))
        #expect(try verdict([("Host", "127.0.0.1:8088")]) == .refused(.host))
    }

    @Test(
        "refuses another origin",
        arguments: [
            "http://example.org", "https://127.0.0.1:8088", "http://127.0.0.1", "http://127.0.0.1:8089",
            "http://localhost:8088", "null", "", "http://127.0.0.1:8088.example.org",
        ]
    )
    func origin(origin: String) throws {
        #expect(try verdict([("Origin", origin)]) == .refused(.origin))
        let post = try verdict(.POST, "/\(Self.secret)/do", [("Origin", origin), Self.json])
        #expect(post == .refused(.origin))
    }

    @Test("refuses a change unless its origin is given once")
    func originCount() throws {
        #expect(try verdict(.POST, [Self.json]) == .refused(.origin))
        #expect(try verdict(.POST, [Self.origin, ("Origin", "http://example.org"), Self.json]) == .refused(.origin))
    }

    @Test("refuses requests of other sites, except following a link to the page")
    func fetchMetadata() throws {
        #expect(try verdict([("Sec-Fetch-Site", "same-origin")]) == .obeyed(path: ""))
        #expect(try verdict([("Sec-Fetch-Site", "none")]) == .obeyed(path: ""))
        #expect(try verdict([("Sec-Fetch-Site", "cross-site")]) == .refused(.origin))
        #expect(try verdict([("Sec-Fetch-Site", "same-site")]) == .refused(.origin))
        // Following a link shows the page, and does nothing else.
        let link = [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document")]
        #expect(try verdict(link) == .obeyed(path: ""))
        #expect(try verdict(.GET, "/\(Self.secret)/events/en", link) == .refused(.origin))
        #expect(try verdict(.POST, link + [Self.origin, Self.json]) == .refused(.origin))
        // All header fields about it must agree.
        for missing in link.indices.dropFirst() {
            var fields = link
            fields.remove(at: missing)
            #expect(try verdict(fields) == .refused(.origin))
        }
        #expect(try verdict([("Sec-Fetch-Site", "none"), ("Sec-Fetch-Site", "cross-site")]) == .refused(.origin))
        let frame = [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "iframe")]
        #expect(try verdict(frame) == .refused(.origin))
    }

    @Test(
        "refuses a request without the token",
        arguments: ["/", "/abcdefghijklmnoq/", "/?token=abcdefghijklmnop", "//"]
    )
    func token(uri: String) throws {
        #expect(try verdict(.GET, uri) == .refused(.token))
    }

    @Test(
        "refuses a target that is not a path",
        arguments: ["http://127.0.0.1:8088/abcdefghijklmnop/", "*", "", "127.0.0.1:8088"]
    )
    func target(uri: String) throws {
        #expect(try verdict(.GET, uri) == .refused(.target))
    }

    @Test("refuses other methods, and posts of other types")
    func methods() throws {
        for method in [HTTPMethod.PUT, .DELETE, .OPTIONS, .HEAD, .CONNECT, .TRACE, .RAW(value: "X")] {
            #expect(try verdict(method, [Self.origin, Self.json]) == .refused(.method))
        }
        for type in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "", "application/jsonx"]
        {
            #expect(try verdict(.POST, [Self.origin, ("Content-Type", type)]) == .refused(.contentType))
        }
        #expect(try verdict(.POST, [Self.origin]) == .refused(.contentType))
        #expect(try verdict(.POST, [Self.origin, Self.json, Self.json]) == .refused(.contentType))
        let charset = ("Content-Type", "Application/JSON; charset=utf-8")
        #expect(try verdict(.POST, [Self.origin, charset]) == .obeyed(path: ""))
        #expect(try verdict(.POST, [Self.origin, ("Content-Type", " application/json ;x")]) == .obeyed(path: ""))
        // Reading needs no type.
        #expect(try verdict(.GET, [("Content-Type", "text/plain")]) == .obeyed(path: ""))
    }

    @Test("names the first of several refusals: target, host, origin, token, method, type")
    func order() throws {
        let token = try #require(AccessToken(Self.secret))
        let check = RequestCheck(port: 8088, token: token)
        func verdict(_ method: HTTPMethod, _ uri: String, _ fields: [(String, String)]) -> RequestCheck.Verdict {
            check.verdict(HTTPRequestHead(version: .http1_1, method: method, uri: uri, headers: HTTPHeaders(fields)))
        }
        let (host, origin) = (("Host", "localhost:8088"), ("Origin", "http://localhost:8088"))
        #expect(verdict(.PUT, "x", []) == .refused(.target))
        #expect(verdict(.PUT, "/x/", []) == .refused(.host))
        #expect(verdict(.PUT, "/x/", [host]) == .refused(.origin))
        #expect(verdict(.PUT, "/x/", [host, origin]) == .refused(.token))
        #expect(verdict(.PUT, "/\(Self.secret)/", [host, origin]) == .refused(.method))
        #expect(verdict(.POST, "/\(Self.secret)/", [host, origin]) == .refused(.contentType))
        #expect(verdict(.POST, "/\(Self.secret)", [host, origin]) == .refused(.contentType))
        let json = ("Content-Type", "application/json")
        #expect(verdict(.POST, "/\(Self.secret)", [host, origin, json]) == .slashMissing)
        #expect(verdict(.POST, "/\(Self.secret)/", [host, origin, json]) == .obeyed(path: ""))
    }

    private func verdict(_ fields: [(String, String)]) throws -> RequestCheck.Verdict { try verdict(.GET, fields) }

    private func verdict(_ method: HTTPMethod, _ fields: [(String, String)]) throws -> RequestCheck.Verdict {
        try verdict(method, "/\(Self.secret)/", fields)
    }

    private func verdict(
        _ method: HTTPMethod,
        _ uri: String,
        _ fields: [(String, String)]
    ) throws -> RequestCheck.Verdict {
        try verdict(method, uri, port: 8088, host: "127.0.0.1:8088", fields)
    }
}
