// The adapter and the app of the running code, to which the managers that it creates belong. `run(_:)` sets them; in a
// world, they also apply to work that such code hands to a queue or a task.

import Dispatch
import NIOConcurrencyHelpers
package import NIOCore

/// The adapter and the app of running code.
package struct WorkContext: Sendable {
    /// The adapter of managers that name none.
    package let adapter: BluetoothAdapter
    /// The app that managers belong to; `nil` for a plain process.
    package let application: NIOLoopBound<any ApplicationPolicy>?

    /// The context of an adapter's code.
    package init(adapter: BluetoothAdapter, application: NIOLoopBound<any ApplicationPolicy>?) {
        self.adapter = adapter
        self.application = application
    }

    /// Runs code in this context: managers that it creates belong there.
    func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        try CurrentApplication.$bound.withValue(self.application) { try self.adapter.run(body) }
    }

    private struct Finder: Sendable {
        let find: @Sendable () -> WorkContext?
        let reportMissing: @Sendable () -> Void
    }

    private static let finder = NIOLockedValueBox<Finder?>(nil)

    /// Installs a lookup for the context of dispatched work; once in a process.
    ///
    /// - Parameter reportMissing: Called when a manager is about to be created without a context.
    package static func find(
        by find: @escaping @Sendable () -> WorkContext?,
        reportMissing: @escaping @Sendable () -> Void
    ) {
        self.finder.withLockedValue { $0 = Finder(find: find, reportMissing: reportMissing) }
    }

    /// The context of the dispatched work that the present thread runs; `nil` if there is none.
    static var ofWork: WorkContext? { self.finder.withLockedValue { $0 }?.find() }

    /// A manager is about to be created without a context.
    static func reportMissing() { self.finder.withLockedValue { $0 }?.reportMissing() }

    /// The caller's context; `nil` outside `run(_:)`.
    package static var current: WorkContext? {
        guard let adapter = BluetoothAdapter.surrounding else { return nil }
        return WorkContext(adapter: adapter, application: CurrentApplication.bound)
    }
}

/// Calls delegates on their managers' queues in virtual time.
package protocol CallbackScheduler: AnyObject, Sendable {
    /// Dispatches work to a queue, in a turn of the event loop; the next turn follows when everything that the work has
    /// started is at rest.
    /// - Parameter context: The owner of the code; `nil` for the device.
    func call(on queue: DispatchQueue, in context: WorkContext?, _ work: @escaping @Sendable () -> Void)

    /// Whether the present thread may wait for time to pass, that is, unless it is the thread that advances time.
    var mayBlock: Bool { get }
}

extension DispatchQueue {
    /// Whether it is the main queue: on Linux each `DispatchQueue.main` is another object for the same queue.
    package var isMain: Bool { self.label == DispatchQueue.main.label }
}
