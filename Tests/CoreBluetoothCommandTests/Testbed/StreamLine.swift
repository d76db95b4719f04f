// The streams of an L2CAP channel as a test has them: it says what can be read and how much is taken, and sees what was
// asked for and what was sent. The events are those that the test reports.

import CoreBluetooth
import Foundation

/// The state of both streams of a channel.
final class StreamLine {
    /// The octets that can be read.
    var octets = Data()
    /// The number of octets that are still taken.
    fileprivate var capacity: Int
    private(set) var sent = Data()
    private(set) var readLengths: [Int] = []
    private(set) var calls: [String] = []
    weak var delegate: (any StreamDelegate)?
    weak var channel: StreamChannel?
    /// A stream that an event may name.
    let stream: Stream = InputStream(data: Data())

    init(capacity: Int) { self.capacity = capacity }

    /// Tells who has opened the streams of an event.
    func report(_ event: Stream.Event) { delegate?.stream(stream, handle: event) }

    func note(_ call: String) { calls.append(call) }

    func read(_ buffer: UnsafeMutablePointer<UInt8>, _ length: Int) -> Int {
        readLengths.append(length)
        // What goes on all the same does not do so for ever.
        if readLengths.count > 1_000 { octets = Data() }
        let part = octets.prefix(length)
        for (index, octet) in part.enumerated() { buffer[index] = octet }
        octets = Data(octets.dropFirst(part.count))
        return part.count
    }

    func write(_ buffer: UnsafePointer<UInt8>, _ length: Int) -> Int {
        let count = min(length, capacity)
        sent.append(buffer, count: count)
        capacity -= count
        return count
    }
}

/// A channel whose streams are a line's.
final class StreamChannel: CBL2CAPChannel {
    private let input: LineInputStream
    private let output: LineOutputStream

    init(_ line: StreamLine) {
        input = LineInputStream(line)
        output = LineOutputStream(line)
        super.init()
    }

    override var inputStream: InputStream! { input }
    override var outputStream: OutputStream! { output }
    override var psm: CBL2CAPPSM { 192 }
}

final class LineInputStream: InputStream {
    private let line: StreamLine

    init(_ line: StreamLine) {
        self.line = line
        super.init(data: Data())
    }

    override var delegate: (any StreamDelegate)? {
        get { line.delegate }
        set { line.delegate = newValue }
    }

    override func open() { line.note("input opens") }
    override func close() { line.note("input closes") }
    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int { line.read(buffer, len) }
    override var hasBytesAvailable: Bool { !line.octets.isEmpty }
    override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {}
    override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {}
}

final class LineOutputStream: OutputStream {
    private let line: StreamLine

    init(_ line: StreamLine) {
        self.line = line
        super.init(toMemory: ())
    }

    /// Foundation wants every class of streams to have this.
    required convenience init(toMemory: ()) { self.init(StreamLine(capacity: 0)) }

    override var delegate: (any StreamDelegate)? {
        get { line.delegate }
        set { line.delegate = newValue }
    }

    override func open() { line.note("output opens") }
    override func close() { line.note("output closes") }
    override func write(_ buffer: UnsafePointer<UInt8>, maxLength len: Int) -> Int { line.write(buffer, len) }
    override var hasSpaceAvailable: Bool { line.capacity > 0 }
    override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {}
    override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {}
}
