// An app's use of two streams: it writes numbered octets while there is capacity, and checks every octet that comes by
// its place.

package import Foundation

/// The octets of a direction, each following from its place.
private struct NumberedOctets {
    /// A prime number, so that a piece that is cut wrong does not match.
    static let period = 65_521
    private let octets: [UInt8]

    init(salt: UInt8) {
        // Twice, so that a piece may begin anywhere.
        self.octets = (0..<2 * Self.period).map { index in
            let place = index % Self.period
            return UInt8(truncatingIfNeeded: place &* 131 &+ place >> 7) ^ salt
        }
    }

    func withOctets<Result>(at place: Int, count: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        let start = place % Self.period
        return self.octets.withUnsafeBufferPointer { octets in
            body(UnsafeBufferPointer(rebasing: octets[start..<start + min(count, Self.period)]))
        }
    }
}

/// One side's use of a channel's streams.
package final class StreamUser: NSObject, StreamDelegate {
    /// The object that keeps the streams alive.
    package var channel: AnyObject?
    package let input: InputStream
    package let output: OutputStream
    package private(set) var inputEvents: [Stream.Event] = []
    package private(set) var outputEvents: [Stream.Event] = []
    package private(set) var received = 0
    package private(set) var written = 0
    /// Whether every octet came in its place.
    package private(set) var isUnchanged = true
    /// Whether octets are read when they come.
    package var reads = true
    /// The number of octets to write.
    package private(set) var total = 0
    private let outgoing: NumberedOctets
    private let incoming: NumberedOctets
    private let piece: Int
    private var buffer: [UInt8]

    /// - Parameter salt: Distinguishes this side's octets from the other's, whose salt is the complement.
    package init(_ channel: AnyObject?, _ input: InputStream, _ output: OutputStream, salt: UInt8, piece: Int) {
        self.channel = channel
        self.input = input
        self.output = output
        self.outgoing = NumberedOctets(salt: salt)
        self.incoming = NumberedOctets(salt: ~salt)
        self.piece = piece
        self.buffer = [UInt8](repeating: 0, count: piece)
        super.init()
    }

    /// Opens both streams with this object as their delegate.
    package func open(in runLoop: RunLoop = .main, mode: RunLoop.Mode = .default) {
        for stream in [self.input, self.output] as [Stream] {
            stream.delegate = self
            stream.schedule(in: runLoop, forMode: mode)
            stream.open()
        }
    }

    package func close() {
        self.input.close()
        self.output.close()
    }

    /// Writes `count` octets more, as there is capacity.
    package func write(_ count: Int) {
        self.total += count
        while self.written < self.total, self.output.hasSpaceAvailable, self.writeOnce(self.total - self.written) {}
    }

    /// Reads the octets that are there, up to a limit.
    package func read(atMost limit: Int = .max) {
        var left = limit
        while left > 0, self.input.hasBytesAvailable {
            let before = self.received
            guard self.readOnce(left) else { return }
            left -= self.received - before
        }
    }

    /// Reads once, where possible waiting for octets; false at the end.
    package func readOnce(_ limit: Int = .max) -> Bool {
        let length = min(limit, self.buffer.count)
        let count = self.buffer.withUnsafeMutableBufferPointer { self.input.read($0.baseAddress!, maxLength: length) }
        guard count > 0 else { return false }
        let isExpected = self.incoming.withOctets(at: self.received, count: count) { expected in
            self.buffer.withUnsafeBufferPointer { memcmp(expected.baseAddress!, $0.baseAddress!, count) == 0 }
        }
        if !isExpected { self.isUnchanged = false }
        self.received += count
        return true
    }

    /// Writes once, where possible waiting for capacity; false if nothing is sent any more.
    package func writeOnce(_ limit: Int) -> Bool {
        let count = self.outgoing.withOctets(at: self.written, count: min(self.piece, limit)) {
            self.output.write($0.baseAddress!, maxLength: $0.count)
        }
        guard count > 0 else { return false }
        self.written += count
        return true
    }

    package func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
        if aStream === self.input { self.inputEvents.append(eventCode) } else { self.outputEvents.append(eventCode) }
        switch eventCode {
        case .hasBytesAvailable: if self.reads { self.read() }
        case .hasSpaceAvailable: self.write(0)
        default: break
        }
    }
}
