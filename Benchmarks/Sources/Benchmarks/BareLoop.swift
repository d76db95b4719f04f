// The cost of SwiftNIO and the system at a radio's pace, without a host: one process has an app's thread that lets an
// event loop write to a socket as many octets as a notification's packet has, another one an event loop that reads them
// and hands each to a dispatch queue. A host on SwiftNIO, whose app calls from a thread of its own and is called on a
// queue, does this for each packet and more.

import BenchmarkSupport
import Foundation
import NIOCore
import NIOPosix

enum BareLoop {
    /// The octets of a packet with a notification of 244 octets.
    private static let packetLength = 256

    /// Works as one of the two processes until the standard input ends. Without its socket there is nothing to measure,
    /// and it ends with the reason.
    static func run(_ role: String, at path: String) -> Never {
        role == "sender" ? self.send(to: path) : self.receive(at: path)
    }

    private static func send(to path: String) -> Never {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        guard let channel = try? ClientBootstrap(group: group).connect(unixDomainSocketPath: path).wait() else {
            fatalError("nobody listens at \(path)")
        }
        let packet = ByteBuffer(repeating: 0xA5, count: self.packetLength)
        Member.serve { order in
            Member.repeat(order) {
                channel.eventLoop.execute { channel.writeAndFlush(packet, promise: nil) }
            }
            Member.say("done")
        }
    }

    private static func receive(at path: String) -> Never {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let app = App()
        let server = ServerBootstrap(group: group).childChannelInitializer { channel in
            channel.pipeline.addHandler(Receiver(app))
        }
        do {
            _ = try server.bind(unixDomainSocketPath: path).wait()
        } catch {
            fatalError("\(path): \(error)")
        }
        Member.serve { order in
            app.expect(order.count) { Member.say("done") }
            Member.say("armed")
        }
    }

    /// Counts packets on a queue of its own. Unchecked: its state is confined to that queue.
    private final class App: @unchecked Sendable {
        private let queue = DispatchQueue(label: "app")
        private var left = 0
        private var completion: () -> Void = {}

        func expect(_ count: Int, completion: @escaping () -> Void) {
            self.queue.sync {
                self.left = count
                self.completion = completion
            }
        }

        func receive(_ count: Int) {
            self.queue.async {
                self.left -= count
                if self.left == 0 { self.completion() }
            }
        }
    }

    /// Reads packets. Unchecked: its state is confined to its channel's event loop.
    private final class Receiver: ChannelInboundHandler, @unchecked Sendable {
        typealias InboundIn = ByteBuffer

        private let app: App
        private var octets = 0

        init(_ app: App) { self.app = app }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            self.octets += self.unwrapInboundIn(data).readableBytes
        }

        func channelReadComplete(context: ChannelHandlerContext) {
            let count = self.octets / BareLoop.packetLength
            self.octets %= BareLoop.packetLength
            if count > 0 { self.app.receive(count) }
        }
    }
}
