// Random requests: right and wrong in each of their parts, in any order of their parts, at the limits of time and length,
// and streams beside them; what is answered is on record.

import Fixtures
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import LoopbackWeb

@Suite("Requests at random")
struct RandomizedRequestTests {
    private struct Numbers: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            self.state = self.state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return self.state ^ self.state >> 29
        }

        mutating func pick<Element>(_ elements: [Element]) -> Element { elements.randomElement(using: &self)! }
    }

    private static let uris = [
        "/\(Connection.secret)/", "/\(Connection.secret)/", "/\(Connection.secret)", "/\(Connection.secret)/do/en",
        "/\(Connection.secret)/?a=/b", "/\(Connection.secret)?x", "/\(Connection.secret)#x", "/\(Connection.secret)//",
        "/", "//", "",
        "*", "/abcdefghijklmno/", "/abcdefghijklmnopq/", "/abcdefghijklmnoq/", "http://localhost:8088/",
        "/?\(Connection.secret)/",
    ]
    private static let hosts: [[String]] = [
        ["localhost:8088"], ["localhost:8088"], ["LOCALHOST:8088"], ["127.0.0.1:8088"], ["[::1]:8088"], ["localhost"],
        ["127.0.0.1"],
        ["localhost:80"], ["[::1]"], ["example.org:8088"], ["localhost:8088", "localhost:8088"], [], [""],
        ["localhost:80880"],
    ]
    private static let origins: [[String]] = [
        [], [], ["http://localhost:8088"], ["HTTP://localhost:8088"], ["http://127.0.0.1:8088"],
        ["https://localhost:8088"],
        ["null"], ["http://localhost"], ["http://localhost:8088", "http://localhost:8088"], ["http://[::1]:8088"], [""],
    ]
    private static let types: [[String]] = [
        [], ["application/json"], ["Application/JSON; charset=utf-8"], ["text/plain"],
        ["application/json", "text/plain"], [""],
        [" application/json "], [";application/json"], ["application/jsonx"],
    ]
    private static let sites: [[String]] = [
        [], [], ["same-origin"], ["none"], ["cross-site"], ["same-site"], ["same-origin", "cross-site"], ["cross-site"],
    ]
    private static let methods: [HTTPMethod] = [.GET, .GET, .POST, .POST, .HEAD, .PUT, .OPTIONS, .DELETE]

    private static func head(_ numbers: inout Numbers) -> HTTPRequestHead {
        var headers = HTTPHeaders()
        func add(_ name: String, _ values: [String]) { for value in values { headers.add(name: name, value: value) } }
        // Most parts are right, so that each is decided by one that is not.
        func part(_ right: [String], _ all: [[String]]) -> [String] {
            Int.random(in: 0..<3, using: &numbers) > 0 ? right : numbers.pick(all)
        }
        add("Host", part(["localhost:8088"], self.hosts))
        add("Origin", part(["http://localhost:8088"], self.origins))
        add("Content-Type", part(["application/json"], self.types))
        add("Sec-Fetch-Site", part([], self.sites))
        add("Sec-Fetch-Mode", numbers.pick([[], ["navigate"], ["navigate"], ["cors"], ["navigate", "navigate"]]))
        add("Sec-Fetch-Dest", numbers.pick([[], ["document"], ["document"], ["iframe"]]))
        add("Accept-Language", numbers.pick([[], ["de"], ["de", "en;q=0.5"]]))
        let uri = Int.random(in: 0..<3, using: &numbers) > 0 ? self.uris[0] : numbers.pick(self.uris)
        return HTTPRequestHead(version: .http1_1, method: numbers.pick(self.methods), uri: uri, headers: headers)
    }

    private static func words(_ head: HTTPRequestHead) -> String {
        "\(head.method) \(head.uri) \(head.headers.map { "\($0.name): \($0.value)" })"
    }

    @Test("What becomes of a request by each of its parts", arguments: [8088, 80, 0])
    func verdicts(port: Int) throws {
        var numbers = Numbers(state: UInt64(port))
        let check = RequestCheck(port: port, token: try #require(AccessToken(Connection.secret)))
        for _ in 0..<6_000 {
            let head = Self.head(&numbers)
            let verdict = check.verdict(head)
            RunRecord.note("\(port) \(Self.words(head)) \(verdict)")
            if case .obeyed = verdict {
                #expect(head.uri.hasPrefix("/\(Connection.secret)/") && head.headers["Host"].count == 1)
                #expect(head.method == .GET || head.headers["Origin"].count == 1)
            }
        }
        for refusal in [RequestCheck.Refusal.target, .host, .origin, .token, .method, .contentType] {
            RunRecord.note("\(refusal) \(refusal.status.code) \(refusal.words)")
        }
    }

    @Test("Tokens of each length, with each octet, and what matches one")
    func tokens() throws {
        for count in [0, 1, 15, 16, 17, 127, 128, 129] {
            let token = AccessToken(String(repeating: "a", count: count))
            RunRecord.note("\(count) \(token?.text ?? "none")")
            #expect((token != nil) == (16...128).contains(count))
        }
        let token = try #require(AccessToken(Connection.secret))
        for octet in 0...127 as ClosedRange<UInt8> {
            let text = String(UnicodeScalar(octet)) + Connection.secret
            RunRecord.note("\(octet) \(AccessToken(text)?.text ?? "none")")
            for index in 0..<Connection.secret.utf8.count {
                var octets = Array(Connection.secret.utf8)
                octets[index] = octet
                let isSame = octets == Array(Connection.secret.utf8)
                #expect(token.matches(String(decoding: octets, as: UTF8.self)) == isSame)
            }
        }
        for count in 0...40 {
            #expect(token.matches((Connection.secret + Connection.secret).prefix(count)) == (count == 16))
        }
    }

    @Test("Connections in any order of what is sent, taken and waited for", arguments: 1...16 as ClosedRange<UInt64>)
    func connections(seed: UInt64) throws {
        var numbers = Numbers(state: seed)
        let topics = EventTopics()
        var connections: [Connection] = []
        let responses: [WebResponse?] = [
            .content(type: "text/plain", Array("text".utf8)), .content(type: "a/b", []), .missing, .senseless, nil,
            .events(topic: "en"), .events(topic: "en"), .events(topic: "en"), .events(topic: "de"),
        ]
        for step in 0..<150 {
            let response = numbers.pick(responses)
            if connections.count < 4 || numbers.pick([true, false, false, false, false, false]) {
                connections.append(
                    try Connection(topics: topics) { request, respond in
                        RunRecord.note("\(request)")
                        if let response { respond(response) }
                    }
                )
            }
            let connection = connections[
                connections.count - 1 - Int.random(in: 0..<min(4, connections.count), using: &numbers)
            ]
            if connection.channel.isActive {
                switch Int.random(in: 0..<12, using: &numbers) {
                case 0: try connection.send(Self.head(&numbers))
                case 1, 2: try connection.head(numbers.pick([.GET, .POST]), numbers.pick(["", "do/en", "events/en"]))
                case 3: try connection.body(numbers.pick([0, 1, 4_096, 8_191, 8_192, 8_193]))
                case 4, 5, 6: try connection.end()
                case 7: connection.reader.isSlow = true
                case 8: try connection.reader.take(connection.channel)
                case 9:
                    if numbers.pick([true, false, false]) {
                        connection.channel.pipeline.fireErrorCaught(HTTPParserError.invalidMethod)
                    }
                case 10: if numbers.pick([true, false, false]) { connection.channel.close(promise: nil) }
                default: break
                }
            }
            if numbers.pick([true, false]) { topics.publish([numbers.pick(["en", "en", "de", "fr"]): "\(step)"]) }
            let time: TimeAmount = numbers.pick([
                .zero, .zero, .nanoseconds(1), .milliseconds(1), .seconds(1), .seconds(5),
                .seconds(5) - .nanoseconds(1), .seconds(10),
            ])
            for connection in connections.suffix(6) {
                connection.advance(by: time)
                connection.channel.embeddedEventLoop.run()
                _ = try connection.written()
            }
            RunRecord.note("\(step) \(topics.connectionCount) \(topics.hasRoom) \(topics["en"]?.version ?? 0)")
        }
        for connection in connections { _ = try? connection.channel.finish(acceptAlreadyClosed: true) }
        #expect(topics.connectionCount == 0)
    }
}
