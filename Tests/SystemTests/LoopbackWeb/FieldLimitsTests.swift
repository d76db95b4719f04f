import Testing

@testable import LoopbackWeb

@Suite("The limits of the fields of a request")
struct FieldLimitsTests {
    /// The first line of the answer to a request for a path of one letter.
    private func status(_ port: Int, _ fields: [(name: String, length: Int)]) throws -> String {
        let lines = fields.map { "\($0.name): \(String(repeating: "a", count: $0.length))\r\n" }.joined()
        return try statusLine(port, lines)
    }

    @Test("The value of a field has 16,384 octets at most, and target, names and values together have 65,536")
    func lengths() throws {
        let token = try #require(AccessToken("abcdefghijklmnop"))
        let server = WebServer(token: token) { _, respond in respond(.content(type: "text/plain", [])) }
        let port = try pagePort(try server.start(port: 0))
        #expect(try status(port, [("A", 16_384)]) == "HTTP/1.1 200 OK")
        #expect(try status(port, [("A", 16_385)]) != "HTTP/1.1 200 OK")
        // The target, the Host with its value, and four fields with names of one letter.
        let others = "/abcdefghijklmnop/x".utf8.count + "Host".utf8.count + "localhost:\(port)".utf8.count + 4
        let rest = 65_536 - others - 3 * 16_384
        let fields = [("A", 16_384), ("B", 16_384), ("C", 16_384)]
        #expect(try status(port, fields + [("D", rest)]) == "HTTP/1.1 200 OK")
        #expect(try status(port, fields + [("D", rest + 1)]) != "HTTP/1.1 200 OK")
    }
}
