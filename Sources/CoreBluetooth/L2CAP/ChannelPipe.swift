// What a channel's streams and the event loop share: the octets that came and were not read, and those that were written
// and have not left. Streams are used on any thread; everything in here is guarded by one lock, and streams are called
// after it is free. The event loop is woken under the lock: once a pipe is detached from it, it may be no more.
//
// Both directions have a limit. Octets that are not read give the peer no credits, so no more than the channel's window
// comes; of octets to send only so many are taken until the host has room for them. Either side is woken once for however
// much there is.

import DequeModule
import Foundation
import NIOConcurrencyHelpers
import NIOCore

/// The octets between a channel's streams and the event loop.
final class ChannelPipe: Sendable {
    /// One of the two streams.
    enum Side {
        case input
        case output
    }

    /// What the event loop has to do.
    struct Work {
        /// Octets to send, in order.
        var written: Deque<ByteBuffer> = []
        /// How many octets were read.
        var consumed = 0
        /// Nobody needs the channel any more, once everything written has left.
        var isClosing = false
    }

    /// How many octets may have been written and not be taken by the host.
    static let sendLimit = 131_072
    /// The app's small pieces are joined in buffers of this length.
    static let joinedLength = 4_096

    private let state = NIOLockedValueBox(State())
    /// How many octets, and how many pieces, are read before the event loop is told.
    private let octetStep: Int
    private let pieceStep: Int
    /// Whether the present thread may be kept waiting: not where the event loop would wait for itself.
    private let maySleep: @Sendable () -> Bool
    private let wakeLoop: @Sendable () -> Void

    /// An open pipe.
    /// - Parameters:
    ///   - window: How many frames the peer may send that were not read, and how long each is.
    ///   - maySleep: Whether the thread that asks may be kept waiting.
    ///   - wakeLoop: Makes the event loop call ``takeWork()`` some time after.
    init(
        window: (frames: Int, length: Int),
        maySleep: @escaping @Sendable () -> Bool,
        wakeLoop: @escaping @Sendable () -> Void
    ) {
        self.octetStep = max(1, window.frames * window.length / 4)
        self.pieceStep = max(1, window.frames / 4)
        self.maySleep = maySleep
        self.wakeLoop = wakeLoop
    }

    /// A pipe of no channel, at its end.
    static func makeEnded() -> ChannelPipe {
        let pipe = ChannelPipe(window: (1, 1), maySleep: { false }, wakeLoop: {})
        pipe.end()
        return pipe
    }

    /// Changes the state, then wakes whom that concerns.
    @inline(__always)
    private func change<Result>(_ body: (inout State, inout Calls) -> Result) -> Result {
        var calls = Calls()
        let result = self.state.withLockedValue { state in
            let result = body(&state, &calls)
            if calls.wakesLoop { self.wakeLoop() }
            return result
        }
        calls.input?.signal()
        calls.output?.signal()
        return result
    }
}

// MARK: - The streams

extension ChannelPipe {
    /// Says where a stream's events are delivered.
    func attach(_ schedule: StreamSchedule, to side: Side) {
        self.state.withLockedValue { state in
            switch side {
            case .input: state.inputSchedule = schedule
            case .output: state.outputSchedule = schedule
            }
        }
    }

    /// Opens a stream.
    func open(_ side: Side) {
        self.change { state, calls in
            state[side].open()
            state.owe(side, &calls)
        }
    }

    /// Closes a stream; with the second one the channel closes, too.
    func close(_ side: Side) {
        self.change { state, calls in
            guard !state[side].isClosed else { return }
            state[side].close()
            state[side].wake()
            if side == .input { state.discardReceived() }
            if state.isClosing || side == .input { state.wakeLoop(&calls) }
        }
    }

    /// The app has let go of the channel.
    func release() {
        self.change { state, calls in
            guard !state.isReleased else { return }
            state.wasDropped = !state.hasEnded && !state.isClosing
            state.isReleased = true
            state.wakeLoop(&calls)
            state.end(&calls)
        }
    }

    /// Octets to the app; as `InputStream.read(_:maxLength:)`.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        while true {
            let step: Step = self.change { state, calls in
                guard state.input.isOpen else { return state.input.refuse(.ENOTCONN) }
                guard !buffer.isEmpty else { return .done(0) }
                let count = state.read(into: buffer)
                guard count == 0 else {
                    if state.hasReportDue(self.octetStep, self.pieceStep) { state.wakeLoop(&calls) }
                    state.owe(.input, &calls)
                    return .done(count)
                }
                // The end; the delegate is told of it, too.
                if state.hasEnded { return .done(0) }
                return self.maySleep() ? .wait(state.input.wait()) : state.input.refuse(.EAGAIN)
            }
            switch step {
            case .done(let result): return result
            case .wait(let semaphore): semaphore.wait()
            }
        }
    }

    /// Octets from the app; as `OutputStream.write(_:maxLength:)`.
    func write(_ buffer: UnsafeRawBufferPointer) -> Int {
        while true {
            let step: Step = self.change { state, calls in
                guard state.output.isOpen else { return state.output.refuse(.ENOTCONN) }
                guard !state.hasEnded else {
                    state.output.fail(.EPIPE)
                    state.owe(.output, &calls)
                    return .done(-1)
                }
                guard !buffer.isEmpty else { return .done(0) }
                let count = state.write(buffer)
                guard count == 0 else {
                    state.wakeLoop(&calls)
                    state.owe(.output, &calls)
                    return .done(count)
                }
                return self.maySleep() ? .wait(state.output.wait()) : state.output.refuse(.EAGAIN)
            }
            switch step {
            case .done(let result): return result
            case .wait(let semaphore): semaphore.wait()
            }
        }
    }

    /// Whether a stream could be read or written at once.
    func isReady(_ side: Side) -> Bool {
        self.state.withLockedValue { $0[side].isOpen && $0.isReady(side) }
    }

    /// A stream's status.
    func status(_ side: Side) -> Stream.Status {
        self.state.withLockedValue { $0[side].status($0.prospects(side)) }
    }

    /// A stream's error.
    func error(_ side: Side) -> (any Error)? { self.state.withLockedValue { $0[side].error } }

    /// The next event for a stream's delegate that is not among `told`.
    func takeEvent(_ side: Side, excluding told: Stream.Event) -> Stream.Event? {
        self.state.withLockedValue { state in
            guard let event = state.nextEvent(side), !told.contains(event) else { return nil }
            state[side].tell(event)
            return event
        }
    }

    /// Whether a stream's delegate is owed an event.
    func hasEvent(_ side: Side) -> Bool { self.state.withLockedValue { $0.nextEvent(side) != nil } }
}

// MARK: - The event loop

extension ChannelPipe {
    /// Whether the app let go of the channel while it used it.
    var wasDropped: Bool { self.state.withLockedValue { $0.wasDropped } }

    /// Octets came; leaves `pieces` empty.
    func deliver(_ pieces: inout [ByteBuffer]) {
        self.change { state, calls in
            state.receive(pieces, )
            if state.input.isClosed { return state.wakeLoop(&calls) }
            state.input.wake()
            state.owe(.input, &calls)
        }
        pieces.removeAll(keepingCapacity: true)
    }

    /// What was asked for since the last time.
    func takeWork() -> Work {
        self.state.withLockedValue { state in
            var work = Work(consumed: state.consumed, isClosing: state.isClosing)
            swap(&work.written, &state.written)
            state.consumed = 0
            // What is there and was not read counts on, since the peer waits for credits for that, too.
            if state.receivedOctets == 0 { state.unreportedPieces = 0 }
            state.isLoopAwake = false
            return work
        }
    }

    /// The host has taken so many octets.
    func sent(_ count: Int) {
        self.change { state, calls in
            state.queuedOctets -= count
            guard state.isFull, state.queuedOctets <= Self.sendLimit / 2 else { return }
            state.isFull = false
            state.output.wake()
            state.owe(.output, &calls)
        }
    }

    /// The channel has ended: what came may still be read, nothing more goes.
    func end() { self.change { state, calls in state.end(&calls) } }

    /// The channel has ended, and the event loop is woken no more.
    func detach() {
        self.change { state, calls in
            state.isDetached = true
            state.end(&calls)
        }
    }
}
