import CommandLineTool
import CoreBluetooth
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("The central's side of the benchmark's channel")
@MainActor
struct BenchmarkChannelTests {
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

    @Test("sends the number, then so many octets in pieces of up to 65,536, and waits for one octet")
    func toDevice() async throws {
        let line = StreamLine(capacity: .max)
        try await Self.transfer(100_000, isToDevice: true, on: line) { line in
            line.report(.hasSpaceAvailable)
            line.report(.hasBytesAvailable)
            line.octets = Data([1])
            line.report(.hasBytesAvailable)
        }
        #expect(line.writeLengths == [8, 65_536, 34_464])
        #expect(line.sent == UInt64(100_000).littleEndianData + Data(repeating: 0x2A, count: 100_000))
        #expect(line.calls == ["input opens", "output opens", "input closes", "output closes"])
    }

    @Test("sends the rest once there is space")
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
        #expect(line.sent == UInt64(5).littleEndianData + Data(repeating: 0x2A, count: 5))
    }

    @Test("orders octets, and is done with the last of them")
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
        #expect(line.sent == (UInt64(70_000) | BenchmarkService.sendsBit).littleEndianData)
        // Nothing is read behind them.
        #expect(line.readLengths == Array(repeating: 65_536, count: 4))
        #expect(line.calls.suffix(3) == ["before the last", "input closes", "output closes"])
    }

    @Test(
        "fails with the reason if the channel ends or fails before all is done",
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
