// The octets of a channel between the event loop and the app's streams, one buffer for each direction. Values only; the
// pipe's lock guards them.
//
// Both have a limit. The peer gets no credits for unread octets, so it sends at most the channel's window; the send
// buffer takes no more octets until the host has capacity for them.

import DequeModule
import NIOCore

/// Received octets that were not read.
struct ReceiveBuffer {
    /// Small pieces are joined in buffers of this length, so that none retains the packet that it came in.
    private static let joinedLength = 4_096
    private static let smallLength = 256

    private(set) var pieces: Deque<ByteBuffer> = []
    /// The number of octets that can be read.
    private(set) var octets = 0
    /// The octets that were read and the event loop has not fetched, and the pieces that came since.
    private var consumed = 0
    private var unreportedPieces = 0
    /// The number of octets, and of pieces, that are read before the event loop is notified.
    private let octetStep: Int
    private let pieceStep: Int

    /// A buffer for a channel.
    /// - Parameter window: The number of unread frames that the peer may send, and their length.
    init(window: (frames: Int, length: Int)) {
        self.octetStep = max(1, window.frames * window.length / 4)
        self.pieceStep = max(1, window.frames / 4)
    }

    /// Whether there is nothing to read.
    var isEmpty: Bool { self.octets == 0 }

    /// Whether enough was read to give the peer credits.
    var isReportDue: Bool {
        self.consumed >= self.octetStep || (self.octets == 0 && self.unreportedPieces >= self.pieceStep)
    }

    /// Adds received octets.
    mutating func append(_ pieces: [ByteBuffer]) {
        self.unreportedPieces += pieces.count
        for piece in pieces {
            self.octets += piece.readableBytes
            if piece.readableBytes < Self.smallLength { self.join(piece) } else { self.pieces.append(piece) }
        }
    }

    private mutating func join(_ piece: ByteBuffer) {
        if let last = self.pieces.indices.last, self.pieces[last].writableBytes >= piece.readableBytes {
            self.pieces[last].writeImmutableBuffer(piece)
        } else {
            var joined = ByteBufferAllocator().buffer(capacity: Self.joinedLength)
            joined.writeImmutableBuffer(piece)
            self.pieces.append(joined)
        }
    }

    /// Reads as much as there is and fits.
    mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        var count = 0
        while count < buffer.count, !self.pieces.isEmpty {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
            count += self.pieces[0].readWithUnsafeReadableBytes { octets in
                let length = min(octets.count, rest.count)
                rest.copyMemory(from: UnsafeRawBufferPointer(rebasing: octets[..<length]))
                return length
            }
            if self.pieces[0].readableBytes == 0 { self.pieces.removeFirst() }
        }
        self.octets -= count
        self.consumed += count
        return count
    }

    /// Drops all octets as if they were read.
    mutating func discard() {
        self.consumed += self.octets
        self.octets = 0
        self.pieces = []
    }

    /// The number of octets that were read since the last call.
    mutating func takeConsumed() -> Int {
        // Unread pieces still count, since the peer waits for credits for them, too.
        if self.octets == 0 { self.unreportedPieces = 0 }
        defer { self.consumed = 0 }
        return self.consumed
    }
}

/// Written octets that the host has not taken.
struct SendBuffer {
    /// The number of octets that may wait.
    static let limit = 131_072
    /// The app's small pieces are joined in buffers of this length.
    private static let joinedLength = 4_096

    private var pieces: Deque<ByteBuffer> = []
    /// Written, and not yet taken by the host.
    private var octets = 0
    /// Whether the limit was reached, and half of it is not free yet: a stream reports capacity when that is worth an
    /// event.
    private(set) var isFull = false

    /// Whether the host has taken everything that was written.
    var isEmpty: Bool { self.octets == 0 }

    /// Takes as much as the limit allows.
    mutating func write(_ buffer: UnsafeRawBufferPointer) -> Int {
        let capacity = Self.limit - self.octets
        let count = min(buffer.count, capacity)
        if count == capacity { self.isFull = true }
        guard count > 0 else { return 0 }
        let octets = UnsafeRawBufferPointer(rebasing: buffer[..<count])
        if let last = self.pieces.indices.last, self.pieces[last].writableBytes >= count {
            self.pieces[last].writeBytes(octets)
        } else {
            var piece = ByteBufferAllocator().buffer(capacity: max(count, Self.joinedLength))
            piece.writeBytes(octets)
            self.pieces.append(piece)
        }
        self.octets += count
        return count
    }

    /// The pieces that were written since the last time, in order. They count until the host has taken them.
    mutating func take() -> Deque<ByteBuffer> {
        var taken: Deque<ByteBuffer> = []
        swap(&taken, &self.pieces)
        return taken
    }

    /// The host has taken `count` octets. Returns true if the buffer was full and has capacity again.
    mutating func sent(_ count: Int) -> Bool {
        self.octets -= count
        guard self.isFull, self.octets <= Self.limit / 2 else { return false }
        self.isFull = false
        return true
    }
}
