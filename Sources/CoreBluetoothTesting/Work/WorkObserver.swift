// Finds the owner of work that a thread hands over: the device whose code runs, the work that runs there, or the test
// that created the world.

import CDispatchWork
import CoreBluetooth
import Dispatch
import NIOConcurrencyHelpers

/// Finds the owner of work, for all worlds of the process.
enum WorkObserver {
    /// The creator of a world: the task of a test, or the thread of a test without a task.
    ///
    /// Numbers, not addresses: a later task may reuse the address of an earlier one.
    private enum Maker: Hashable {
        case task(UInt64)
        case thread(Int32)

        static var present: Self {
            switch dispatch_work_current_task_number() {
            case 0: .thread(dispatch_work_thread())
            case let number: .task(number)
            }
        }
    }

    private struct WeakWork {
        weak var work: WorldWork?
    }

    private struct State {
        var isStarted = false
        var makers: [Maker: WeakWork] = [:]
        var worldCount = 0
    }

    private static let state = NIOLockedValueBox(State())

    /// Observes all work from now on; further calls do nothing.
    static func start() {
        let isFirst = self.state.withLockedValue { state in
            defer { state.isStarted = true }
            return !state.isStarted
        }
        guard isFirst else { return }
        WorkContext.find(
            by: { WorkOwner.ofThread?.context },
            reportMissing: { WorkObserver.reportMissingDevice() }
        )
        dispatch_work_observe(
            dispatch_work_observer(
                hands_over: { queue, isBarrier, isWaiting, function, argument in
                    WorkObserver.takes(queue, isBarrier, isWaiting, function, argument)
                },
                sets_aside: { delay in
                    guard let owner = WorkObserver.owner() else { return nil }
                    if let timer = RealTimer(delay) { owner.work.begin(timer) }
                    if delay == DISPATCH_WORK_SLEEP, WorkObserver.isTest { owner.work.clock?.testSleeps() }
                    return Unmanaged.passRetained(owner).toOpaque()
                },
                runs: { owner, delay, queue, function, argument in
                    let owner = Unmanaged<WorkOwner>.fromOpaque(owner).takeRetainedValue()
                    if let timer = RealTimer(delay) { owner.work.end(timer) }
                    if delay == DISPATCH_WORK_SLEEP, let clock = owner.work.clock,
                        WorkObserver.isMaker(dispatch_work_task_number(function, argument))
                    {
                        clock.testWakes()
                        return function(argument)
                    }
                    guard let queue else { return owner.work.run(owner) { function(argument) } }
                    owner.work.handOver(to: queue, isWaiting: false, owner: owner, function, argument)
                },
                arms: { function, argument in
                    guard let owner = WorkOwner.ofThread else { return false }
                    return owner.work.takeArming(owner.order) { function(argument) }
                },
                handles: { owner, queue, function, argument in
                    let owner = Unmanaged<WorkOwner>.fromOpaque(owner).takeUnretainedValue()
                    owner.work.handOver(to: queue, isWaiting: true, owner: owner, function, argument)
                },
                releases: { owner in Unmanaged<WorkOwner>.fromOpaque(owner).release() },
                adds_timer: { timer, mode, isMain in
                    guard let owner = WorkObserver.owner() else {
                        // The owner of a separate thread is unknown; assume the world if there is only one.
                        WorkObserver.onlyWork?.begin(.runLoop)
                        return false
                    }
                    return RunLoopTimers.add(timer, mode: mode, isMain: isMain, owner: owner)
                },
                fires_timer: { timer, function, argument in
                    RunLoopTimers.fire(timer) { function(argument) }
                },
                sleeps: { (WorkOwner.ofThread?.work ?? WorkObserver.workOfTest)?.beginSleep() }
            )
        )
    }

    /// Assigns the present task's or thread's work to a world from now on.
    static func add(_ work: WorldWork) {
        self.state.withLockedValue { state in
            state.makers = state.makers.filter { $0.value.work != nil }
            state.makers[.present] = WeakWork(work: work)
            state.worldCount += 1
            dispatch_work_set_observing(true)
        }
    }

    /// Removes a world.
    static func remove(_ work: WorldWork) {
        self.state.withLockedValue { state in
            state.makers = state.makers.filter { $0.value.work != nil && $0.value.work !== work }
            state.worldCount -= 1
            // Under the lock: another test may create a world now.
            if state.worldCount == 0 { dispatch_work_set_observing(false) }
        }
    }

    private static func takes(
        _ queue: UnsafeMutableRawPointer,
        _ isBarrier: Bool,
        _ isWaiting: Bool,
        _ function: @escaping dispatch_work_function,
        _ argument: UnsafeMutableRawPointer?
    ) -> Bool {
        let task = dispatch_work_task_number(function, argument)
        // The test itself continues where its runner put it; only work that it starts belongs to the world.
        if task != 0, self.isMaker(task) { return false }
        guard let owner = self.owner() else { return false }
        return owner.work.handOver(
            to: queue,
            isBarrier: isBarrier,
            isWaiting: isWaiting,
            owner: owner,
            task: task,
            function,
            argument
        )
    }

    /// Whether the present task has created a world.
    private static var isTest: Bool { self.isMaker(dispatch_work_current_task_number()) }

    private static func isMaker(_ task: UInt64) -> Bool {
        task != 0
            && self.state.withLockedValue { $0.makers[.task(task)] != nil }
    }

    /// The owner of work that the present thread hands over.
    private static func owner() -> WorkOwner? {
        if let context = WorkContext.current,
            let callbacks = context.adapter.callbackScheduler as? DeviceCallbacks
        {
            return callbacks.work.makeOwner(place: callbacks.place, context: context)
        }
        return WorkOwner.ofThread ?? self.workOfTest?.makeOwner(place: nil, context: nil)
    }

    /// The work of the world that the present task or thread has created.
    static var workOfTest: WorldWork? { self.state.withLockedValue { $0.makers[.present]?.work } }

    /// The work of the only world of the process; `nil` if there are more.
    private static var onlyWork: WorldWork? {
        self.state.withLockedValue { state in
            state.worldCount == 1 ? state.makers.values.lazy.compactMap(\.work).first : nil
        }
    }

    /// Reports that a manager is about to be created that belongs to no device.
    private static func reportMissingDevice() {
        (WorkOwner.ofThread?.work ?? self.workOfTest)?.reportMistake(
            """
            a manager was made outside of the world's devices, so that it is on the adapter of the process and not in \
            the world; make it in device.run { … }
            """
        )
    }
}

/// Calls the delegates of one device on their queues.
final class DeviceCallbacks: CallbackScheduler {
    let work: WorldWork
    let place: Int

    init(_ work: WorldWork, place: Int) {
        self.work = work
        self.place = place
    }

    /// The thread that lets time pass waits for handed over work, so it must not wait for itself.
    var mayBlock: Bool { WorkOwner.ofThread != nil && !dispatch_work_is_on_main_queue() }

    func call(on queue: DispatchQueue, in context: WorkContext?, _ work: @escaping @Sendable () -> Void) {
        let owner = self.work.makeOwner(place: self.place, context: context)
        self.work.handOver(to: queue, owner: owner, work)
    }
}
