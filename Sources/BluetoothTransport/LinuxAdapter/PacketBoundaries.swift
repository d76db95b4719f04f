// Keeps packets apart on a socket where each read and each write is one packet. Packets that an H4 stream has joined in
// one write are split again; a read is passed on if it is one complete packet, so that a truncated one cannot shift all
// others.
//
//     ready ──a packet that the system does not take at once──▶ waiting ──taken──▶ ready
//       └──────────────── error, too much unsent, removed ─────────┴──▶ ended
//
// ready: The next packet is written by itself, since SwiftNIO would join it with others.
// waiting: The system has not taken the last packet; further packets wait in `outgoing`, up to the limit.
// ended: Nothing is sent any more.
//
// The kernel can refuse packets, which ends the channel at the limit, and deliver truncated ones, which are dropped.
// No timers. Usually the system takes each packet immediately, which costs no promise.

import BluetoothHCI
import NIOCore

/// The first handler of a channel whose descriptor keeps packets apart.
final class PacketBoundaries: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum State {
        case ready
        case waiting
        case ended
    }

    private let writeQueueLimit: Int
    private var state = State.ready
    private var outgoing = H4Framer(readingFrom: .host, maximumDataLength: Int(UInt16.max))
    private var context: ChannelHandlerContext?

    /// - Parameter writeQueueLimit: The number of unsent octets at which the connection ends.
    init(writeQueueLimit: Int = H4Channel.defaultWriteQueueLimit) { self.writeQueueLimit = writeQueueLimit }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        self.state = .ended
    }

    // MARK: The way in

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = self.unwrapInboundIn(data)
        var framer = H4Framer(readingFrom: .controller, maximumDataLength: Int(UInt16.max))
        framer.append(bytes)
        guard (try? framer.next()) != nil, framer.pendingOctetCount == 0 else { return }
        context.fireChannelRead(data)
    }

    // MARK: The way out

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .ended = self.state {} else { self.outgoing.append(self.unwrapOutboundIn(data)) }
        // The stream above does not wait for single writes.
        promise?.succeed(())
    }

    func flush(context: ChannelHandlerContext) {
        self.send()
        if self.outgoing.pendingOctetCount > self.writeQueueLimit {
            self.end(TransportError(.failed, "it does not take what is sent to it"))
        }
    }

    private func send() {
        do {
            while case .ready = self.state, let context, let packet = try self.outgoing.next() {
                context.writeAndFlush(self.wrapOutboundOut(packet.bytes), promise: nil)
                self.waitIfBusy()
            }
        } catch {
            self.end(error)
        }
    }

    /// Waits if the system has not taken the last packet.
    private func waitIfBusy() {
        guard case .ready = self.state, let context,
            let unsent = try? context.channel.syncOptions?.getOption(.bufferedWritableBytes), unsent > 0
        else { return }
        self.state = .waiting
        let promise = context.eventLoop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenSuccess {
            guard case .waiting = self.state else { return }
            self.state = .ready
            self.send()
        }
        // An empty write after the packet, which completes when the packet was taken.
        context.writeAndFlush(self.wrapOutboundOut(ByteBuffer()), promise: promise)
    }

    private func end(_ error: any Error) {
        self.state = .ended
        self.context?.fireErrorCaught(error)
    }
}
