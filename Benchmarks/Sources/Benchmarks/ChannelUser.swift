// One side's use of an L2CAP channel: ordinary stream code that writes when there is space, reads everything, and
// checks every octet.

import CoreBluetooth

final class ChannelUser: NSObject, StreamDelegate {
    private let channel: CBL2CAPChannel
    private let input: InputStream
    private let output: OutputStream
    private var toWrite = 0
    private var toRead = 0
    private var written = 0
    private var received = 0
    private(set) var isUnchanged = true
    private var buffer = [UInt8](repeating: 0, count: 65_536)
    /// Called when all expected octets have been read.
    var onDone: () -> Void = {}

    /// A prime number of octets, twice, so that a part may begin anywhere in the first half.
    private static let period = 65_521
    private static let octets: [UInt8] = (0..<2 * period).map { index in
        let place = index % period
        return UInt8(truncatingIfNeeded: place &* 131 &+ place >> 7)
    }

    init(_ channel: CBL2CAPChannel) {
        self.channel = channel
        self.input = channel.inputStream
        self.output = channel.outputStream
        super.init()
    }

    func open(in runLoop: RunLoop) {
        for stream in [self.input, self.output] as [Stream] {
            stream.delegate = self
            stream.schedule(in: runLoop, forMode: .default)
            stream.open()
        }
    }

    /// Writes and reads this number of further octets.
    func start(writing: Int, reading: Int) {
        self.toWrite += writing
        // The other side may have begun before.
        self.toRead += reading
        self.writeMore()
        if self.toRead == 0 { self.onDone() }
    }

    private func writeMore() {
        while self.toWrite > 0, self.output.hasSpaceAvailable {
            let start = self.written % Self.period
            let count = Self.octets.withUnsafeBufferPointer {
                self.output.write($0.baseAddress! + start, maxLength: min(Self.period, self.toWrite))
            }
            guard count > 0 else { return }
            self.written += count
            self.toWrite -= count
        }
    }

    private func readMore() {
        while self.input.hasBytesAvailable {
            let count = self.buffer.withUnsafeMutableBufferPointer {
                self.input.read($0.baseAddress!, maxLength: $0.count)
            }
            guard count > 0 else { return }
            self.check(count)
            self.toRead -= count
            if self.toRead == 0 { self.onDone() }
        }
    }

    private func check(_ count: Int) {
        let start = self.received % Self.period
        self.received += count
        Self.octets.withUnsafeBufferPointer { expected in
            // A part that is longer than the pattern starts over.
            let first = min(count, expected.count - start)
            if memcmp(expected.baseAddress! + start, self.buffer, first) != 0 { self.isUnchanged = false }
            guard first < count else { return }
            self.buffer.withUnsafeBufferPointer { buffer in
                let next = (start + first) % Self.period
                if memcmp(expected.baseAddress! + next, buffer.baseAddress! + first, count - first) != 0 {
                    self.isUnchanged = false
                }
            }
        }
    }

    func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
        switch eventCode {
        case .hasBytesAvailable: self.readMore()
        case .hasSpaceAvailable: self.writeMore()
        default: break
        }
    }
}
