// The thread on which an adapter lives, for as long as it is needed.

import NIOCore
import NIOPosix

/// An event loop with a thread of its own, which ends with the last reference.
final class EventLoopThread: Sendable {
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    /// The event loop.
    var eventLoop: any EventLoop { self.group.any() }

    deinit { self.group.shutdownGracefully { _ in } }
}
