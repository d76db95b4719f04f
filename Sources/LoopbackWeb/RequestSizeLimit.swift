// The first handler of a connection: it counts the octets received. A connection has one request, so one number limits
// its target, its fields and its body together, whatever the decoder behind it buffers.

import NIOCore

/// Closes a connection on which too much arrives.
final class RequestSizeLimit: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// The most octets that a connection may send.
    static let limit = 98304

    private var count = 0

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.count += self.unwrapInboundIn(data).readableBytes
        guard self.count <= Self.limit else { return context.close(promise: nil) }
        context.fireChannelRead(data)
    }
}
