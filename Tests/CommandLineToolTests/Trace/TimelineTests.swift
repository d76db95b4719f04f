import BluetoothHCI
import Fixtures
import Foundation
import NIOCore
import Testing

@testable import CommandLineTool

@Suite("The trace of a process")
struct TimelineTests {
    private let folder: TemporaryFolder
    private let timeline: Timeline
    private let observer: TimelineObserver

    init() throws {
        folder = try TemporaryFolder()
        timeline = try Timeline(.file(folder("trace.jsonl")), device: "phone")
        observer = TimelineObserver(timeline, device: "phone")
    }

    private func entries() throws -> [TimelineEntry] { try TimelineFile.read(folder("trace.jsonl")) }

    /// An advertisement of a device with a name of one letter, at a signal strength.
    private static func report(_ device: UInt8, _ name: UInt8 = 0x41, strength: UInt8 = 0xC8) -> [UInt8] {
        [0x04, 0x3E, 0x0F, 0x02, 0x01, 0x00, 0x01, device, 2, 3, 4, 5, 0xC6, 0x03, 0x02, 0x09, name, strength]
    }

    private func receive(_ octets: [UInt8]) { observer.passes(HCIPacket(h4: ByteBuffer(bytes: octets)), .toHost) }

    private func send(_ octets: [UInt8]) { observer.passes(HCIPacket(h4: ByteBuffer(bytes: octets)), .toController) }

    @Test(
        "records packets of other devices as sent or received, and others as commands or events"
    )
    func kinds() throws {
        // A connection as central, a read with its response, a disconnection and its end.
        receive([
            0x04, 0x3E, 0x13, 0x01, 0x00, 0x40, 0x00, 0x00, 0x00, 1, 2, 3, 4, 5, 6, 0x18, 0x00, 0x00, 0x00, 0x48, 0x00,
            0x00,
        ])
        send([0x02, 0x40, 0x00, 0x07, 0x00, 0x03, 0x00, 0x04, 0x00, 0x0A, 0x12, 0x00])
        receive([0x02, 0x40, 0x20, 0x06, 0x00, 0x02, 0x00, 0x04, 0x00, 0x0B, 0x64])
        receive(Self.report(1))
        send([0x01, 0x06, 0x04, 0x03, 0x40, 0x00, 0x13])
        receive([0x04, 0x05, 0x04, 0x00, 0x40, 0x00, 0x16])
        let entries = try entries()
        #expect(entries.map(\.kind) == [.event, .sent, .received, .received, .command, .event])
        #expect(entries.map(\.layer) == ["GAP", "ATT", "ATT", "GAP", "GAP", "GAP"])
        #expect(entries[1].text == "Read Request 0x0012")
        #expect(entries[2].text == "Read Response 64 \"d\"")
        #expect(entries.allSatisfy { $0.device == "phone" && $0.time >= timeline.start })
    }

    @Test("describes handles by the device to which they belong")
    func directions() throws {
        receive([
            0x04, 0x3E, 0x13, 0x01, 0x00, 0x40, 0x00, 0x00, 0x00, 1, 2, 3, 4, 5, 6, 0x18, 0x00, 0x00, 0x00, 0x48, 0x00,
            0x00,
        ])
        // It asks for the characteristics, and learns what is at 0x0003; the other device's 0x0003 is a different one.
        send([0x02, 0x40, 0x00, 0x0B, 0x00, 0x07, 0x00, 0x04, 0x00, 0x08, 0x01, 0x00, 0xFF, 0xFF, 0x03, 0x28])
        receive([
            0x02, 0x40, 0x20, 0x0D, 0x00, 0x09, 0x00, 0x04, 0x00, 0x09, 0x07, 0x02, 0x00, 0x02, 0x03, 0x00, 0x19, 0x2A,
        ])
        send([0x02, 0x40, 0x00, 0x07, 0x00, 0x03, 0x00, 0x04, 0x00, 0x0A, 0x03, 0x00])
        receive([0x02, 0x40, 0x20, 0x07, 0x00, 0x03, 0x00, 0x04, 0x00, 0x0A, 0x03, 0x00])
        #expect(try entries().suffix(2).map(\.text) == ["Read Request 0x0003 (2A19)", "Read Request 0x0003"])
    }

    @Test("leaves out what concerns only host and controller")
    func housekeeping() throws {
        send([0x01, 0x03, 0x0C, 0x00])
        receive([0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00])
        receive(Self.report(1))
        #expect(try entries().count == 1)
    }

    @Test("records an advertisement once, whatever its strength, and again when it changes")
    func advertisements() throws {
        for octets in [Self.report(1), Self.report(1, strength: 0xB0), Self.report(2), Self.report(1, 0x42)] {
            for _ in 1...2 { receive(octets) }
        }
        #expect(try entries().count == 3)
        let other = TimelineObserver(timeline, device: "tablet")
        for _ in 1...2 { other.passes(HCIPacket(h4: ByteBuffer(bytes: Self.report(1))), .toHost) }
        #expect(try entries().map(\.device) == ["phone", "phone", "phone", "tablet"])
    }

    @Test("remembers 4,096 advertisements, and then starts again")
    func advertisementLimit() throws {
        func receive(_ numbers: Range<Int>) {
            for number in numbers {
                var octets = Self.report(UInt8(number & 0xFF))
                octets[8] = UInt8(number >> 8)
                self.receive(octets)
            }
        }
        receive(0..<4096)
        receive(0..<1)
        // The set is full and restarts, even with an advertisement that it knew.
        #expect(try entries().count == 4097)
        receive(0..<1)
        #expect(try entries().count == 4097)
    }

    @Test("records calls, callbacks, and what the app prints, in a file that is overwritten")
    func calls() throws {
        try Data("before\n".utf8).write(to: URL(fileURLWithPath: folder("again.jsonl")))
        let timeline = try Timeline(.file(folder("again.jsonl")), device: "phone")
        let observer = TimelineObserver(timeline, device: "phone")
        observer.called("stopScan()")
        observer.callsDelegate("didDiscover")
        timeline.app("Yes.")
        let entries = try TimelineFile.read(folder("again.jsonl"))
        #expect(entries.map(\.kind) == [.call, .callback, .app])
        #expect(entries.map(\.layer) == ["Core Bluetooth", "Core Bluetooth", "app"])
        #expect(entries.map(\.text) == ["stopScan()", "didDiscover", "Yes."])
    }
}
