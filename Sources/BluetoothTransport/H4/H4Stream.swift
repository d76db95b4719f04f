// The handler that carries H4 over a stream of octets in a SwiftNIO channel: octets become packets on the way in, and
// the packets of one turn of the loop become one write on the way out.
//
// On the way out a packet costs one copy into a buffer that is used again turn after turn, no promise and no write of
// its own. It leaves when the turn ends; what is sent while a batch is delivered leaves when the batch has ended.
// On the way in packets are slices of what was read.

import BluetoothHCI
import NIOCore

/// The pipeline's end of an ``H4Channel``.
final class H4Stream: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// How the octets ended.
    private enum End {
        /// The other end has closed.
        case closed
        /// The system has reported an error.
        case failed(String)
    }

    /// When what is sent leaves.
    private enum Departure {
        /// When the turn of the loop ends.
        case withTurn
        /// When the batch ends of which packets were delivered.
        case withBatch
        /// When the body of `sendTogether` has ended.
        case withBody
    }

    private enum State {
        /// Nobody receives yet: reading is held back. What the system delivers nevertheless, when the other end has
        /// closed, stays in the framer.
        case held(readIsWanted: Bool, end: End?)
        /// Packets are delivered.
        case running(Departure)
        /// Nothing is delivered or sent any more.
        case closed
    }

    /// More octets than this are handed to the channel before the turn ends.
    private static let chunkSize = 32 * 1024
    /// As much as this may come on a line before the first packet: more than what a chip says while it starts.
    static let strayLimit = 16 * 1024

    /// The channel that users hold.
    ///
    /// It is the owner of this object and not the other way round, so that a channel that
    /// nobody holds any more closes.
    @exclusivity(unchecked) weak var owner: H4Channel?
    /// Called when the other end takes octets again, or no longer does.
    var writabilityChanged: ((Bool) -> Void)?
    /// Whether the other end takes octets.
    var isWritable: Bool { self.context?.channel.isWritable ?? false }
    /// Called once, when the connection of a server stands.
    var whenActive: (() -> Void)?

    private let eventLoop: any EventLoop
    private let medium: H4Medium
    /// How many octets may wait for the other end before the connection ends.
    private let unsentLimit: Int
    /// What waits for the hosts of a server together.
    private let backlog: H4Backlog?
    @exclusivity(unchecked) private var state = State.held(readIsWanted: false, end: nil)
    @exclusivity(unchecked) private var framer: H4Framer
    // The octets that were thrown away while the first packet was looked for.
    private var strayOctetCount = 0
    @exclusivity(unchecked) private var context: ChannelHandlerContext?
    @exclusivity(unchecked) private var outgoing = ByteBuffer()
    // Whether something was written since the last flush.
    private var hasOutgoing = false

    init(
        receivingFrom sender: H4Framer.Sender,
        over medium: H4Medium = .socket,
        on eventLoop: any EventLoop,
        unsentLimit: Int = H4Channel.defaultUnsentLimit,
        backlog: H4Backlog? = nil
    ) {
        self.unsentLimit = unsentLimit
        self.backlog = backlog
        self.eventLoop = eventLoop
        self.medium = medium
        self.framer = H4Framer(
            readingFrom: sender,
            isInStep: medium.beginsWithPacket,
            // A chip talks beside H4 to the driver on its line alone.
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
            // Usually nothing is there yet; after an early end of the stream, all that came before it.
            self.deliver()
            self.finishBatch()
            if let end {
                self.finish(self.reason(of: end))
            } else if case .running = self.state, readIsWanted {
                self.context?.read()
            }
        }
    }

    /// Takes octets that leave at the end of the turn.
    func send(_ bytes: ByteBuffer) {
        if case .closed = self.state { return }
        guard let context else { return }
        if !self.hasOutgoing {
            self.hasOutgoing = true
            // By now the last turn's write has released the storage, so this allocates nothing.
            self.outgoing.clear()
            self.scheduleFlush()
        }
        self.outgoing.writeImmutableBuffer(bytes)
        if self.outgoing.readableBytes >= Self.chunkSize {
            // Handed over without a flush: a flush could report a broken connection from inside this call.
            context.write(self.wrapOutboundOut(self.outgoing), promise: nil)
            self.outgoing = context.channel.allocator.buffer(capacity: Self.chunkSize)
        }
    }

    /// Runs `body`, after which all leaves that it has sent, unless that leaves at the end of a batch.
    func sendTogether(_ body: () -> Void) {
        guard case .running(.withTurn) = self.state else { return body() }
        self.state = .running(.withBody)
        body()
        if case .running(.withBody) = self.state { self.state = .running(.withTurn) }
        if let context { self.flushNow(context) }
    }

    /// Ends the stream from this side, after what was sent; nothing is reported.
    func close() {
        if case .closed = self.state { return }
        if let context { self.flush(context) }
        self.state = .closed
        self.context?.close(promise: nil)
    }

    /// Ends the stream from this side and reports it as if the other end had gone.
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

    /// Ends the connection where too many octets wait for the other end.
    private func checkBacklog(_ context: ChannelHandlerContext) {
        guard case .running = self.state, !context.channel.isWritable,
            let count = try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)
        else { return }
        let isOverShare = self.backlog?.isOverShare(ObjectIdentifier(self), count) ?? false
        guard count >= self.unsentLimit || isOverShare else { return }
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
        // Without an owner the channel is closed: it ends with it.
        guard let owner else { return }
        do {
            // Loaded once for all packets that are at hand: a weak reference costs more than the framing of a packet.
            guard let receiver = owner.receiver else {
                while try self.framer.next() != nil {}
                return
            }
            // One reference for all of them: its counts cost as much as another weak reference.
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

    /// A line at the wrong speed, or one on which something else speaks, brings octets without end.
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

    /// Why the stream is over.
    private func reason(of end: End) -> String {
        let error: String? = if case .failed(let error) = end { error } else { nil }
        return self.medium.endReason(
            self.otherEnd,
            error: error,
            isInsidePacket: self.framer.pendingOctetCount > 0
        )
    }

    /// Ends the stream because of the other end, which is reported once.
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
