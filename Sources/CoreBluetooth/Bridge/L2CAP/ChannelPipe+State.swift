// The state of a channel's pipe, as a value: the octets that may be read and written, the events for the streams'
// delegates, and the work of the event loop. `ChannelPipe` guards it with its lock and carries out its actions.
//
//                 the app releases the channel           +----------+
//            +------------------------------------------>| released |
//            |                                           +----+-----+
//        +---+--+   this side ends the channel   +-------+    |
//        | open +------------------------------->| ended |    |
//        +---+--+                                +---+---+    |
//            |              the host has ended it    |        |
//            +---------------------+-----------------+--------+
//                                  v
//                            +----------+
//                            | detached |
//                            +----------+
//
// open: octets go both ways. When the app has closed both streams, the event loop closes the channel; the state remains
// until the host has done so.
//
// released: the app has no reference to the channel. Streams that it still has are at their end once everything
// received is read. If they were in use, their end is reported when the channel has ended.
//
// ended: the adapter ends the channel, because the app withdrew its PSM or its connection.
//
// detached: the channel has ended, and the event loop is no longer woken.
//
// In every state but `open`, nothing more is written, and the event loop closes the host's channel after everything
// that was written before; `CreditBasedChannel` does the closing itself. A peer can fill the window, drain what was
// written, and end the channel at any time. No timers.

import DequeModule
import Foundation
import NIOCore

extension ChannelPipe {
    /// One of the two streams.
    enum Side {
        case input
        case output
    }

    /// A set of streams.
    struct Sides: OptionSet {
        let rawValue: UInt8
        static let input = Sides(rawValue: 1)
        static let output = Sides(rawValue: 2)
    }

    /// Actions to carry out after a step.
    struct Actions: Equatable {
        /// Have the event loop call ``ChannelPipe/State/takeWork()``.
        var wakesLoop = false
        /// Streams that have events for their delegates.
        var reports: Sides = []
        /// Streams whose waiting threads may go on.
        var resumes: Sides = []
    }

    /// The outcome of a read or a write.
    enum Attempt: Equatable {
        /// The operation's result.
        case done(Int)
        /// It has to wait.
        case wouldBlock
    }

    /// Work for the event loop.
    struct Work {
        /// Octets to send, in order.
        var written: Deque<ByteBuffer> = []
        /// The number of octets that were read.
        var consumed = 0
        /// Close the channel after everything that was written.
        var isClosing = false
    }

    /// Everything that the lock guards, and the steps that change it.
    struct State {
        private enum Phase {
            case open
            /// `wasInUse` says that the app had not closed both streams.
            case released(wasInUse: Bool)
            case ended
            case detached
        }

        private var phase = Phase.open
        private var input = StreamState()
        private var output = StreamState()
        private var receiveBuffer: ReceiveBuffer
        private var sendBuffer = SendBuffer()
        /// Whether the event loop was woken and has not looked yet.
        private var isLoopAwake = false

        /// An open pipe of a channel.
        /// - Parameter window: The number of unread frames that the peer may send, and their length.
        init(window: (frames: Int, length: Int)) { self.receiveBuffer = ReceiveBuffer(window: window) }

        /// Whether nothing more is received or sent.
        private var hasEnded: Bool {
            switch self.phase {
            case .open: false
            case .released, .ended, .detached: true
            }
        }

        private var isClosing: Bool { self.hasEnded || (self.input.isClosed && self.output.isClosed) }
    }
}

// MARK: - The app

extension ChannelPipe.State {
    private subscript(side: ChannelPipe.Side) -> StreamState {
        _read {
            switch side {
            case .input: yield self.input
            case .output: yield self.output
            }
        }
        _modify {
            switch side {
            case .input: yield &self.input
            case .output: yield &self.output
            }
        }
    }

    private func condition(_ side: ChannelPipe.Side) -> StreamState.Condition {
        switch side {
        case .input:
            .init(isReady: !self.receiveBuffer.isEmpty, isAtEnd: self.hasEnded && self.receiveBuffer.isEmpty)
        case .output:
            .init(isReady: !self.hasEnded && !self.sendBuffer.isFull, isAtEnd: self.hasEnded)
        }
    }

    /// The next event for a stream's delegate.
    func nextEvent(_ side: ChannelPipe.Side) -> Stream.Event? {
        let readiness: Stream.Event = side == .input ? .hasBytesAvailable : .hasSpaceAvailable
        return self[side].nextEvent(readiness, self.condition(side))
    }

    /// The next event for a stream's delegate that is not among `reported`; it is reported now.
    mutating func takeEvent(_ side: ChannelPipe.Side, excluding reported: Stream.Event) -> Stream.Event? {
        guard let event = self.nextEvent(side), !reported.contains(event) else { return nil }
        self[side].report(event)
        return event
    }

    /// Whether a stream could be read or written at once.
    func isReady(_ side: ChannelPipe.Side) -> Bool { self[side].isOpen && self.condition(side).isReady }

    /// A stream's status.
    func status(_ side: ChannelPipe.Side) -> Stream.Status { self[side].status(self.condition(side)) }

    /// Whether a milestone is reached.
    func has(_ milestone: CBL2CAPChannel.Milestone) -> Bool {
        switch (milestone, self.phase) {
        case (_, .detached): true
        case (.sent, _): self.sendBuffer.isEmpty
        case (.ended, _): false
        }
    }

    /// A stream's error.
    func error(_ side: ChannelPipe.Side) -> (any Error)? { self[side].error }

    /// The app opens a stream.
    mutating func open(_ side: ChannelPipe.Side, _ actions: inout ChannelPipe.Actions) {
        self[side].open()
        self.report(side, &actions)
    }

    /// The app closes a stream; with the second one the channel closes, too.
    mutating func close(_ side: ChannelPipe.Side, _ actions: inout ChannelPipe.Actions) {
        guard !self[side].isClosed else { return }
        self[side].close()
        actions.resumes.insert(side == .input ? .input : .output)
        if side == .input { self.receiveBuffer.discard() }
        self.wakeLoop(&actions)
    }

    /// The app has released the channel.
    mutating func release(_ actions: inout ChannelPipe.Actions) {
        switch self.phase {
        case .open: self.end(.released(wasInUse: !self.isClosing), &actions)
        case .released, .ended, .detached: break
        }
        self.wakeLoop(&actions)
    }

    /// The app reads.
    mutating func read(
        into buffer: UnsafeMutableRawBufferPointer,
        _ actions: inout ChannelPipe.Actions
    ) -> ChannelPipe.Attempt {
        guard self.input.isOpen else { return self.refuse(.input, .ENOTCONN) }
        guard !buffer.isEmpty else { return .done(0) }
        let count = self.receiveBuffer.read(into: buffer)
        // End of stream, which is also reported to the delegate.
        guard count > 0 else { return self.hasEnded ? .done(0) : .wouldBlock }
        self.input.arm()
        if self.receiveBuffer.isReportDue { self.wakeLoop(&actions) }
        self.report(.input, &actions)
        return .done(count)
    }

    /// The app writes.
    mutating func write(
        _ buffer: UnsafeRawBufferPointer,
        _ actions: inout ChannelPipe.Actions
    ) -> ChannelPipe.Attempt {
        guard self.output.isOpen else { return self.refuse(.output, .ENOTCONN) }
        guard !self.hasEnded else {
            self.output.fail(.EPIPE)
            self.report(.output, &actions)
            return .done(-1)
        }
        guard !buffer.isEmpty else { return .done(0) }
        let count = self.sendBuffer.write(buffer)
        guard count > 0 else { return .wouldBlock }
        self.output.arm()
        self.wakeLoop(&actions)
        self.report(.output, &actions)
        return .done(count)
    }

    /// An operation was refused, and the next one may succeed.
    mutating func refuse(_ side: ChannelPipe.Side, _ code: POSIXErrorCode) -> ChannelPipe.Attempt {
        self[side].refuse(code)
        return .done(-1)
    }

    /// Has a stream's delegate called if there is an event for it.
    private func report(_ side: ChannelPipe.Side, _ actions: inout ChannelPipe.Actions) {
        if self.nextEvent(side) != nil { actions.reports.insert(side == .input ? .input : .output) }
    }

    private mutating func wakeLoop(_ actions: inout ChannelPipe.Actions) {
        if case .detached = self.phase { return }
        guard !self.isLoopAwake else { return }
        self.isLoopAwake = true
        actions.wakesLoop = true
    }
}

// MARK: - The event loop

extension ChannelPipe.State {
    /// Octets came.
    mutating func receive(_ pieces: [ByteBuffer], _ actions: inout ChannelPipe.Actions) {
        self.receiveBuffer.append(pieces)
        guard !self.input.isClosed else {
            self.receiveBuffer.discard()
            return self.wakeLoop(&actions)
        }
        actions.resumes.insert(.input)
        self.report(.input, &actions)
    }

    /// The app's work since the last call.
    mutating func takeWork() -> ChannelPipe.Work {
        self.isLoopAwake = false
        return ChannelPipe.Work(
            written: self.sendBuffer.take(),
            consumed: self.receiveBuffer.takeConsumed(),
            isClosing: self.isClosing
        )
    }

    /// The host has taken `count` octets.
    mutating func sent(_ count: Int, _ actions: inout ChannelPipe.Actions) {
        guard self.sendBuffer.sent(count) else { return }
        actions.resumes.insert(.output)
        self.report(.output, &actions)
    }

    /// The adapter ends the channel: received octets may still be read, nothing more is written.
    mutating func end(_ actions: inout ChannelPipe.Actions) { self.end(.ended, &actions) }

    /// The host has ended the channel. Returns whether the app had released it while it was in use.
    mutating func detach(_ actions: inout ChannelPipe.Actions) -> Bool {
        let wasInUse = if case .released(let wasInUse) = self.phase { wasInUse } else { false }
        self.end(.detached, &actions)
        self.phase = .detached
        return wasInUse
    }

    private mutating func end(_ phase: Phase, _ actions: inout ChannelPipe.Actions) {
        guard !self.hasEnded else { return }
        self.phase = phase
        actions.resumes.formUnion([.input, .output])
        self.report(.input, &actions)
        self.report(.output, &actions)
    }
}
