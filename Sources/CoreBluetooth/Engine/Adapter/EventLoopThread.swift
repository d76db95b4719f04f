// The thread of an adapter, as long as it is needed.

import NIOCore
import NIOPosix

/// An event loop with its own thread, which ends with the last reference.
final class EventLoopThread: Sendable {
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    /// The event loop.
    var eventLoop: any EventLoop { self.group.any() }

    deinit { self.group.shutdownGracefully { _ in } }
}
