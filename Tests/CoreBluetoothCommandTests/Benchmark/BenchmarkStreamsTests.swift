// Both sides of the benchmark's L2CAP channel on streams of the test's own: in which pieces they read and write, what
// they do where a stream gives or takes nothing, how they end, and that a server lets go of a channel that has ended.

import CommandLineTool
import CoreBluetooth
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("The streams of the benchmark's channel")
@MainActor
struct BenchmarkStreamsTests {
    /// An order: a number of eight octets, the least significant first, whose highest bit says who sends.
    private static func order(_ count: UInt32, sends: Bool = false) -> Data {
        let octets = (0..<4).map { UInt8(truncatingIfNeeded: count >> UInt32(8 * $0)) }
        return Data(octets + [0, 0, 0, sends ? 0x80 : 0])
    }

    // MARK: The peripheral

    private static func open(_ server: BenchmarkServer, capacity: Int = .max) -> StreamLine {
        let line = StreamLine(capacity: capacity)
        let channel = StreamChannel(line)
        line.channel = channel
        server.opened(channel)
        return line
    }

    @Test("The server reads an order by itself, then up to 65,536 octets at once, and confirms the last one")
    func reads() {
        let server = BenchmarkServer()
        let line = Self.open(server)
        line.octets = Self.order(100_000) + Data(repeating: 7, count: 100_000) + Self.order(0) + Self.order(1)
        line.report(.hasBytesAvailable)
        #expect(line.readLengths == [8, 65_536, 34_464, 8, 8])
        #expect(line.sent == Data([1, 1]))
        line.octets = Data([7])
        line.report(.hasBytesAvailable)
        #expect(line.readLengths.suffix(1) == [1] && line.sent == Data([1, 1, 1]))
        withExtendedLifetime(server) {}
    }

    @Test("The server sends what was ordered in pieces of up to 65,536 octets, as there is space, and no more")
    func sends() {
        let server = BenchmarkServer()
        let line = Self.open(server, capacity: 0)
        line.octets = Self.order(100_000, sends: true)
        line.report(.hasBytesAvailable)
        #expect(line.sent.isEmpty && line.writeLengths.isEmpty)
        line.capacity = 10
        line.report(.hasSpaceAvailable)
        #expect(line.sent.count == 10 && line.writeLengths == [65_536])
        line.capacity = .max
        line.report(.hasSpaceAvailable)
        #expect(line.sent.count == 100_000 && line.writeLengths == [65_536, 65_536, 34_454])
        line.report(.hasSpaceAvailable)
        #expect(line.writeLengths.count == 3)
        withExtendedLifetime(server) {}
    }

    @Test("A stream that gives or takes nothing is asked again with its next event", arguments: [0, -1])
    func nothing(answer: Int) {
        let server = BenchmarkServer()
        let line = Self.open(server)
        line.octets = Self.order(3, sends: true)
        line.readAnswer = answer
        line.report(.hasBytesAvailable)
        #expect(line.readLengths == [8])
        line.readAnswer = nil
        line.writeAnswer = answer
        line.report(.hasBytesAvailable)
        #expect(line.readLengths == [8, 8] && line.writeLengths == [3] && line.sent.isEmpty)
        line.writeAnswer = nil
        line.report(.hasSpaceAvailable)
        #expect(line.writeLengths == [3, 3] && line.sent.count == 3)
        withExtendedLifetime(server) {}
    }

    @Test(
        "The end of a stream and an error close both of the server's streams, once, and nothing is read behind them",
        arguments: [Stream.Event.endEncountered.rawValue, Stream.Event.errorOccurred.rawValue]
    )
    func end(event: UInt) {
        let server = BenchmarkServer()
        let line = Self.open(server)
        line.report(.openCompleted)
        #expect(line.calls == ["input opens", "output opens"])
        for _ in 1...2 { line.report(Stream.Event(rawValue: event)) }
        #expect(line.calls == ["input opens", "output opens", "input closes", "output closes"])
        line.octets = Self.order(0)
        line.report(.hasBytesAvailable)
        #expect(line.readLengths.isEmpty && line.sent.isEmpty)
        withExtendedLifetime(server) {}
    }

    @Test("The next channel that is opened lets the server forget those that have ended, and no other one")
    func forgotten() {
        let server = BenchmarkServer()
        let lines = [Self.open(server), Self.open(server)]
        #expect(lines.allSatisfy { $0.channel != nil })
        lines[0].report(.endEncountered)
        _ = Self.open(server)
        #expect(lines[0].channel == nil && lines[1].channel != nil)
        lines[1].octets = Self.order(0)
        lines[1].report(.hasBytesAvailable)
        #expect(lines[1].sent == Data([1]))
        withExtendedLifetime(server) {}
    }

    // MARK: The central

    /// Carries out a transfer whose events are reported as soon as its streams are open.
    private static func transfer(
        _ octets: Int,
        isToDevice: Bool,
        on line: StreamLine,
        _ events: @escaping (StreamLine) -> Void
    ) async throws {
        line.onOpen = { [unowned line] in events(line) }
        try await ProgressLine.during("a transfer", .items("octets")) { progress in
            let channel = StreamChannel(line)
            try await BenchmarkChannel(channel, octets: octets, isToDevice: isToDevice, progress: progress).run()
        }
    }

    @Test("The central sends the number, then so many octets in pieces of up to 65,536, and waits for one octet")
    func toDevice() async throws {
        let line = StreamLine(capacity: .max)
        try await Self.transfer(100_000, isToDevice: true, on: line) { line in
            line.report(.hasSpaceAvailable)
            line.report(.hasBytesAvailable)
            line.octets = Data([1])
            line.report(.hasBytesAvailable)
        }
        #expect(line.writeLengths == [8, 65_536, 34_464])
        #expect(line.sent == Self.order(100_000) + Data(repeating: 0x2A, count: 100_000))
        #expect(line.calls == ["input opens", "output opens", "input closes", "output closes"])
    }

    @Test("What the central could not send at once follows with the next space")
    func littleSpace() async throws {
        let line = StreamLine(capacity: 9)
        try await Self.transfer(5, isToDevice: true, on: line) { line in
            line.report(.hasSpaceAvailable)
            line.writeAnswer = 0
            line.capacity = 100
            line.report(.hasSpaceAvailable)
            line.writeAnswer = nil
            line.report(.hasSpaceAvailable)
            line.report(.hasSpaceAvailable)
            line.octets = Data([1])
            line.report(.hasBytesAvailable)
        }
        #expect(line.writeLengths == [8, 5, 4, 4])
        #expect(line.sent == Self.order(5) + Data(repeating: 0x2A, count: 5))
    }

    @Test("The central orders so many octets, and is done with the last of them")
    func fromDevice() async throws {
        let line = StreamLine(capacity: .max)
        try await Self.transfer(70_000, isToDevice: false, on: line) { line in
            line.report(.hasSpaceAvailable)
            line.octets = Data(repeating: 7, count: 69_999)
            line.report(.hasBytesAvailable)
            line.octets = Data([7])
            line.readAnswer = 0
            line.report(.hasBytesAvailable)
            line.note("before the last")
            line.readAnswer = nil
            line.report(.hasBytesAvailable)
            line.octets = Data([7])
            line.report(.hasBytesAvailable)
        }
        #expect(line.sent == Self.order(70_000, sends: true))
        // What comes behind them is not read.
        #expect(line.readLengths == Array(repeating: 65_536, count: 4))
        #expect(line.calls.suffix(3) == ["before the last", "input closes", "output closes"])
    }

    @Test(
        "A channel that ends, or fails, before all is done ends the transfer with the reason",
        arguments: [Stream.Event.endEncountered.rawValue, Stream.Event.errorOccurred.rawValue]
    )
    func closed(event: UInt) async {
        let line = StreamLine(capacity: .max)
        var reason: String?
        do {
            try await Self.transfer(2, isToDevice: false, on: line) { line in
                line.octets = Data([7])
                line.report(.hasBytesAvailable)
                line.report(Stream.Event(rawValue: event))
            }
        } catch {
            reason = (error as? Failure)?.line
        }
        #expect(reason == "the channel was closed")
        #expect(line.calls.suffix(2) == ["input closes", "output closes"])
    }
}
