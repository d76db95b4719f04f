// A connection in virtual time: parts of a request go in, parts of an answer come out.

import Fixtures
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import LoopbackWeb

@Suite("A connection of a browser")
struct ConnectionHandlerTests {
    @Test("passes a request to the program, and its answer to the browser")
    func answer() throws {
        let connection = try Connection { request, respond in
            #expect(request == WebRequest(intent: .post(Array("  ".utf8)), path: "do", languages: "de"))
            respond(.content(type: "text/plain", Array("done".utf8)))
        }
        try connection.head(.POST, "do")
        try connection.body(2)
        try connection.end()
        let (status, fields, text) = try connection.written()
        #expect(status == .ok && text == "done")
        #expect(fields["Content-Type"] == ["text/plain"] && fields["Content-Length"] == ["4"])
    }

    @Test("accepts a body of 8,192 octets in any number of parts, and refuses a longer one", arguments: [8_192, 8_193])
    func body(count: Int) throws {
        for parts in [1, 2] {
            let connection = try Connection { request, respond in
                #expect(request.intent == .post(Array(repeating: 0x20, count: 8_192)))
                respond(.content(type: "text/plain", []))
            }
            try connection.head(.POST, "do")
            if parts > 1 { try connection.body(1) }
            try connection.body(count - parts + 1)
            try connection.end()
            #expect(try connection.written().status == (count == 8_192 ? .ok : .payloadTooLarge))
        }
    }

    @Test("closes after ten seconds without a whole request", arguments: [0, 1, 2])
    func slowRequest(parts: Int) throws {
        let connection = try Connection { _, _ in }
        if parts > 0 { try connection.head(.POST, "do") }
        if parts > 1 { try connection.body(10) }
        #expect(connection.topics.connectionCount == 1)
        connection.advance(by: .seconds(10) - .nanoseconds(1))
        #expect(connection.channel.isActive)
        connection.advance(by: .nanoseconds(1))
        #expect(!connection.channel.isActive)
        #expect(connection.topics.connectionCount == 0)
    }

    @Test("closes after ten seconds without an answer of the program")
    func slowAnswer() throws {
        let connection = try Connection { _, _ in }
        connection.advance(by: .seconds(9))
        try connection.head()
        try connection.end()
        connection.advance(by: .seconds(10) - .nanoseconds(1))
        #expect(connection.channel.isActive)
        connection.advance(by: .nanoseconds(1))
        #expect(!connection.channel.isActive)
        #expect(try connection.written().status == nil)
    }

    @Test("answers what is not HTTP if it comes first, and closes if it comes later")
    func ill() throws {
        let connection = try Connection { _, _ in }
        connection.channel.pipeline.fireErrorCaught(HTTPParserError.invalidMethod)
        let (status, fields, text) = try connection.written()
        #expect(status == .badRequest && text == "This is not HTTP.\n")
        #expect(fields["Content-Type"] == ["text/plain; charset=utf-8"] && fields["Connection"] == ["close"])
        let later = try Connection { _, _ in }
        try later.head(.POST, "do")
        later.channel.pipeline.fireErrorCaught(HTTPParserError.invalidMethod)
        #expect(try later.written().status == nil)
        #expect(!later.channel.isActive)
        let other = try Connection { _, _ in }
        other.channel.pipeline.fireErrorCaught(ChannelError.inputClosed)
        #expect(try other.written().status == nil)
        #expect(!other.channel.isActive)
    }

    @Test("ignores everything after the first request, and a body without a head")
    func behind() throws {
        let connection = try Connection { request, respond in
            #expect(request.intent == .get && request.path == "")
            respond(.content(type: "text/plain", []))
        }
        try connection.body(2)
        try connection.end()
        #expect(try connection.written().status == nil)
        try connection.head()
        try connection.head(.POST, "do")
        try connection.end()
        #expect(try connection.written().status == .ok)
        try connection.head(.POST, "do")
        try connection.end()
        #expect(try connection.written().status == nil)
    }

    @Test("redirects an address without its last slash")
    func redirected() throws {
        let connection = try Connection { _, _ in Issue.record("the program was asked") }
        let uri = "/" + Connection.secret
        let fields: HTTPHeaders = ["Host": "localhost:8088"]
        try connection.send(HTTPRequestHead(version: .http1_1, method: .GET, uri: uri, headers: fields))
        try connection.end()
        let (status, answer, text) = try connection.written()
        #expect(status == .permanentRedirect && answer["Location"] == [uri + "/"] && text == "\n")
    }

    private static let refusals: [(RequestCheck.Refusal, UInt, String)] = [
        (.target, 400, "The target of a request must be a path."),
        (.host, 421, "The page has another host name: open the address that the program has printed."),
        (.origin, 403, "Pages of other origins may not use this one."),
        (.token, 403, "The token is missing: open the address that the program has printed."),
        (.method, 405, "Only GET and POST are allowed."), (.contentType, 415, "A POST must be application/json."),
    ]

    @Test("answers each refusal with its status and its text, before a body comes")
    func answers() throws {
        let right = [
            ("Host", "localhost:8088"), ("Origin", "http://localhost:8088"), ("Content-Type", "application/json"),
        ]
        func answer(_ method: HTTPMethod, _ uri: String, without name: String? = nil) throws -> Connection {
            let connection = try Connection { _, _ in Issue.record("the program was asked") }
            let fields = HTTPHeaders(right.filter { $0.0 != name })
            try connection.send(HTTPRequestHead(version: .http1_1, method: method, uri: uri, headers: fields))
            return connection
        }
        let page = "/\(Connection.secret)/"
        let connections = [
            try answer(.POST, "*"), try answer(.POST, page, without: "Host"),
            try answer(.POST, page, without: "Origin"), try answer(.POST, "/x/"), try answer(.PUT, page),
            try answer(.POST, page, without: "Content-Type"),
        ]
        for (connection, (refusal, status, words)) in zip(connections, Self.refusals) {
            connection.channel.embeddedEventLoop.run()
            let (code, fields, text) = try connection.written()
            #expect(code?.code == status && refusal.words == words && text == words + "\n", "\(refusal)")
            #expect(fields["Content-Type"] == ["text/plain; charset=utf-8"])
            #expect(fields["Content-Length"] == [String(words.utf8.count + 1)])
        }
    }

    @Test("gives a new connection the place of the oldest one without the token if all sixty-four are taken")
    func connectionLimit() throws {
        let topics = EventTopics()
        let all = try (0..<EventTopics.connectionLimit).map { _ in try Connection(topics: topics) { _, _ in } }
        try all[0].head()
        let owner = try Connection(topics: topics) { _, respond in respond(.missing) }
        #expect(topics.connectionCount == EventTopics.connectionLimit)
        #expect(all.map(\.channel.isActive) == [true, false] + Array(repeating: true, count: 62))
        try owner.head()
        try owner.end()
        #expect(try owner.written().status == .notFound)
    }

    @Test("keeps the places of connections with the token, and closes another connection at once")
    func fullOfKept() throws {
        let topics = EventTopics()
        let all = try (0..<EventTopics.connectionLimit).map { _ in try Connection(topics: topics) { _, _ in } }
        for connection in all { try connection.head() }
        let last = try Connection(topics: topics) { _, _ in }
        defer { withExtendedLifetime(last) {} }
        #expect(topics.connectionCount == EventTopics.connectionLimit && all.allSatisfy(\.channel.isActive))
        try all[0].channel.close().wait()
        all[0].channel.embeddedEventLoop.run()
        let next = try Connection(topics: topics) { _, _ in }
        #expect(next.channel.isActive && topics.connectionCount == EventTopics.connectionLimit)
    }

    @Test("ignores a second answer, and documents after its end")
    func late() throws {
        let connection = try Connection { _, respond in
            respond(.missing)
            respond(.senseless)
        }
        try connection.head()
        try connection.end()
        #expect(try connection.written().status == .notFound)
        #expect(try connection.written().status == nil)
        let closed = try Connection { _, _ in }
        try closed.head()
        try closed.end()
        try closed.channel.close().wait()
        closed.topics.publish(["en": "1"])
    }

    // MARK: The end

    /// Records how the connection is closed; if only its output is closed, it stays open, as a socket does.
    private final class CloseRecorder: ChannelOutboundHandler {
        typealias OutboundIn = HTTPServerResponsePart
        typealias OutboundOut = HTTPServerResponsePart
        private(set) var modes: [String] = []

        func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
            modes.append("\(mode)")
            guard case .all = mode else {
                promise?.succeed(())
                return
            }
            context.close(mode: mode, promise: promise)
        }
    }

    /// A connection that records how it is closed.
    private func connection(_ response: WebResponse?) throws -> (Connection, CloseRecorder) {
        let connection = try Connection { _, respond in
            if let response { respond(response) }
        }
        let recorder = CloseRecorder()
        try connection.channel.pipeline.syncOperations.addHandler(recorder, position: .first)
        return (connection, recorder)
    }

    @Test(
        "closes its output after the answer, and the rest if the peer has not closed after ten seconds",
        arguments: [(.missing, 404), (.senseless, 400), (.content(type: "text/plain", [0x61]), 200)]
            as [(WebResponse, UInt)]
    )
    func answered(response: WebResponse, code: UInt) throws {
        let (connection, recorder) = try connection(response)
        try connection.head()
        connection.advance(by: .seconds(7))
        #expect(recorder.modes.isEmpty)
        try connection.end()
        #expect(recorder.modes == ["output"])
        let status = try connection.written().status
        #expect(status?.code == code && connection.channel.isActive)
        connection.advance(by: .seconds(10) - .nanoseconds(1))
        #expect(recorder.modes == ["output"] && connection.channel.isActive)
        connection.advance(by: .nanoseconds(1))
        #expect(recorder.modes == ["output", "all"] && !connection.channel.isActive)
    }

    @Test("closes a refused request in the same way, and ignores its body")
    func refusedEnd() throws {
        let (connection, recorder) = try connection(nil)
        try connection.send(HTTPRequestHead(version: .http1_1, method: .GET, uri: "/", headers: ["Host": "x"]))
        #expect(recorder.modes == ["output"])
        try connection.body(10)
        try connection.end()
        #expect(try connection.written().status == .misdirectedRequest)
        connection.advance(by: .seconds(10))
        #expect(recorder.modes == ["output", "all"])
    }

    @Test("sends the header fields that protect the page with each answer", arguments: [true, false])
    func protection(isStream: Bool) throws {
        let (connection, _) = try connection(isStream ? .events(topic: "en") : .missing)
        try connection.head()
        try connection.end()
        let fields = try connection.written().fields
        let expected = [
            "Cache-Control: no-store", "Connection: close",
            "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
                + "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            "Cross-Origin-Opener-Policy: same-origin", "Cross-Origin-Resource-Policy: same-origin",
            "Referrer-Policy: no-referrer", "X-Content-Type-Options: nosniff", "X-Frame-Options: DENY",
        ]
        let shown = fields.map { "\($0.name): \($0.value)" }
        // The names are sorted.
        #expect(shown.filter { !$0.hasPrefix("Content-Type") && !$0.hasPrefix("Content-Length") } == expected)
        #expect(shown.count == (isStream ? 9 : 10) && shown == shown.sorted())
    }

    /// The state of a connection when it ends.
    enum Progress: CaseIterable {
        case idle
        case receiving
        case answering
        case streaming
    }

    @Test(
        "is deallocated once its peer has closed it, before its deadline",
        arguments: Progress.allCases
    )
    func released(stage: Progress) throws {
        let connection = try Connection { _, respond in
            if stage == .streaming { respond(.events(topic: "en")) }
        }
        weak var handler: ConnectionHandler?
        do { handler = try connection.channel.pipeline.syncOperations.handler(type: ConnectionHandler.self) }
        if stage != .idle { try connection.head() }
        if stage != .idle, stage != .receiving { try connection.end() }
        connection.advance(by: .seconds(1))
        #expect(handler != nil && connection.topics.connectionCount == 1)
        try connection.channel.close().wait()
        connection.channel.embeddedEventLoop.run()
        #expect(handler == nil && connection.topics.connectionCount == 0)
    }
}
