// The handler that carries H4 over a stream of octets in a SwiftNIO channel: inbound octets become packets, and
// the outbound packets of one turn of the loop become one write.
//
// An outbound packet costs one copy into a buffer that is reused turn after turn, no promise and no write of
// its own. It is flushed when the turn ends or, if it is sent while a batch is delivered, when the batch ends.
// Inbound packets are slices of the read buffers.

import BluetoothHCI
import NIOCore

/// The pipeline's end of an ``H4Channel``.
final class H4Stream: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Why the stream ended.
    private enum End {
        /// The other end has closed.
        case closed
        /// The system has reported an error.
        case failed(String)
    }

    /// When sent packets are flushed.
    private enum Departure {
        /// When the turn of the loop ends.
        case withTurn
        /// When the batch that is being delivered ends.
        case withBatch
        /// When the body of `sendTogether` has ended.
        case withBody
    }

    private enum State {
        /// There is no receiver yet, and reading is paused. Octets that the system delivers nevertheless, when the
        /// other end has closed, stay in the framer.
        case held(readIsWanted: Bool, end: End?)
        /// Packets are delivered.
        case running(Departure)
        /// Nothing is delivered or sent any more.
        case closed
    }

    /// The number of octets that are passed to the channel before the turn ends.
    private static let chunkSize = 32 * 1024
    /// The number of octets that a serial line may bring before the first packet: more than a starting chip sends.
    static let strayLimit = 16 * 1024

    /// The channel that users retain.
    ///
    /// It owns this object and not the other way round, so that a channel that nobody retains closes.
    @exclusivity(unchecked) weak var owner: H4Channel?
    /// Called when ``isWritable`` has changed.
    var writabilityChanged: ((Bool) -> Void)?
    var isWritable: Bool { self.context?.channel.isWritable ?? false }
    /// Called once, when a server's connection is active.
    var whenActive: (() -> Void)?

    private let eventLoop: any EventLoop
    private let medium: H4Medium
    /// The number of unsent octets at which the connection ends.
    private let writeQueueLimit: Int
    /// The unsent octets of all connections of a server.
    private let backlog: H4Backlog?
    @exclusivity(unchecked) private var state = State.held(readIsWanted: false, end: nil)
    @exclusivity(unchecked) private var framer: H4Framer
    // The number of octets discarded before the first packet.
    private var strayOctetCount = 0
    @exclusivity(unchecked) private var context: ChannelHandlerContext?
    @exclusivity(unchecked) private var outgoing = ByteBuffer()
    // Whether something was sent since the last flush.
    private var hasOutgoing = false

    init(
        receivingFrom sender: H4Framer.Sender,
        over medium: H4Medium = .socket,
        on eventLoop: any EventLoop,
        writeQueueLimit: Int = H4Channel.defaultWriteQueueLimit,
        backlog: H4Backlog? = nil
    ) {
        self.writeQueueLimit = writeQueueLimit
        self.backlog = backlog
        self.eventLoop = eventLoop
        self.medium = medium
        self.framer = H4Framer(
            readingFrom: sender,
            isInStep: medium.beginsWithPacket,
            // Only on a serial line do chips mix vendor protocols with H4.
            skipsVendorOctets: !medium.beginsWithPacket
        )
    }

    private var otherEnd: String {
        switch self.framer.sender {
        case .host: "the host"
        case .controller: "the controller"
        }
    }

    // MARK: What the owner asks for

    /// Starts delivery, in a later turn of the loop.
    func start() {
        guard case .held(let readIsWanted, let end) = self.state else { return }
        self.state = .running(.withTurn)
        self.eventLoop.assumeIsolated().execute {
            // After an early end of the stream, octets are already in the framer.
            self.deliver()
            self.finishBatch()
            if let end {
                self.finish(self.reason(of: end))
            } else if case .running = self.state, readIsWanted {
                self.context?.read()
            }
        }
    }

    /// Sends octets at the end of the turn.
    func send(_ bytes: ByteBuffer) {
        if case .closed = self.state { return }
        guard let context else { return }
        if !self.hasOutgoing {
            self.hasOutgoing = true
            // The last turn's write has released the storage, so this does not allocate.
            self.outgoing.clear()
            self.scheduleFlush()
        }
        self.outgoing.writeImmutableBuffer(bytes)
        if self.outgoing.readableBytes >= Self.chunkSize {
            // No flush: it could report a broken connection inside this call.
            context.write(self.wrapOutboundOut(self.outgoing), promise: nil)
            self.outgoing = context.channel.allocator.buffer(capacity: Self.chunkSize)
        }
    }

    /// Runs `body`, then flushes, unless the end of a batch will do so.
    func sendTogether(_ body: () -> Void) {
        guard case .running(.withTurn) = self.state else { return body() }
        self.state = .running(.withBody)
        body()
        if case .running(.withBody) = self.state { self.state = .running(.withTurn) }
        if let context { self.flushNow(context) }
    }

    /// Closes the stream after a flush, without a report.
    func close() {
        if case .closed = self.state { return }
        if let context { self.flush(context) }
        self.state = .closed
        self.context?.close(promise: nil)
    }

    /// Closes the stream and reports it as if the other end had closed it.
    func abandon(_ reason: String) { self.finish(reason) }

    // MARK: The way out

    private func scheduleFlush() {
        switch self.state {
        case .running(.withBatch), .running(.withBody): return
        case .held, .running(.withTurn), .closed: break
        }
        self.eventLoop.assumeIsolated().execute {
            if let context = self.context { self.flushNow(context) }
        }
    }

    private func flushNow(_ context: ChannelHandlerContext) {
        self.flush(context)
        self.checkBacklog(context)
    }

    private func flush(_ context: ChannelHandlerContext) {
        guard self.hasOutgoing else { return }
        self.hasOutgoing = false
        if self.outgoing.readableBytes > 0 {
            context.write(self.wrapOutboundOut(self.outgoing), promise: nil)
        }
        context.flush()
    }

    /// Closes the connection if there are too many unsent octets.
    private func checkBacklog(_ context: ChannelHandlerContext) {
        guard case .running = self.state, !context.channel.isWritable,
            let count = try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)
        else { return }
        let isOverShare = self.backlog?.isOverShare(ObjectIdentifier(self), count) ?? false
        guard count >= self.writeQueueLimit || isOverShare else { return }
        self.finish("\(self.otherEnd) does not read what is sent to it")
    }

    // MARK: The way in

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.backlog?.remove(ObjectIdentifier(self))
        self.context = nil
        self.whenActive = nil
    }

    func channelActive(context: ChannelHandlerContext) {
        let whenActive = self.whenActive
        self.whenActive = nil
        whenActive?()
        context.fireChannelActive()
    }

    func read(context: ChannelHandlerContext) {
        switch self.state {
        case .held(_, let end): self.state = .held(readIsWanted: true, end: end)
        case .running: context.read()
        case .closed: break
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch self.state {
        case .closed: break
        case .held: self.framer.append(self.unwrapInboundIn(data))
        case .running:
            let bytes = self.unwrapInboundIn(data)
            self.framer.append(bytes)
            self.deliver()
            if self.framer.isResynchronizing { self.countStray(bytes.readableBytes) }
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        self.finishBatch()
        context.fireChannelReadComplete()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { self.backlog?.remove(ObjectIdentifier(self)) }
        if case .running = self.state { self.writabilityChanged?(context.channel.isWritable) }
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        switch self.state {
        case .held(let readIsWanted, let end): self.state = .held(readIsWanted: readIsWanted, end: end ?? .closed)
        case .running: self.finish(self.reason(of: .closed))
        case .closed: break
        }
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let end = End.failed(oneLine(error))
        switch self.state {
        case .held(let readIsWanted, _):
            self.state = .held(readIsWanted: readIsWanted, end: end)
            context.close(promise: nil)
        case .running: self.finish(self.reason(of: end))
        case .closed: context.close(promise: nil)
        }
    }

    private func deliver() {
        // Without an owner the channel is about to close.
        guard let owner else { return }
        do {
            // Loaded once for all available packets: a weak reference costs more than framing a packet.
            guard let receiver = owner.receiver else {
                while try self.framer.next() != nil {}
                return
            }
            // One reference for all packets: retaining costs as much as another weak reference.
            let channel: any HCIChannel = owner
            while case .running = self.state, let packet = try self.framer.next() {
                guard packet.kind != (self.framer.sender == .host ? .event : .command) else {
                    self.finish("\(self.otherEnd) sent a packet that only the other side may send")
                    return
                }
                self.state = .running(.withBatch)
                receiver.channel(channel, didReceive: packet)
            }
        } catch {
            self.finish(self.medium.nonsenseReason(self.otherEnd, String(describing: error)))
        }
    }

    /// A line at the wrong speed, or with another protocol, brings octets without end.
    private func countStray(_ count: Int) {
        self.strayOctetCount += count
        guard self.strayOctetCount > Self.strayLimit else { return }
        self.finish(self.medium.nonsenseReason(self.otherEnd, "no packet in \(self.strayOctetCount) octets"))
    }

    private func finishBatch() {
        guard case .running(.withBatch) = self.state else { return }
        self.owner?.deliverEndOfBatch()
        if case .running = self.state { self.state = .running(.withTurn) }
        if let context { self.flushNow(context) }
    }

    private func reason(of end: End) -> String {
        let error: String? = if case .failed(let error) = end { error } else { nil }
        return self.medium.endReason(
            self.otherEnd,
            error: error,
            isInsidePacket: self.framer.pendingOctetCount > 0
        )
    }

    /// Closes the stream because of the other end, and reports that once.
    private func finish(_ reason: String) {
        switch self.state {
        case .held, .closed: return
        case .running(.withBatch):
            self.state = .running(.withTurn)
            self.owner?.deliverEndOfBatch()
            // The receiver may have closed the channel.
            guard case .running = self.state else { return }
        case .running: break
        }
        self.state = .closed
        self.context?.close(promise: nil)
        self.owner?.deliverClose(reason)
    }
}
