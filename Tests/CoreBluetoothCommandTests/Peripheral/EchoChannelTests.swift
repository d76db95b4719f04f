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

    @Test(
        "closes both streams once at their end or error, and reads nothing afterwards",
        arguments: [Stream.Event.endEncountered.rawValue, Stream.Event.errorOccurred.rawValue]
    )
    func end(event: UInt) {
        let line = StreamLine(capacity: .max)
        var count = 0
        let echo = EchoChannel(StreamChannel(line)) { count += $0.count }
        #expect(line.calls == ["input opens", "output opens"])
        echo.stream(line.stream, handle: .openCompleted)
        #expect(!echo.isDone)
        for _ in 1...2 { echo.stream(line.stream, handle: Stream.Event(rawValue: event)) }
        #expect(echo.isDone)
        #expect(line.calls.dropFirst(2) == ["input closes", "output closes"])
        line.octets = Data([1])
        echo.stream(line.stream, handle: .hasBytesAvailable)
        #expect(count == 0 && line.readLengths.isEmpty && line.sent.isEmpty)
    }

    @Test("is released by the session with the next channel once it has ended, and no other one")
    func forgotten() throws {
        let world = World(seed: 1)
        let manager = world.addDevice("peripheral").run { CBPeripheralManager(delegate: nil, queue: nil) }
        let session = try PeripheralSession.described(nil)
        func open() -> StreamLine {
            let line = StreamLine(capacity: .max)
            let channel = StreamChannel(line)
            line.channel = channel
            session.peripheralManager(manager, didOpen: channel, error: nil)
            return line
        }
        let lines = [open(), open()]
        #expect(lines.allSatisfy { $0.channel != nil })
        lines[0].report(.endEncountered)
        _ = open()
        #expect(lines[0].channel == nil)
        #expect(lines[1].channel != nil)
        lines[1].octets = Data([5])
        lines[1].report(.hasBytesAvailable)
        #expect(lines[1].sent == Data([5]))
        session.peripheralManager(manager, didOpen: nil, error: nil)
        #expect(lines[1].channel != nil)
        withExtendedLifetime((session, world)) {}
    }

}
