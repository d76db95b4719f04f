// The run loops in which a stream calls its delegate: those that the app has scheduled it in or, in virtual time, turns
// of the event loop. There is one wake-up, however many events there are.

import Foundation
import NIOConcurrencyHelpers
import NIOCore

/// The way from a stream's pipe to its delegate.
final class StreamSchedule: Sendable {
    /// Where delegates are called.
    enum Delivery: Sendable {
        /// In the run loops that the app names.
        case runLoops
        /// In turns of the event loop, whatever run loop the app names; a scheduler moves them to the main queue.
        case eventLoop(any EventLoop, (any CallbackScheduler)?)

        /// Whether a read or a write may block the present thread.
        func mayBlock(on eventLoop: any EventLoop) -> Bool {
            switch self {
            case .runLoops: !eventLoop.inEventLoop
            case .eventLoop(_, let scheduler): scheduler?.mayBlock ?? false
            }
        }
    }

    private enum Phase {
        /// The delegate is not being called. A run loop may have been woken: waking it twice is harmless.
        case idle
        /// A turn of the event loop is on its way.
        case posted
        /// The delegate is being called; `isSignalled` if there was another signal meanwhile.
        case delivering(isSignalled: Bool)
    }

    private struct State {
        var entries: [RunLoopEntry] = []
        var phase = Phase.idle
    }

    private enum Step {
        case nothing
        case post(any EventLoop, (any CallbackScheduler)?)
        case wake([RunLoopEntry])
    }

    private let state = NIOLockedValueBox(State())
    private let delivery: Delivery
    private let deliver: @Sendable () -> Void

    /// A schedule without a run loop yet.
    /// - Parameter deliver: Reports to the delegate; called in the delegate's context, never twice at a time.
    init(_ delivery: Delivery, deliver: @escaping @Sendable () -> Void) {
        self.delivery = delivery
        self.deliver = deliver
    }

    /// Adds a mode of a run loop.
    func add(_ runLoop: RunLoop, _ mode: RunLoop.Mode) {
        self.state.withLockedValue { state in
            let index: Int
            if let known = state.entries.firstIndex(where: { $0.runLoop === runLoop }) {
                index = known
            } else {
                index = state.entries.count
                state.entries.append(RunLoopEntry(runLoop) { [weak self] in self?.perform() })
            }
            state.entries[index].add(mode, isLive: self.usesRunLoops)
        }
        self.signal()
    }

    /// Removes a mode of a run loop.
    func remove(_ runLoop: RunLoop, _ mode: RunLoop.Mode) {
        let gone = self.state.withLockedValue { state -> RunLoopEntry? in
            guard let index = state.entries.firstIndex(where: { $0.runLoop === runLoop }) else { return nil }
            state.entries[index].remove(mode, isLive: self.usesRunLoops)
            return state.entries[index].modes.isEmpty ? state.entries.remove(at: index) : nil
        }
        gone?.release()
    }

    /// Removes all run loops.
    func removeAll() {
        let gone = self.state.withLockedValue { state -> [RunLoopEntry] in
            for index in state.entries.indices { state.entries[index].removeAll(isLive: self.usesRunLoops) }
            defer { state.entries = [] }
            return state.entries
        }
        for entry in gone { entry.release() }
    }

    deinit { self.removeAll() }

    private var usesRunLoops: Bool { if case .runLoops = self.delivery { true } else { false } }

    /// There may be an event to report.
    func signal() {
        let step = self.state.withLockedValue { state -> Step in
            guard !state.entries.isEmpty else { return .nothing }
            switch state.phase {
            case .posted:
                return .nothing
            case .delivering:
                state.phase = .delivering(isSignalled: true)
                return .nothing
            case .idle:
                switch self.delivery {
                case .runLoops: return .wake(state.entries)
                case .eventLoop(let eventLoop, let scheduler):
                    state.phase = .posted
                    return .post(eventLoop, scheduler)
                }
            }
        }
        switch step {
        case .nothing: break
        case .post(let eventLoop, nil): eventLoop.execute { self.perform() }
        case .post(let eventLoop, let scheduler?):
            eventLoop.execute { scheduler.call(on: .main, in: nil) { self.perform() } }
        case .wake(let entries): for entry in entries { entry.wake() }
        }
    }

    private func perform() {
        let mayDeliver = self.state.withLockedValue { state in
            switch state.phase {
            case .delivering:
                state.phase = .delivering(isSignalled: true)
                return false
            case .idle, .posted:
                // It may have been removed from all run loops since.
                state.phase = state.entries.isEmpty ? .idle : .delivering(isSignalled: false)
                return !state.entries.isEmpty
            }
        }
        guard mayDeliver else { return }
        self.deliver()
        let isSignalled = self.state.withLockedValue { state in
            defer { state.phase = .idle }
            return if case .delivering(isSignalled: true) = state.phase { true } else { false }
        }
        if isSignalled { self.signal() }
    }
}

/// A stream in one run loop.
///
/// Foundation's own streams are sources of a run loop: they keep it alive, and `run(mode:before:)` returns when one was
/// served. So are these. A timer that never fires by itself wakes the run loop when it sleeps: Foundation offers
/// nothing but setting its date for that from another thread. Run loops, their sources and timers may be used from any
/// thread in this way, although Foundation does not declare it; the schedule's lock guards the rest.
private struct RunLoopEntry: @unchecked Sendable {
    /// Calls back from the run loop.
    private final class Source: RunLoop._Source {
        private let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
            super.init(order: 0)
        }

        override func perform() {
            // The delegate may remove the stream from the run loop.
            withExtendedLifetime(self) { self.body() }
        }
    }

    let runLoop: RunLoop
    private(set) var modes: [RunLoop.Mode] = []
    private let source: Source
    private var alarm: Timer?

    init(_ runLoop: RunLoop, _ body: @escaping @Sendable () -> Void) {
        self.runLoop = runLoop
        self.source = Source(body)
    }

    mutating func add(_ mode: RunLoop.Mode, isLive: Bool) {
        guard !self.modes.contains(mode) else { return }
        self.modes.append(mode)
        guard isLive else { return }
        self.runLoop._add(self.source, forMode: mode)
        let alarm = self.alarm ?? Self.makeAlarm()
        self.alarm = alarm
        self.runLoop.add(alarm, forMode: mode)
    }

    mutating func remove(_ mode: RunLoop.Mode, isLive: Bool) {
        guard let index = self.modes.firstIndex(of: mode) else { return }
        self.modes.remove(at: index)
        guard isLive else { return }
        self.runLoop._remove(self.source, for: mode)
        // A timer leaves all its modes at once.
        self.alarm?.invalidate()
        self.alarm = nil
        guard !self.modes.isEmpty else { return }
        let alarm = Self.makeAlarm()
        self.alarm = alarm
        for mode in self.modes { self.runLoop.add(alarm, forMode: mode) }
    }

    mutating func removeAll(isLive: Bool) {
        for mode in self.modes { self.remove(mode, isLive: isLive) }
    }

    private static func makeAlarm() -> Timer {
        Timer(fire: .distantFuture, interval: 100_000_000, repeats: true) { _ in }
    }

    /// Has the run loop call back soon.
    func wake() {
        self.source.signal()
        self.alarm?.fireDate = .distantPast
    }

    /// Releases the source in a turn of its run loop, which does not retain it and may be about to call it.
    func release() {
        guard self.runLoop !== RunLoop.current else { return }
        self.runLoop.perform(inModes: [.default, .common]) { withExtendedLifetime(self) {} }
    }
}
