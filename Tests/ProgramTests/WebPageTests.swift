// `eightball web` as real processes, over sockets: what browsers send, and what others would.

import Fixtures
import Foundation
import FoundationNetworking
import Testing

@testable import eightball

@Suite("eightball web")
struct WebPageTests {
    /// A program with a page.
    private struct Page {
        let process: TestProcess
        let port: Int
        let token: String

        init(_ testbed: ProcessTestbed, _ arguments: String...) throws {
            process = try testbed.eightball(["web"] + arguments)
            try process.line(with: "http://")
            let parts = process.lines[0].split(separator: "/")
            token = String(parts[2])
            port = try #require(Int(parts[1].split(separator: ":")[1]))
        }

        /// Sends octets and reads until the program closes the connection, or until a text is there.
        func exchange(_ request: String, until text: String? = nil, isIPv6: Bool = false) throws -> String {
            let socket = try RawSocket.loopback(port: port, isIPv6: isIPv6)
            socket.send(Array(request.utf8))
            var answer: [UInt8] = []
            while true {
                let octets = socket.read(1)
                answer += octets
                if octets.isEmpty { break }
                if octets == [0x0A], let text, String(decoding: answer, as: UTF8.self).contains(text) { break }
            }
            return String(decoding: answer, as: UTF8.self)
        }

        func get(_ path: String, _ fields: String...) throws -> String {
            try exchange("GET /\(token)/\(path) HTTP/1.1\r\n\(head(fields))\r\n")
        }

        func post(_ body: String, _ fields: String...) throws -> String {
            let own = ["Origin: http://127.0.0.1:\(port)", "Content-Type: application/json"]
            let all = fields.isEmpty ? own : fields
            return try exchange(
                "POST /\(token)/do/en HTTP/1.1\r\n\(head(all))Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
            )
        }

        /// Waits for a document that contains a text.
        func document(with text: String, language: String = "en") throws -> String {
            let answer = try exchange("GET /\(token)/events/\(language) HTTP/1.1\r\n\(head([]))\r\n", until: text)
            guard answer.contains(text) else { throw Missing("the document with \(text): \(answer)") }
            return answer
        }

        private func head(_ fields: [String]) -> String {
            (["Host: 127.0.0.1:\(port)"] + fields).map { $0 + "\r\n" }.joined()
        }
    }

    @Test("A question from one page to another, over events and requests; SIGTERM ends with 0, an interrupt with 130")
    func question() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let ball = try Page(testbed, "--name", "Crystal", "--identity", "ball")
        let asker = try Page(testbed, "--identity", "asker")
        #expect(ball.process.lines == ["http://127.0.0.1:\(ball.port)/\(ball.token)/"])
        #expect(try ball.post(#"{"do":"role","role":"peripheral"}"#).hasPrefix("HTTP/1.1 200 "))
        _ = try ball.document(with: "“Crystal” is a Magic 8-Ball now")
        #expect(try asker.post(#"{"do":"role","role":"central"}"#).hasSuffix(#"{"hint":null}"#))
        let found = try asker.document(with: #""name":"Crystal""#)
        let start = try #require(found.firstRange(of: #""balls":[{"id":""#, after: #""Crystal""#))
        let identifier = found[start.upperBound...].prefix { $0 != "\"" }
        func ask(_ question: String) -> String {
            "{\"do\":\"ask\",\"ball\":\"\(identifier)\",\"question\":\"\(question)\"}"
        }
        #expect(try asker.post(ask("Rain")).hasSuffix(#"{"hint":"a question ends with \"?\""}"#))
        #expect(try ball.post(#"{"do":"byHand","isOn":true}"#).hasPrefix("HTTP/1.1 200 "))
        #expect(try asker.post(ask("Will it rain?")).hasSuffix(#"{"hint":null}"#))
        _ = try asker.document(with: "Die Kugel hat die Frage", language: "de")
        #expect(try asker.post(ask("And now?")).contains("it still works on a question"))
        _ = try ball.document(with: #""open":0"#)
        #expect(try ball.post(#"{"do":"answer","entry":0,"answer":16}"#).hasPrefix("HTTP/1.1 200 "))
        _ = try asker.document(with: #""question":"Will it rain?","words":"My reply is no.""#)
        _ = try asker.document(with: #""words":"Meine Antwort ist Nein.""#, language: "de")
        _ = try ball.document(with: #""words":"My reply is no.""#)
        ball.process.send(SIGTERM)
        #expect(try ball.process.end() == 0)
        _ = try asker.document(with: #""gone":"went offline""#)
        asker.process.send(SIGINT)
        #expect(try asker.process.end() == 130)
        #expect(asker.process.lines.count == 1 && ball.process.lines.count == 1)
    }

    @Test("The page's files, in the browser's language, with what protects them")
    func files() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let page = try Page(testbed)
        let german = try page.get("", "Accept-Language: de-DE,de;q=0.9")
        #expect(german.contains("<html lang=\"de\">") && german.contains("Was möchtest du sein?"))
        for field in [
            "Content-Security-Policy: default-src 'none'", "Referrer-Policy: no-referrer", "Cache-Control: no-store",
            "X-Content-Type-Options: nosniff", "Content-Type: text/html; charset=utf-8",
        ] {
            #expect(german.contains("\r\n" + field), "\(field)")
        }
        #expect(try page.get("").contains("<html lang=\"en\">"))
        #expect(try page.get("page.css").contains("\r\nContent-Type: text/css; charset=utf-8\r\n"))
        #expect(try page.get("page.js").contains("new EventSource("))
        #expect(try page.get("icon.svg").contains("image/svg+xml"))
        #expect(try page.get("events/fr").hasPrefix("HTTP/1.1 404 "))
        #expect(try page.get("../page.css").hasPrefix("HTTP/1.1 404 "))
        let moved = try page.exchange("GET /\(page.token) HTTP/1.1\r\nHost: localhost:\(page.port)\r\n\r\n")
        #expect(moved.hasPrefix("HTTP/1.1 308 ") && moved.contains("\r\nLocation: /\(page.token)/\r\n"))
    }

    @Test("A URL session gets the page, and its requests are obeyed only with the page's origin")
    func session() async throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let page = try Page(testbed)
        let url = try #require(URL(string: "http://localhost:\(page.port)/\(page.token)/"))
        let (data, response) = try await URLSession.shared.data(from: url)
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        #expect(String(decoding: data, as: UTF8.self).contains("Magic 8-Ball"))
        var request = URLRequest(url: url.appendingPathComponent("do/en"))
        request.httpMethod = "POST"
        request.httpBody = Data(#"{"do":"role","role":"central"}"#.utf8)
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        for (origin, status) in [(nil, 403), ("http://example.org", 403), ("http://localhost:\(page.port)", 200)] {
            request.setValue(origin, forHTTPHeaderField: "Origin")
            let (_, response) = try await URLSession.shared.data(for: request)
            #expect((response as? HTTPURLResponse)?.statusCode == status)
        }
    }

    @Test("Nobody else is obeyed: other names, other origins, no token, too much, no HTTP")
    func refusals() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let page = try Page(testbed)
        let role = #"{"do":"role","role":"central"}"#
        let host = "Host: 127.0.0.1:\(page.port)\r\n"
        let json = "Content-Type: application/json"
        #expect(
            try page.exchange("GET /\(page.token)/ HTTP/1.1\r\nHost: example.org\r\n\r\n").hasPrefix("HTTP/1.1 421 ")
        )
        #expect(try page.exchange("GET / HTTP/1.1\r\n\(host)\r\n").hasPrefix("HTTP/1.1 403 "))
        #expect(try page.get("events/en", "Origin: http://example.org").hasPrefix("HTTP/1.1 403 "))
        #expect(try page.post(role, "Origin: http://example.org", json).hasPrefix("HTTP/1.1 403 "))
        #expect(try page.post(role, "Origin: null", json).hasPrefix("HTTP/1.1 403 "))
        #expect(try page.post(role, "Origin: http://127.0.0.1:\(page.port)").hasPrefix("HTTP/1.1 415 "))
        #expect(try page.post(String(repeating: " ", count: 9000)).hasPrefix("HTTP/1.1 413 "))
        #expect(try page.post("rain").hasPrefix("HTTP/1.1 400 "))
        #expect(try page.exchange("rain\r\n\r\n").hasPrefix("HTTP/1.1 400 "))
        let long = String(repeating: "x", count: 200_000)
        #expect(try !page.exchange("GET /\(long) HTTP/1.1\r\n\(host)\r\n").contains("200 OK"))
        #expect(try !page.exchange("GET /\(page.token)/ HTTP/1.1\r\n\(host)X: \(long)\r\n\r\n").contains("200 OK"))
        let preflight = "OPTIONS /\(page.token)/do/en HTTP/1.1\r\n\(host)Origin: http://example.org\r\n\r\n"
        #expect(try !page.exchange(preflight).contains("Access-Control"))
        _ = try page.document(with: #""role":null"#)
    }

    @Test("Many connections that send nothing leave room again, and readers that read nothing hold nobody up")
    func manyConnections() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let page = try Page(testbed)
        let request = Array("GET /\(page.token)/events/en HTTP/1.1\r\nHost: localhost:\(page.port)\r\n\r\n".utf8)
        var sockets = try (0..<200).map { _ in try RawSocket.loopback(port: page.port) }
        for socket in sockets.prefix(40) { socket.send(request) }
        sockets.removeAll()
        try eventually("room") { (try? page.get("")).map { $0.hasPrefix("HTTP/1.1 200 ") } ?? false }
    }

    @Test("Only loopback is listened at")
    func loopback() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let page = try Page(testbed)
        let digits = String(page.port, radix: 16, uppercase: true)
        let port = ":" + String(repeating: "0", count: 4 - digits.count) + digits
        var addresses: Set<String> = []
        for path in ["/proc/net/tcp", "/proc/net/tcp6"] {
            for line in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").dropFirst() {
                let fields = line.split(separator: " ")
                // 0A: it listens.
                guard fields[3] == "0A", fields[1].hasSuffix(port) else { continue }
                addresses.insert(String(fields[1].dropLast(port.count)))
            }
        }
        #expect(addresses.contains("0100007F"))
        #expect(addresses.isSubset(of: ["0100007F", "00000000000000000000000001000000"]))
        if addresses.count == 2 {
            let request = "GET /\(page.token)/ HTTP/1.1\r\nHost: [::1]:\(page.port)\r\n\r\n"
            #expect(try page.exchange(request, isIPv6: true).hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test("A port that is taken ends the program with one line; after kill -9 the page is back at its address")
    func port() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let page = try Page(testbed, "--token", "a-token-of-my-own")
        #expect(page.token == "a-token-of-my-own")
        let other = try testbed.eightball("web", "--port", "\(page.port)", "--identity", "other")
        #expect(try other.end() == 1)
        #expect(other.lines.isEmpty && other.errorLines.count == 1)
        try other.errorLine(with: "eightball: another program has port \(page.port); choose another one with --port")
        page.process.send(SIGKILL)
        _ = try page.process.end()
        let again = try Page(testbed, "--port", "\(page.port)", "--token", "a-token-of-my-own")
        #expect(again.process.lines == page.process.lines)
        #expect(try again.get("").hasPrefix("HTTP/1.1 200 "))
    }

    @Test(
        "Wrong options",
        arguments: [
            ["--port", "65536"], ["--port", "-1"], ["--token", "short"], ["--token", "a/slash/in/a/token"],
            ["--name", ""],
        ]
    )
    func options(arguments: [String]) throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        #expect(try testbed.eightball(["web"] + arguments).end() == 2)
    }
}

extension RawSocket {
    /// Connects to a port on loopback.
    fileprivate static func loopback(port: Int, isIPv6: Bool = false) throws -> RawSocket {
        let descriptor = socket(isIPv6 ? AF_INET6 : AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        let result: CInt
        if isIPv6 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = in_port_t(port).bigEndian
            address.sin6_addr = in6addr_loopback
            result = withUnsafeBytes(of: address) {
                connect(descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
            }
        } else {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = in_port_t(port).bigEndian
            address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
            result = withUnsafeBytes(of: address) {
                connect(descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
            }
        }
        let connected = RawSocket(descriptor: descriptor)
        guard result == 0 else { throw Missing("port \(port)") }
        return connected
    }
}

extension String {
    /// The last place of a text before another one.
    fileprivate func firstRange(of text: String, after other: String) -> Range<String.Index>? {
        contains(other) ? range(of: text, options: .backwards) : nil
    }
}
