// One connection of a browser, with one request and one answer: a document, or a stream of events that lasts as long as
// the page is open. The page's files are small and local, so reusing a connection would gain nothing.
//
//     awaiting ── head ──▶ receiving ── end ──▶ answering ── document ──▶ ended
//        └────── refused, ill-formed, too late ─────▶ ended   └── events ──▶ streaming ──▶ ended
//
// awaiting: nothing received. receiving: the head is received and allowed, the body is not complete. answering: the
// program handles the request. streaming: documents are sent, one at a time, always the newest; beats show that the
// program is alive. ended: the last octets are sent, then the connection is closed.
//
// A peer can send slowly or too much (the connection ends), read slowly (documents are skipped, then the connection
// ends), and open many connections: if there is no room, the oldest connection that has not shown the token ends for a
// new one, so a browser that has the token gets a place. Deadlines are tasks of the event loop.

import NIOCore
import NIOHTTP1

/// Speaks HTTP with one browser.
final class ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart
    /// Handles a request, and gives the answer once, on any thread.
    typealias Responder = @Sendable (WebRequest, @escaping @Sendable (WebResponse) -> Void) -> Void

    /// The most octets of a body.
    static let bodyLimit = 8192
    /// The time limits for receiving a request, sending an answer, and handling the request.
    static let timeLimit = TimeAmount.seconds(10)
    /// The time between two beats of a stream, and the number of beats that may pass while a document is not accepted.
    static let beatTime = TimeAmount.seconds(5)
    static let beatLimit = 6

    private enum State {
        case awaiting
        case receiving(HTTPRequestHead, path: String, body: ByteBuffer)
        case answering
        case streaming(Stream)
        case ended
    }

    /// The sending state of a topic.
    private struct Stream {
        let topic: String
        /// The document that was sent last.
        var version = 0
        /// Whether octets are being sent, and the number of beats since.
        var isSending = false
        var missedBeats = 0
    }

    private let check: RequestCheck
    private let topics: EventTopics
    private let respond: Responder
    private var state = State.awaiting
    private var context: ChannelHandlerContext?
    /// Whether the connection has a place among those that are served.
    private var isOpen = false
    /// The deadline of the current state, or a stream's next beat.
    private var deadline: Scheduled<Void>?

    init(check: RequestCheck, topics: EventTopics, respond: @escaping Responder) {
        self.check = check
        self.topics = topics
        self.respond = respond
    }

    // MARK: The connection

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        guard self.topics.open(self) else {
            self.state = .ended
            return context.close(promise: nil)
        }
        self.isOpen = true
        self.limitTime(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.leave()
        self.context = nil
        self.state = .ended
    }

    private func leave() {
        guard self.isOpen else { return }
        self.isOpen = false
        self.topics.close(self)
        self.deadline?.cancel()
    }

    /// Ends in favour of another connection, whose request may have the token that this one has not shown.
    func makeRoom() {
        self.leave()
        self.state = .ended
        self.context?.close(promise: nil)
    }

    /// Closes the connection unless something else happens in time.
    private func limitTime(_ context: ChannelHandlerContext) {
        self.deadline?.cancel()
        self.deadline = context.eventLoop.assumeIsolated().scheduleTask(in: Self.timeLimit) {
            context.close(promise: nil)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard error is HTTPParserError, case .awaiting = self.state else { return context.close(promise: nil) }
        self.end(context, .badRequest, "This is not HTTP.")
    }

    // MARK: The request

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch (self.unwrapInboundIn(data), self.state) {
        case (.head(let head), .awaiting): self.received(head, context)
        case (.body(let part), .receiving(let head, let path, var body)):
            guard body.readableBytes + part.readableBytes <= Self.bodyLimit else {
                return self.end(context, .payloadTooLarge, "The request is too long.")
            }
            self.state = .awaiting
            body.writeImmutableBuffer(part)
            self.state = .receiving(head, path: path, body: body)
        case (.end, .receiving(let head, let path, let body)): self.pass(head, path, body, context)
        // Everything after the first request is ignored.
        case (.head, _), (.body, _), (.end, _): break
        }
    }

    private func received(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        switch self.check.verdict(head) {
        case .obeyed(let path):
            self.topics.keep(self)
            self.state = .receiving(head, path: path, body: ByteBuffer())
        case .slashMissing:
            // Relative to the address that the browser has, as RFC 9110, 10.2.2 permits.
            self.end(context, .permanentRedirect, "", ["Location": "/\(self.check.token.text)/"])
        case .refused(let refusal): self.end(context, refusal.status, refusal.words)
        }
    }

    private func pass(_ head: HTTPRequestHead, _ path: String, _ body: ByteBuffer, _ context: ChannelHandlerContext) {
        self.state = .answering
        self.limitTime(context)
        let request = WebRequest(
            intent: head.method == .GET ? .get : .post(Array(body.readableBytesView)),
            path: path,
            languages: head.headers["Accept-Language"].joined(separator: ",")
        )
        let loop = context.eventLoop
        let handler = NIOLoopBound(self, eventLoop: loop)
        self.respond(request) { response in loop.execute { handler.value.answer(response) } }
    }

    // MARK: The answer

    private func answer(_ response: WebResponse) {
        guard let context, case .answering = self.state else { return }
        switch response {
        case .content(let type, let octets):
            self.end(context, .ok, ["Content-Type": type], ByteBuffer(bytes: octets))
        case .missing: self.end(context, .notFound, "There is nothing at this address.")
        case .senseless: self.end(context, .badRequest, "The request is invalid.")
        case .events(let topic): self.beginStream(topic, context)
        }
    }

    private func end(
        _ context: ChannelHandlerContext,
        _ status: HTTPResponseStatus,
        _ words: String,
        _ headers: [String: String] = [:]
    ) {
        let headers = headers.merging(["Content-Type": "text/plain; charset=utf-8"]) { $1 }
        self.end(context, status, headers, ByteBuffer(string: words + "\n"))
    }

    private func end(
        _ context: ChannelHandlerContext,
        _ status: HTTPResponseStatus,
        _ headers: [String: String],
        _ body: ByteBuffer
    ) {
        self.state = .ended
        self.limitTime(context)
        let length = ["Content-Length": String(body.readableBytes)]
        self.writeHead(context, status, headers.merging(length) { $1 })
        context.write(self.wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        context.writeAndFlush(self.wrapOutboundOut(.end(nil))).assumeIsolated().whenComplete { _ in
            // Closing a connection with unread octets would lose the last ones sent, so the browser closes it, or the
            // time limit.
            context.close(mode: .output, promise: nil)
        }
    }

    private func writeHead(
        _ context: ChannelHandlerContext,
        _ status: HTTPResponseStatus,
        _ headers: [String: String]
    ) {
        let all = headers.merging(Self.protectiveHeaders) { $1 }
        let fields = HTTPHeaders(all.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
        let head = HTTPResponseHead(version: .http1_1, status: status, headers: fields)
        context.write(self.wrapOutboundOut(.head(head)), promise: nil)
    }

    /// The headers of every answer, which tell the browser to run only the page's own files, show the page in no frame,
    /// send its address to nobody, and store nothing.
    static let protectiveHeaders = [
        "Connection": "close",
        "Cache-Control": "no-store",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
            + "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ]

    // MARK: The stream of events

    private func beginStream(_ topic: String, _ context: ChannelHandlerContext) {
        guard self.topics.add(self) else {
            return self.end(context, .serviceUnavailable, "Too many pages are open.")
        }
        self.deadline?.cancel()
        self.state = .streaming(Stream(topic: topic))
        self.writeHead(context, .ok, ["Content-Type": "text/event-stream; charset=utf-8"])
        context.flush()
        self.awaitBeat(context)
        self.sendNewest()
    }

    /// Sends the topic's document, unless it was sent already or another one is still being sent.
    func sendNewest() {
        guard case .streaming(var stream) = self.state, !stream.isSending, let document = self.topics[stream.topic],
            document.version != stream.version
        else { return }
        stream.version = document.version
        self.send(document.buffer, stream)
    }

    private func awaitBeat(_ context: ChannelHandlerContext) {
        let loop = context.eventLoop.assumeIsolated()
        self.deadline = loop.scheduleTask(in: Self.beatTime) { [weak self] in self?.beat() }
    }

    private func beat() {
        guard let context, case .streaming(var stream) = self.state else { return }
        self.awaitBeat(context)
        guard stream.isSending else {
            // From the version a page that was asleep learns that it missed a document.
            return self.send(ByteBuffer(string: "event: beat\ndata: \(stream.version)\n\n"), stream)
        }
        stream.missedBeats += 1
        self.state = .streaming(stream)
        if stream.missedBeats >= Self.beatLimit { context.close(promise: nil) }
    }

    private func send(_ buffer: ByteBuffer, _ stream: Stream) {
        guard let context else { return }
        var stream = stream
        stream.isSending = true
        stream.missedBeats = 0
        self.state = .streaming(stream)
        let written = context.writeAndFlush(self.wrapOutboundOut(.body(.byteBuffer(buffer))))
        written.assumeIsolated().whenSuccess { [weak self] in self?.sent() }
    }

    private func sent() {
        guard case .streaming(var stream) = self.state else { return }
        stream.isSending = false
        self.state = .streaming(stream)
        self.sendNewest()
    }
}
