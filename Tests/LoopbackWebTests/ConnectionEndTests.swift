// How a connection ends, and who has the ports: what the peer of a connection sees of it, and a port that is free for
// one family of addresses alone.

import Fixtures
import Foundation
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import LoopbackWeb

@Suite("The end of a connection")
struct ConnectionEndTests {
    /// Notes how the connection is closed; one whose output alone is closed stays, as a socket does.
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

    /// A connection that notes how it is closed.
    private func connection(_ response: WebResponse?) throws -> (Connection, CloseRecorder) {
        let connection = try Connection { _, respond in
            if let response { respond(response) }
        }
        let recorder = CloseRecorder()
        try connection.channel.pipeline.syncOperations.addHandler(recorder, position: .first)
        return (connection, recorder)
    }

    @Test(
        "Behind its answer nothing is sent any more, and the peer has ten seconds to close",
        arguments: [.missing, .senseless, .content(type: "text/plain", [0x61])] as [WebResponse]
    )
    func answered(response: WebResponse) throws {
        let (connection, recorder) = try connection(response)
        try connection.head()
        connection.advance(by: .seconds(7))
        #expect(recorder.modes.isEmpty)
        try connection.end()
        #expect(recorder.modes == ["output"])
        let status = try connection.written().status
        #expect(status != nil && connection.channel.isActive)
        connection.advance(by: .seconds(10) - .nanoseconds(1))
        #expect(recorder.modes == ["output"] && connection.channel.isActive)
        connection.advance(by: .nanoseconds(1))
        #expect(recorder.modes == ["output", "all"] && !connection.channel.isActive)
    }

    @Test("A refused request ends in the same way, and its body is nothing to anybody")
    func refused() throws {
        let (connection, recorder) = try connection(nil)
        try connection.send(HTTPRequestHead(version: .http1_1, method: .GET, uri: "/", headers: ["Host": "x"]))
        #expect(recorder.modes == ["output"])
        try connection.body(10)
        try connection.end()
        #expect(try connection.written().status == .misdirectedRequest)
        connection.advance(by: .seconds(10))
        #expect(recorder.modes == ["output", "all"])
    }

    @Test("A stream is not closed as long as it is read, and has no time limit of a request")
    func stream() throws {
        let (connection, recorder) = try connection(.events(topic: "en"))
        try connection.head()
        try connection.end()
        let (status, fields, _) = try connection.written()
        #expect(status == .ok && fields["Content-Length"].isEmpty)
        for _ in 0..<20 {
            connection.advance(by: .seconds(5))
            let text = try connection.written().text
            #expect(text == "event: beat\ndata: 0\n\n")
        }
        #expect(recorder.modes.isEmpty && connection.channel.isActive)
        connection.reader.isSlow = true
        connection.topics.publish(["en": "1"])
        connection.advance(by: .seconds(30))
        #expect(recorder.modes == ["all"])
    }

    @Test("Each answer says to the browser what protects the page", arguments: [true, false])
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
}
