// Timers on the clock of a room. Each SDK has its own idea of a scheduler, since it stands on Core Bluetooth alone; its
// tests say that this is one.

import NIOCore
package import NIOEmbedded

/// Puts work off, on a room's clock.
package final class RoomScheduler {
    /// Work that was put off.
    package final class Work {
        private let task: Scheduled<Void>

        fileprivate init(_ task: Scheduled<Void>) { self.task = task }

        /// Calls the work off; nothing happens where it is done already.
        package func cancel() { self.task.cancel() }
    }

    private let loop: EmbeddedEventLoop

    /// A scheduler on the clock of a room.
    package init(_ loop: EmbeddedEventLoop) { self.loop = loop }

    /// Does `work` after `seconds`.
    package func postpone(_ work: @escaping () -> Void, by seconds: Double) -> Work {
        let bound = NIOLoopBound(work, eventLoop: self.loop)
        return Work(self.loop.scheduleTask(in: .milliseconds(Int64(seconds * 1000))) { bound.value() })
    }
}
