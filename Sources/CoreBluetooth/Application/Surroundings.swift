// Whose code runs now: on which adapter, and in which app. Managers that are made belong there. Code says so with
// `run(_:)`; work that such code has handed to a queue or to a task belongs there, too, where a world follows it.

import Dispatch
import NIOConcurrencyHelpers
package import NIOCore

/// The adapter and the app of code that runs.
package struct Surroundings: Sendable {
    /// The adapter that managers get which name none.
    package let adapter: BluetoothAdapter
    /// The app that managers belong to; `nil` for a plain process.
    package let application: NIOLoopBound<any ApplicationPolicy>?

    /// The surroundings of code of an adapter.
    package init(adapter: BluetoothAdapter, application: NIOLoopBound<any ApplicationPolicy>?) {
        self.adapter = adapter
        self.application = application
    }

    /// Runs code in these surroundings: managers that it makes belong there.
    func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        try CurrentApplication.$bound.withValue(self.application) { try self.adapter.run(body) }
    }

    private struct Finder: Sendable {
        let find: @Sendable () -> Surroundings?
        let reportMissing: @Sendable () -> Void
    }

    private static let finder = NIOLockedValueBox<Finder?>(nil)

    /// Has the surroundings of handed over work found by a function; once in a process.
    ///
    /// - Parameter reportMissing: Called where a manager is about to be made without surroundings.
    package static func find(
        by find: @escaping @Sendable () -> Surroundings?,
        reportMissing: @escaping @Sendable () -> Void
    ) {
        self.finder.withLockedValue { $0 = Finder(find: find, reportMissing: reportMissing) }
    }

    /// The surroundings of the work that the present thread does for others; `nil` where there are none.
    static var ofWork: Surroundings? { self.finder.withLockedValue { $0 }?.find() }

    /// A manager is about to be made without surroundings.
    static func reportMissing() { self.finder.withLockedValue { $0 }?.reportMissing() }

    /// The surroundings of the code that calls; `nil` outside of `run(_:)`.
    package static var current: Surroundings? {
        guard let adapter = BluetoothAdapter.surrounding else { return nil }
        return Surroundings(adapter: adapter, application: CurrentApplication.bound)
    }
}

/// Calls delegates on their managers' queues in virtual time.
package protocol CallbackScheduler: AnyObject, Sendable {
    /// Hands work to a queue, in a turn of the event loop; the next turn comes when all that the work has started is at
    /// rest.
    /// - Parameter surroundings: Whose code it is; `nil` for that of the device.
    func call(on queue: DispatchQueue, in surroundings: Surroundings?, _ work: @escaping @Sendable () -> Void)

    /// Whether the present thread may wait for time to pass: not where it is the one that lets it.
    var mayBlock: Bool { get }
}

extension DispatchQueue {
    /// Whether it is the main queue: on Linux each `DispatchQueue.main` is another object for the same queue.
    package var isMain: Bool { self.label == DispatchQueue.main.label }
}
