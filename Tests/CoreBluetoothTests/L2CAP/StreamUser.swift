// An app's use of a channel: it writes numbered octets whenever there is capacity, reads what comes, and checks every
// octet by its place.

import Foundation

@testable import CoreBluetooth

/// The octets of a direction, each following from its place.
struct Numbered {
    /// A prime number of octets, so that nothing that is cut wrong goes unseen.
    private static let period = 65_521
    private let octets: [UInt8]

    init(salt: UInt8) {
        // Twice, so that a piece may begin anywhere in it.
        self.octets = (0..<2 * Self.period).map { index in
            let place = index % Self.period
            return UInt8(truncatingIfNeeded: place &* 131 &+ place >> 7) ^ salt
        }
    }

    /// Calls `body` with up to `count` octets from a place on.
    func withOctets<Result>(at place: Int, count: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        let start = place % Self.period
        return self.octets.withUnsafeBufferPointer { octets in
            body(UnsafeBufferPointer(rebasing: octets[start..<start + min(count, Self.period)]))
        }
    }

    /// Whether octets are those that belong at a place.
    func match(_ received: UnsafeBufferPointer<UInt8>, at place: Int) -> Bool {
        self.withOctets(at: place, count: received.count) { expected in
            expected.count == received.count
                && memcmp(expected.baseAddress!, received.baseAddress!, received.count) == 0
        }
    }
}

/// One side's use of a channel.
final class StreamUser: NSObject, StreamDelegate {
    var channel: CBL2CAPChannel?
    let input: InputStream
    let output: OutputStream
    /// What was reported, by stream.
    private(set) var inputEvents: [Stream.Event] = []
    private(set) var outputEvents: [Stream.Event] = []
    private(set) var received = 0
    private(set) var written = 0
    private(set) var isUnchanged = true
    /// Whether octets are read when they are there.
    var reads = true
    /// How many octets are to be written in all.
    private(set) var total = 0
    private let outgoing: Numbered
    private let incoming: Numbered
    private let piece: Int
    private var buffer: [UInt8]

    /// - Parameter salt: What distinguishes this side's octets from the other's, which are salted with the opposite.
    init(_ channel: CBL2CAPChannel, salt: UInt8, piece: Int = 65_521) {
        self.channel = channel
        self.input = channel.inputStream
        self.output = channel.outputStream
        self.outgoing = Numbered(salt: salt)
        self.incoming = Numbered(salt: ~salt)
        self.piece = piece
        self.buffer = [UInt8](repeating: 0, count: piece)
        super.init()
    }

    /// Has both streams call this object, and opens them.
    func open(in runLoop: RunLoop = .main, mode: RunLoop.Mode = .default) {
        for stream in [self.input, self.output] as [Stream] {
            stream.delegate = self
            stream.schedule(in: runLoop, forMode: mode)
            stream.open()
        }
    }

    func close() {
        self.input.close()
        self.output.close()
    }

    /// Writes so many octets more, as there is capacity.
    func write(_ count: Int) {
        self.total += count
        self.writeMore()
    }

    private func writeMore() {
        while self.written < self.total, self.output.hasSpaceAvailable {
            let count = self.outgoing.withOctets(at: self.written, count: min(self.piece, self.total - self.written)) {
                self.output.write($0.baseAddress!, maxLength: $0.count)
            }
            guard count > 0 else { return }
            self.written += count
        }
    }

    /// Reads what is there, up to so many octets.
    func read(atMost limit: Int = .max) {
        var left = limit
        while left > 0, self.input.hasBytesAvailable {
            let length = min(left, self.buffer.count)
            let count = self.buffer.withUnsafeMutableBufferPointer {
                self.input.read($0.baseAddress!, maxLength: length)
            }
            guard count > 0 else { return }
            self.check(count)
            left -= count
        }
    }

    private func check(_ count: Int) {
        self.buffer.withUnsafeBufferPointer { buffer in
            let octets = UnsafeBufferPointer(rebasing: buffer[..<count])
            if !self.incoming.match(octets, at: self.received) { self.isUnchanged = false }
        }
        self.received += count
    }

    /// Reads once, waiting for octets where there are none; false at the end.
    func readOnce() -> Bool {
        let count = self.buffer.withUnsafeMutableBufferPointer { self.input.read($0.baseAddress!, maxLength: $0.count) }
        guard count > 0 else { return false }
        self.check(count)
        return true
    }

    /// Writes once, waiting for capacity where there is none; false where nothing is sent any more.
    func writeOnce(_ limit: Int) -> Bool {
        let count = self.outgoing.withOctets(at: self.written, count: min(self.piece, limit)) {
            self.output.write($0.baseAddress!, maxLength: $0.count)
        }
        guard count > 0 else { return false }
        self.written += count
        return true
    }

    func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
        if aStream === self.input { self.inputEvents.append(eventCode) } else { self.outputEvents.append(eventCode) }
        switch eventCode {
        case .hasBytesAvailable: if self.reads { self.read() }
        case .hasSpaceAvailable: self.writeMore()
        default: break
        }
    }
}
