// A process of the soak: the central or the peripheral. It carries out orders from its standard input, one a line, and
// reports the results on its standard output.
//
//     receive STREAM TRANSFER BLOCKS MARK…   the stream must deliver this next; "armed"
//     send STREAM TRANSFER BLOCKS            sends it; "sent STREAM" when the last octet is handed over
//     go                                     goes on after a mark
//     fence                                  (central) a read, which is answered after all values; "fenced"
//
// A receiver says "marked STREAM" when this number of blocks has come, and takes nothing until it reads "go": a process
// stopped then is stopped within the stream. It says "received STREAM" when a whole transfer has come, and "progress"
// meanwhile. "failed …" is the last line of a process that has seen an error.

import BenchmarkSupport
import CoreBluetooth
import Foundation

/// The code that the central and the peripheral share.
class Role: NSObject, StreamDelegate {
    static let service = CBUUID(string: "3C7A0000-5C1B-4E0E-8B57-1B5F0E6A9D10")
    static let sink = CBUUID(string: "3C7A0001-5C1B-4E0E-8B57-1B5F0E6A9D10")
    static let source = CBUUID(string: "3C7A0002-5C1B-4E0E-8B57-1B5F0E6A9D10")
    static let fence = CBUUID(string: "3C7A0003-5C1B-4E0E-8B57-1B5F0E6A9D10")

    /// The queue of the manager and of values.
    let queue = DispatchQueue(label: "soak")
    /// The thread of the channel's streams.
    private let thread = RunLoopThread()
    private let permission = DispatchSemaphore(value: 0)
    private var channel: CBL2CAPChannel?
    private var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    // Those of values are confined to the queue, those of the channel to the thread.
    private var valuesToSend: Sending?
    private var valuesToReceive: Receiving?
    private var octetsToSend: Sending?
    private var octetsToReceive: Receiving?

    /// Begins to look for the other program; reports "ready" when everything is discovered.
    func start() {}

    /// Hands a value over; returns whether it was accepted.
    func send(_ value: Data) -> Bool { false }

    /// Reads a value that arrives after all others.
    func readFence() {}

    static func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

    /// Reports an error.
    static func fail(_ text: String) -> Never {
        self.say("failed \(text)")
        exit(1)
    }

    // MARK: Orders

    /// Works until the standard input ends.
    func serve() -> Never {
        self.start()
        while let line = readLine() {
            let words = line.split(separator: " ").map(String.init)
            switch words.first {
            case "go": self.permission.signal()
            case "fence": self.queue.async { self.readFence() }
            case "receive": self.receive(words)
            case "send": self.send(words)
            default: Self.fail("no order: \(line)")
            }
        }
        exit(0)
    }

    private static func transfer(_ words: [String]) -> (stream: Stream, number: UInt64, blocks: Int) {
        guard words.count >= 4, let stream = Stream(rawValue: words[1]), let number = UInt64(words[2]),
            let blocks = Int(words[3])
        else { self.fail("no order: \(words)") }
        return (stream, number, blocks)
    }

    private func receive(_ words: [String]) {
        let (stream, number, blocks) = Self.transfer(words)
        let permission = self.permission
        let receiving = Receiving(
            stream,
            transfer: number,
            blocks: blocks,
            marks: words.dropFirst(4).compactMap { Int($0) }
        ) {
            Self.say("marked \(stream)")
            permission.wait()
        }
        if stream.isOfValues {
            self.queue.sync { self.valuesToReceive = receiving }
            Self.say("armed")
        } else {
            self.thread.perform {
                self.octetsToReceive = receiving
                Self.say("armed")
            }
        }
    }

    private func send(_ words: [String]) {
        let (stream, number, blocks) = Self.transfer(words)
        let sending = Sending(stream, transfer: number, blocks: blocks)
        if stream.isOfValues {
            self.queue.async {
                self.valuesToSend = sending
                self.sendValues()
            }
        } else {
            self.thread.perform {
                self.octetsToSend = sending
                self.sendOctets()
            }
        }
    }

    // MARK: Values

    /// Sends as many values as are accepted.
    func sendValues() {
        guard let sending = self.valuesToSend, sending.pump({ self.send($0) ? $0.count : 0 }) else { return }
        self.valuesToSend = nil
        Self.say("sent \(self.sentValues)")
    }

    /// The stream of values that this side sends.
    var sentValues: Stream { .write }

    /// A value has come.
    func received(_ value: Data) {
        guard let receiving = self.valuesToReceive else { Self.fail("\(value.count) octets that nobody has sent") }
        guard value.withUnsafeBytes({ receiving.take($0) }) else { return }
        self.valuesToReceive = nil
        Self.say("received \(self.sentValues == .write ? Stream.notify : .write)")
    }

    // MARK: The channel

    /// The channel is open.
    func opened(_ channel: CBL2CAPChannel) {
        self.thread.perform { [self] in
            self.channel = channel
            for stream in [channel.inputStream, channel.outputStream] as [Foundation.Stream?] {
                stream?.delegate = self
                stream?.schedule(in: self.thread.runLoop, forMode: .default)
                stream?.open()
            }
            Self.say("ready")
        }
    }

    func stream(_ stream: Foundation.Stream, handle event: Foundation.Stream.Event) {
        switch event {
        case .hasBytesAvailable: self.receiveOctets()
        case .hasSpaceAvailable: self.sendOctets()
        case .endEncountered, .errorOccurred: Self.fail("the channel was closed")
        default: break
        }
    }

    private func sendOctets() {
        guard let sending = self.octetsToSend, let output = self.channel?.outputStream else { return }
        let isDone = sending.pump { octets in
            guard output.hasSpaceAvailable else { return 0 }
            return octets.withUnsafeBytes {
                output.write($0.bindMemory(to: UInt8.self).baseAddress!, maxLength: $0.count)
            }
        }
        guard isDone else { return }
        self.octetsToSend = nil
        Self.say("sent \(self.sentValues == .write ? Stream.up : .down)")
    }

    private func receiveOctets() {
        guard let input = self.channel?.inputStream else { return }
        while input.hasBytesAvailable {
            let count = self.buffer.withUnsafeMutableBufferPointer { input.read($0.baseAddress!, maxLength: $0.count) }
            guard count > 0 else { return }
            guard let receiving = self.octetsToReceive else { Self.fail("\(count) octets that nobody has sent") }
            let isDone = self.buffer.withUnsafeBytes { receiving.take(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            guard isDone else { continue }
            self.octetsToReceive = nil
            Self.say("received \(self.sentValues == .write ? Stream.down : .up)")
        }
    }
}
