// The capture of a device, packet by packet: whose packets are in it, which way they went, and when, to the
// microsecond.

import BluetoothHCI
import BluetoothTransport
import Fixtures
import NIOCore
import Testing

@testable import CoreBluetoothTesting

@Suite("The capture of a recorder")
struct RecorderCaptureTests {
    private static func record(
        _ octets: [UInt8],
        _ direction: TraceEntry.Direction,
        _ device: Recorder.DeviceIndex,
        _ nanoseconds: UInt64,
        _ recorder: Recorder
    ) {
        let packet = HCIPacket(h4: ByteBuffer(bytes: octets))
        recorder.record(packet, direction, device: device, at: .uptimeNanoseconds(nanoseconds))
    }

    @Test("It has the packets of its device alone, with their directions, and their times from the year 2000 on")
    func packets() throws {
        let recorder = Recorder()
        let (phone, lamp) = (recorder.add("phone"), recorder.add("lamp"))
        let (reset, event): ([UInt8], [UInt8]) = ([0x01, 0x03, 0x0C, 0x00], [0x04, 0xFF, 0x01, 0x00])
        Self.record(reset, .sent, phone, 0, recorder)
        Self.record(event, .received, phone, 999, recorder)
        Self.record(event, .received, lamp, 1_000, recorder)
        recorder.note("a line", device: phone, at: .uptimeNanoseconds(2_000))
        Self.record(event, .received, phone, 1_000, recorder)
        // An hour and some.
        Self.record(reset, .sent, phone, 3_601_234_567_891, recorder)
        var reader = try BTSnoopReader(recorder.capture(of: "phone"))
        var lines: [String] = []
        while let record = try reader.next() {
            let octets = Array(record.packet.bytes.readableBytesView)
            let time = record.time.microsecondsSince1970
            lines.append("\(octets == reset ? "reset" : "event") \(record.direction) \(time)")
            #expect(octets == reset || octets == event)
        }
        for line in lines { RunRecord.note(line) }
        #expect(
            lines == [
                "reset toController 946684800000000", "event toHost 946684800000000", "event toHost 946684800000001",
                "reset toController 946688401234567",
            ]
        )
        var other = try BTSnoopReader(recorder.capture(of: "lamp"))
        let first = try other.next()
        let end = try other.next()
        #expect(first?.time.microsecondsSince1970 == 946_684_800_000_001 && end == nil)
        // A device that there is not has the beginning of a file, of 16 octets, and no packets.
        #expect(recorder.capture(of: "nobody").readableBytes == 16)
    }
}
