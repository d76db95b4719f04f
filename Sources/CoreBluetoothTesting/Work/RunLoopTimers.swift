// Timers that code of worlds has added to the main run loop. On a phone the system runs that loop; in a test possibly
// nobody does, since the main thread runs the test or serves the main queue. So a world fires due timers as work of the
// main queue, unless a thread runs the loop.

import CDispatchWork
import Foundation
import NIOConcurrencyHelpers

/// Timers of run loops, for all worlds of the process.
enum RunLoopTimers {
    private struct Entry: @unchecked Sendable {
        // Unchecked: CoreFoundation's objects, used by its functions that any thread may call.
        let timer: UnsafeMutableRawPointer
        let mode: UnsafeMutableRawPointer
        let owner: WorkOwner
        /// Whether work that fires it is on its way to the main queue.
        var isHandedOver = false
    }

    /// A timer that was added to the run loop of a queue's thread.
    private struct Stray {
        let thread: Int32
        let caller: String
    }

    private struct State {
        var entries: [Entry] = []
        var strays: [Stray] = []
    }

    private static let state = NIOLockedValueBox(State())

    /// Handles that a timer is about to be added to the main run loop, or to that of the present thread; returns
    /// whether to use the main one.
    ///
    /// The test itself, code in `Device.run` and work of the main queue count as an app's main thread, whatever thread
    /// they are on.
    static func add(
        _ timer: UnsafeMutableRawPointer,
        mode: UnsafeMutableRawPointer,
        isMain: Bool,
        owner: WorkOwner
    ) -> Bool {
        guard isMain || WorkOwner.ofThread == nil || dispatch_work_is_on_main_queue() else {
            let stray = Stray(thread: dispatch_work_thread(), caller: RealTimer.caller)
            self.state.withLockedValue { $0.strays.append(stray) }
            return false
        }
        owner.work.begin(.runLoop)
        dispatch_work_retain_timer(timer)
        let entry = Entry(timer: timer, mode: mode, owner: owner)
        self.state.withLockedValue { $0.entries.append(entry) }
        owner.work.wakePace()
        return true
    }

    /// Fires a timer.
    static func fire(_ timer: UnsafeMutableRawPointer, _ body: () -> Void) {
        let entry = self.state.withLockedValue { state in state.entries.last { $0.timer == timer } }
        guard let owner = entry?.owner else { return body() }
        owner.run(body)
    }

    /// Removes the timers of a world, or only the invalid ones.
    static func forget(_ work: WorldWork, onlyInvalid: Bool = false) {
        let forgotten = self.state.withLockedValue { state in
            let index = state.entries.partition { entry in
                entry.owner.work === work && !(onlyInvalid && dispatch_work_timer_is_valid(entry.timer))
            }
            defer { state.entries.removeSubrange(index...) }
            return Array(state.entries[index...])
        }
        for entry in forgotten { dispatch_work_release_timer(entry.timer) }
    }

    /// When the first timer of a world is due that no thread is about to fire, in seconds since the start of 2001.
    static func nextDate(of work: WorldWork) -> Double? {
        let entries = self.entries(of: work)
        guard !entries.isEmpty, !dispatch_work_main_run_loop_is_served() else { return nil }
        return entries.filter { !$0.isHandedOver && dispatch_work_timer_is_valid($0.timer) }
            .map { dispatch_work_timer_date($0.timer) }.min()
    }

    /// Hands work to the main queue that fires the first due timer; returns whether there is one.
    static func handOverDue(of work: WorldWork) -> Bool {
        // A date is less precise than the instant at which the timer is due.
        guard let date = self.nextDate(of: work), date <= Date().timeIntervalSinceReferenceDate + 0.000_001 else {
            return false
        }
        let due = self.state.withLockedValue { state -> Entry? in
            let index = state.entries.firstIndex {
                $0.owner.work === work && !$0.isHandedOver && dispatch_work_timer_date($0.timer) <= date
                    && dispatch_work_timer_is_valid($0.timer)
            }
            guard let index else { return nil }
            state.entries[index].isHandedOver = true
            return state.entries[index]
        }
        guard let due else { return false }
        work.handOver(toMainQueueFor: due.owner) { self.serve(due, until: date) }
        return true
    }

    /// Runs the loop's due work, including this timer.
    private static func serve(_ entry: Entry, until date: Double) {
        // Each call does one thing.
        for _ in 0..<8 where dispatch_work_timer_is_valid(entry.timer) {
            guard dispatch_work_timer_date(entry.timer) <= date else { break }
            dispatch_work_serve_main_run_loop(entry.mode)
        }
        self.state.withLockedValue { state in
            for index in state.entries.indices where state.entries[index].timer == entry.timer {
                state.entries[index].isHandedOver = false
            }
        }
        self.forget(entry.owner.work, onlyInvalid: true)
    }

    private static func entries(of work: WorldWork) -> [Entry] {
        self.state.withLockedValue { state in
            // Most worlds have no timers.
            state.entries.isEmpty ? [] : state.entries.filter { $0.owner.work === work }
        }
    }

    /// Reports timers that the work ending on this thread has added to the thread's run loop, which nobody runs.
    static func reportStrays(_ work: WorldWork, on queue: String) {
        let thread = dispatch_work_thread()
        let strays = self.state.withLockedValue { state -> [Stray] in
            guard !state.strays.isEmpty else { return [] }
            defer { state.strays.removeAll { $0.thread == thread } }
            return state.strays.filter { $0.thread == thread }
        }
        for stray in strays {
            let caller = stray.caller.isEmpty ? "" : " in \(stray.caller)"
            work.reportMistake(
                """
                a Timer was added\(caller) to the run loop of a thread of the queue "\(queue)", which nobody runs: it \
                never fires, nor does it on a phone; add it to RunLoop.main
                """
            )
        }
    }
}
