// What a channel's pipe keeps for both directions, and the steps that change it. All of it is under the pipe's lock.

import DequeModule
import Dispatch
import Foundation
import NIOCore

extension ChannelPipe {
    /// What is to be done after the lock is free.
    struct Calls {
        var wakesLoop = false
        var input: StreamSchedule?
        var output: StreamSchedule?
    }

    /// What became of an attempt to read or write.
    enum Step {
        /// The operation's result.
        case done(Int)
        /// The thread has to wait and try again.
        case wait(DispatchSemaphore)
    }

    /// Everything that is guarded.
    struct State {
        // To the app.
        var received: Deque<ByteBuffer> = []
        var receivedOctets = 0
        /// What was read and the event loop was not told of: octets, and pieces that came since.
        var consumed = 0
        var unreportedPieces = 0
        // From the app.
        var written: Deque<ByteBuffer> = []
        /// Written, and not yet taken by the host.
        var queuedOctets = 0
        /// Whether room ran out, and half of it is not free yet: a stream says that it has room when that is worth a word.
        var isFull = false
        // Both.
        var input = StreamEnd()
        var output = StreamEnd()
        var inputSchedule: StreamSchedule?
        var outputSchedule: StreamSchedule?
        /// Whether nothing comes or goes any more.
        var hasEnded = false
        /// Whether the event loop knows the pipe no more.
        var isDetached = false
        /// Whether the app has let go of the channel.
        var isReleased = false
        /// Whether it did so with the streams in use.
        var wasDropped = false
        /// Whether the event loop was woken and has not looked yet.
        var isLoopAwake = false
    }
}

extension StreamEnd {
    /// An operation cannot be done now, and another may.
    mutating func refuse(_ code: POSIXErrorCode) -> ChannelPipe.Step {
        self.note(code)
        return .done(-1)
    }
}

extension ChannelPipe.State {
    subscript(side: ChannelPipe.Side) -> StreamEnd {
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

    var isClosing: Bool { self.isReleased || (self.input.isClosed && self.output.isClosed) }

    func isReady(_ side: ChannelPipe.Side) -> Bool {
        switch side {
        case .input: self.receivedOctets > 0
        case .output: !self.hasEnded && !self.isFull
        }
    }

    func prospects(_ side: ChannelPipe.Side) -> StreamEnd.Prospects {
        switch side {
        case .input: .init(isReady: self.receivedOctets > 0, isAtEnd: self.hasEnded && self.receivedOctets == 0)
        case .output: .init(isReady: self.isReady(.output), isAtEnd: self.hasEnded)
        }
    }

    func nextEvent(_ side: ChannelPipe.Side) -> Stream.Event? {
        switch side {
        case .input: self.input.nextEvent(.hasBytesAvailable, self.prospects(.input))
        case .output: self.output.nextEvent(.hasSpaceAvailable, self.prospects(.output))
        }
    }

    /// Has a stream's delegate called where there is something to tell.
    func owe(_ side: ChannelPipe.Side, _ calls: inout ChannelPipe.Calls) {
        guard self.nextEvent(side) != nil else { return }
        switch side {
        case .input: calls.input = self.inputSchedule
        case .output: calls.output = self.outputSchedule
        }
    }

    mutating func wakeLoop(_ calls: inout ChannelPipe.Calls) {
        guard !self.isLoopAwake, !self.isDetached else { return }
        self.isLoopAwake = true
        calls.wakesLoop = true
    }

    mutating func end(_ calls: inout ChannelPipe.Calls) {
        guard !self.hasEnded else { return }
        self.hasEnded = true
        self.input.wake()
        self.output.wake()
        self.owe(.input, &calls)
        self.owe(.output, &calls)
    }

    mutating func receive(_ pieces: [ByteBuffer]) {
        self.unreportedPieces += pieces.count
        guard !self.input.isClosed else {
            self.consumed += pieces.reduce(0) { $0 + $1.readableBytes }
            return
        }
        for piece in pieces {
            let count = piece.readableBytes
            self.receivedOctets += count
            // A small piece is not kept with all of the packet that it came in.
            if count < ChannelPipe.joinedLength / 16 {
                self.join(piece)
            } else {
                self.received.append(piece)
            }
        }
    }

    private mutating func join(_ piece: ByteBuffer) {
        if let last = self.received.indices.last, self.received[last].writableBytes >= piece.readableBytes {
            self.received[last].writeImmutableBuffer(piece)
        } else {
            var joined = ByteBufferAllocator().buffer(capacity: ChannelPipe.joinedLength)
            joined.writeImmutableBuffer(piece)
            self.received.append(joined)
        }
    }

    mutating func discardReceived() {
        self.consumed += self.receivedOctets
        self.receivedOctets = 0
        self.received = []
    }

    mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        var count = 0
        while count < buffer.count, !self.received.isEmpty {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
            count += self.received[0].readWithUnsafeReadableBytes { octets in
                let length = min(octets.count, rest.count)
                rest.copyMemory(from: UnsafeRawBufferPointer(rebasing: octets[..<length]))
                return length
            }
            if self.received[0].readableBytes == 0 { self.received.removeFirst() }
        }
        self.receivedOctets -= count
        self.consumed += count
        if count > 0 { self.input.arm() }
        return count
    }

    /// Whether enough was read that the peer is to get credits for it.
    func hasReportDue(_ octets: Int, _ pieces: Int) -> Bool {
        self.consumed >= octets || (self.receivedOctets == 0 && self.unreportedPieces >= pieces)
    }

    mutating func write(_ buffer: UnsafeRawBufferPointer) -> Int {
        let room = ChannelPipe.sendLimit - self.queuedOctets
        let count = min(buffer.count, room)
        if count == room { self.isFull = true }
        guard count > 0 else { return 0 }
        let octets = UnsafeRawBufferPointer(rebasing: buffer[..<count])
        if let last = self.written.indices.last, self.written[last].writableBytes >= count {
            self.written[last].writeBytes(octets)
        } else {
            var piece = ByteBufferAllocator().buffer(capacity: max(count, ChannelPipe.joinedLength))
            piece.writeBytes(octets)
            self.written.append(piece)
        }
        self.queuedOctets += count
        self.output.arm()
        return count
    }
}
