// The ends of channels: of those that a description has, which send back what comes, and of the benchmark's.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("A channel that sends back what comes")
@MainActor
struct EchoChannelTests {
    @Test("reads no more while 65,536 octets wait to be sent")
    func limit() {
        for (first, counts) in [(65_536, [65_536, 65_536]), (65_535, [65_535, 69_631])] {
            let line = StreamLine(capacity: 0)
            var count = 0
            let echo = EchoChannel(StreamChannel(line)) { count += $0.count }
            line.octets = Data(repeating: 7, count: first)
            echo.stream(line.stream, handle: .hasBytesAvailable)
            #expect(count == counts[0])
            line.octets += Data(repeating: 8, count: 10_000)
            echo.stream(line.stream, handle: .hasBytesAvailable)
            #expect(count == counts[1])
            #expect(line.sent.isEmpty)
        }
    }

    @Test("reports everything that came before the end, even if it was not sent back")
    func rest() {
        let line = StreamLine(capacity: 0)
        var count = 0
        let echo = EchoChannel(StreamChannel(line)) { count += $0.count }
        line.octets = Data(repeating: 7, count: 65_536)
        echo.stream(line.stream, handle: .hasBytesAvailable)
        line.octets += Data(repeating: 8, count: 10_000)
        echo.stream(line.stream, handle: .endEncountered)
        #expect(count == 75_536 && line.sent.isEmpty && line.calls.suffix(2) == ["input closes", "output closes"])
    }

    /// Opens channels of a session, or of the benchmark.
    private struct Opener {
        let world = World(seed: 1)
        let session: AdvertiseSession
        let manager: CBPeripheralManager
        let server: BenchmarkServer?

        @MainActor
        init(isBenchmark: Bool) throws {
            manager = world.addDevice("peripheral").run { CBPeripheralManager(delegate: nil, queue: nil) }
            session = try AdvertiseSession.described(nil)
            server = isBenchmark ? BenchmarkServer() : nil
        }

        @MainActor
        func open() -> StreamLine {
            let line = StreamLine(capacity: .max)
            let channel = StreamChannel(line)
            line.channel = channel
            if let server {
                server.opened(channel)
            } else {
                session.peripheralManager(manager, didOpen: channel, error: nil)
            }
            return line
        }
    }

    @Test(
        "closes both streams once at their end or error, and reads nothing afterwards; so does the benchmark's",
        arguments: [Stream.Event.endEncountered.rawValue, Stream.Event.errorOccurred.rawValue],
        [false, true]
    )
    func end(event: UInt, isBenchmark: Bool) throws {
        let opener = try Opener(isBenchmark: isBenchmark)
        let line = opener.open()
        line.report(.openCompleted)
        #expect(line.calls == ["input opens", "output opens"])
        for _ in 1...2 { line.report(Stream.Event(rawValue: event)) }
        #expect(line.calls == ["input opens", "output opens", "input closes", "output closes"])
        line.octets = UInt64(0).littleEndianData
        line.report(.hasBytesAvailable)
        #expect(line.readLengths.isEmpty && line.sent.isEmpty)
        withExtendedLifetime(opener) {}
    }

    @Test("is released with the next channel once it has ended, and no other one", arguments: [false, true])
    func forgotten(isBenchmark: Bool) throws {
        let opener = try Opener(isBenchmark: isBenchmark)
        let lines = [opener.open(), opener.open()]
        #expect(lines.allSatisfy { $0.channel != nil })
        lines[0].report(.endEncountered)
        _ = opener.open()
        #expect(lines[0].channel == nil && lines[1].channel != nil)
        lines[1].octets = UInt64(0).littleEndianData
        lines[1].report(.hasBytesAvailable)
        opener.session.peripheralManager(opener.manager, didOpen: nil, error: nil)
        #expect(lines[1].channel != nil)
        #expect(lines[1].sent == (isBenchmark ? Data([1]) : UInt64(0).littleEndianData))
        withExtendedLifetime(opener) {}
    }
}
