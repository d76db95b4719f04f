// An embedded event loop that notices when a room has stopped getting anywhere: too many tasks within one second of
// virtual time mean an endless exchange, or a timer that arms itself again without time going on.
//
// From then on it runs nothing any more, so the test that asks for `tripped` ends at once and can say what went on.

import Dispatch
import NIOCore
import NIOEmbedded

/// An event loop in virtual time with a limit on the tasks of each second. Unchecked, as the loop within: it belongs to the
/// one thread of its test.
final class GuardedEventLoop: EventLoop, @unchecked Sendable {
    let inner: EmbeddedEventLoop
    /// How many tasks may run within one second of virtual time.
    private let limit: Int
    private var second: UInt64 = 0
    private var count = 0
    /// The largest number of tasks that one second had.
    private(set) var most = 0
    /// When the limit was passed.
    private(set) var tripped: NIODeadline?
    /// Called once when the limit is passed.
    var onTrip: (() -> Void)?

    init(_ inner: EmbeddedEventLoop, limit: Int) {
        self.inner = inner
        self.limit = limit
    }

    private func mayRun() -> Bool {
        guard self.tripped == nil else { return false }
        let second = self.inner.now.uptimeNanoseconds / 1_000_000_000
        if second != self.second {
            self.second = second
            self.count = 0
        }
        self.count += 1
        self.most = max(self.most, self.count)
        guard self.count > self.limit else { return true }
        self.tripped = self.inner.now
        self.onTrip?()
        return false
    }

    var inEventLoop: Bool { self.inner.inEventLoop }

    var now: NIODeadline { self.inner.now }

    func execute(_ task: @escaping @Sendable () -> Void) {
        self.inner.execute { if self.mayRun() { task() } }
    }

    @discardableResult
    func scheduleTask<T>(deadline: NIODeadline, _ task: @escaping @Sendable () throws -> T) -> Scheduled<T> {
        // An embedded loop would turn its clock back for a deadline that has passed; no other loop does.
        self.inner.scheduleTask(deadline: max(deadline, self.inner.now)) {
            guard self.mayRun() else { throw EventLoopError.cancelled }
            return try task()
        }
    }

    @discardableResult
    func scheduleTask<T>(in delay: TimeAmount, _ task: @escaping @Sendable () throws -> T) -> Scheduled<T> {
        self.scheduleTask(deadline: self.inner.now + delay, task)
    }

    func shutdownGracefully(queue: DispatchQueue, _ callback: @escaping @Sendable ((any Error)?) -> Void) {
        self.inner.shutdownGracefully(queue: queue, callback)
    }

    func preconditionInEventLoop(file: StaticString, line: UInt) {}
}
