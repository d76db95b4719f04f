// The octets between a channel's streams and the event loop. Streams are used on any thread; `ChannelPipe.State`
// decides under one lock, and streams are called after it is free. The event loop is woken under the lock, since it may
// be gone once a pipe is detached from it. Either side is woken once, however much there is.

import Dispatch
import Foundation
import NIOConcurrencyHelpers
import NIOCore

/// The octets between a channel's streams and the event loop.
final class ChannelPipe: Sendable {
    private struct Locked {
        var state: State
        var input = Attachment()
        var output = Attachment()
        /// Those who wait for a milestone.
        var waiting: [(milestone: CBL2CAPChannel.Milestone, call: @Sendable () -> Void)] = []

        /// The calls whose milestone is reached, each once.
        mutating func takeReached() -> [@Sendable () -> Void] {
            guard !self.waiting.isEmpty else { return [] }
            let all = self.waiting
            self.waiting = all.filter { !self.state.has($0.milestone) }
            return all.filter { self.state.has($0.milestone) }.map(\.call)
        }
    }

    /// A stream's schedule and waiting threads.
    private struct Attachment {
        var schedule: StreamSchedule?
        /// Threads that wait in a read or a write.
        var waiting: [DispatchSemaphore] = []

        mutating func resume() {
            for semaphore in self.waiting { semaphore.signal() }
            self.waiting.removeAll()
        }
    }

    private let locked: NIOLockedValueBox<Locked>
    /// Whether the present thread may be blocked: not if the event loop would wait for itself.
    private let mayBlock: @Sendable () -> Bool
    private let wakeLoop: @Sendable () -> Void

    /// An open pipe.
    /// - Parameters:
    ///   - window: The number of unread frames that the peer may send, and their length.
    ///   - mayBlock: Whether the calling thread may be blocked.
    ///   - wakeLoop: Makes the event loop call ``State/takeWork()`` some time after.
    init(
        window: (frames: Int, length: Int),
        mayBlock: @escaping @Sendable () -> Bool,
        wakeLoop: @escaping @Sendable () -> Void
    ) {
        self.locked = NIOLockedValueBox(Locked(state: State(window: window)))
        self.mayBlock = mayBlock
        self.wakeLoop = wakeLoop
    }

    /// A pipe without a channel, already at end of stream.
    static func makeEnded() -> ChannelPipe {
        let pipe = ChannelPipe(window: (1, 1), mayBlock: { false }, wakeLoop: {})
        pipe.change { $0.end(&$1) }
        return pipe
    }

    /// Calls `body` once, outside of the lock, when a milestone is reached.
    func notify(at milestone: CBL2CAPChannel.Milestone, _ body: @escaping @Sendable () -> Void) {
        self.changeLocked { locked, _ in locked.waiting.append((milestone, body)) }
    }

    /// Reads the state, or changes it if that leads to no action.
    @inline(__always)
    func withState<Result>(_ body: (inout State) -> Result) -> Result {
        self.locked.withLockedValue { body(&$0.state) }
    }

    /// Changes the state, then carries out the actions.
    @inline(__always)
    func change<Result>(_ body: (inout State, inout Actions) -> Result) -> Result {
        self.changeLocked { locked, actions in body(&locked.state, &actions) }
    }

    @inline(__always)
    private func changeLocked<Result>(_ body: (inout Locked, inout Actions) -> Result) -> Result {
        let (result, input, output, reached) = self.locked.withLockedValue { locked in
            var actions = Actions()
            let result = body(&locked, &actions)
            if actions.wakesLoop { self.wakeLoop() }
            if actions.resumes.contains(.input) { locked.input.resume() }
            if actions.resumes.contains(.output) { locked.output.resume() }
            return (
                result,
                actions.reports.contains(.input) ? locked.input.schedule : nil,
                actions.reports.contains(.output) ? locked.output.schedule : nil,
                locked.takeReached()
            )
        }
        input?.signal()
        output?.signal()
        for call in reached { call() }
        return result
    }

    /// Sets where a stream's events are delivered.
    func attach(_ schedule: StreamSchedule, to side: Side) {
        self.locked.withLockedValue { locked in
            switch side {
            case .input: locked.input.schedule = schedule
            case .output: locked.output.schedule = schedule
            }
        }
    }

    /// Octets to the app; as `InputStream.read(_:maxLength:)`.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        self.perform(.input) { $0.read(into: buffer, &$1) }
    }

    /// Octets from the app; as `OutputStream.write(_:maxLength:)`.
    func write(_ buffer: UnsafeRawBufferPointer) -> Int {
        self.perform(.output) { $0.write(buffer, &$1) }
    }

    /// Tries until the operation is done. A thread that must not wait is refused instead.
    @inline(__always)
    private func perform(_ side: Side, _ operation: (inout State, inout Actions) -> Attempt) -> Int {
        while true {
            var semaphore: DispatchSemaphore?
            let attempt = self.changeLocked { locked, actions in
                let attempt = operation(&locked.state, &actions)
                guard attempt == .wouldBlock else { return attempt }
                guard self.mayBlock() else { return locked.state.refuse(side, .EAGAIN) }
                let waiting = DispatchSemaphore(value: 0)
                semaphore = waiting
                switch side {
                case .input: locked.input.waiting.append(waiting)
                case .output: locked.output.waiting.append(waiting)
                }
                return attempt
            }
            switch attempt {
            case .done(let result): return result
            case .wouldBlock: semaphore?.wait()
            }
        }
    }
}
