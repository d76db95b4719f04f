import BluetoothHCI
import BluetoothTransport
import NIOCore
import Testing

@testable import CoreBluetoothTesting

@Suite("Recorder")
struct RecorderTests {
    private static let reset: [UInt8] = [0x01, 0x03, 0x0C, 0x00]
    private static let event: [UInt8] = [0x04, 0xFF, 0x01, 0x00]
    /// A notification whose fourth octet is the same as that of an extended advertising report.
    private static let notification: [UInt8] = [
        0x02, 0x40, 0x20, 0x0D, 0x00, 0x09, 0x00, 0x04, 0x00, 0x1B, 0x03, 0x00, 1, 2, 3, 4, 5, 6,
    ]

    /// An advertising report of a device with a number.
    private static func report(_ number: UInt32, flags: UInt8 = 6) -> [UInt8] {
        let address = [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: number >> $0) }
        return [0x04, 0x3E, 0x0F, 0x02, 0x01, 0x00, 0x01] + address + [5, 0xC6, 0x03, 0x02, 0x01, flags, 0xC8]
    }

    @discardableResult
    private static func record(
        _ octets: [UInt8],
        _ direction: TraceEntry.Direction = .received,
        _ device: Recorder.DeviceIndex = 0,
        _ nanoseconds: UInt64 = 0,
        in recorder: Recorder
    ) -> Bool {
        let packet = HCIPacket(h4: ByteBuffer(bytes: octets))
        return recorder.record(packet, direction, device: device, at: .uptimeNanoseconds(nanoseconds))
    }

    private static func times(_ recorder: Recorder, _ device: String) throws -> [Int64] {
        var reader = try BTSnoopReader(recorder.capture(of: device))
        var times: [Int64] = []
        while let record = try reader.next() { times.append(record.time.microsecondsSince1970 - 946_684_800_000_000) }
        return times
    }

    @Test("captures the packets of one device with their directions, and times from the year 2000 on")
    func captures() throws {
        let recorder = Recorder()
        let (phone, lamp) = (recorder.add("phone"), recorder.add("lamp"))
        Self.record(Self.reset, .sent, phone, 0, in: recorder)
        Self.record(Self.event, .received, phone, 999, in: recorder)
        Self.record(Self.event, .received, lamp, 1_000, in: recorder)
        recorder.note("a line", device: phone, at: .uptimeNanoseconds(2_000))
        Self.record(Self.event, .received, phone, 1_000, in: recorder)
        Self.record(Self.reset, .sent, phone, 3_601_234_567_891, in: recorder)
        var reader = try BTSnoopReader(recorder.capture(of: "phone"))
        var lines: [String] = []
        while let record = try reader.next() {
            let isReset = Array(record.packet.bytes.readableBytesView) == Self.reset
            lines.append("\(isReset ? "reset" : "event") \(record.direction) \(record.time.microsecondsSince1970)")
        }
        #expect(
            lines == [
                "reset toController 946684800000000", "event toHost 946684800000000", "event toHost 946684800000001",
                "reset toController 946688401234567",
            ]
        )
        #expect(try Self.times(recorder, "lamp") == [1])
        #expect(recorder.capture(of: "nobody").readableBytes == 16, "the header of a file, and no packets")
    }

    @Test(
        "drops the oldest packets together when there are a fifth too many",
        arguments: [(10, 11, 11), (10, 12, 12), (10, 13, 10), (10, 16, 10), (4, 5, 4), (5, 6, 6), (5, 7, 5)]
    )
    func room(capacity: Int, count: Int, left: Int) throws {
        let recorder = Recorder(capacity: capacity)
        _ = recorder.add("phone")
        for number in 1...count { Self.record(Self.reset, .sent, 0, UInt64(number) * 1_000, in: recorder) }
        #expect(try Self.times(recorder, "phone") == Array(Int64(count - left + 1)...Int64(count)))
        let kept = min(count, capacity)
        let trace = recorder.trace(of: nil).includingHCI
        #expect(trace.count == kept && trace.forgottenCount == count - kept)
    }

    @Test("makes an advertisement a line once for each device, and again when it changes; all else is a line")
    func repetitions() {
        let recorder = Recorder()
        for name in ["phone", "thermo"] { _ = recorder.add(name) }
        func lines(_ octets: [UInt8], _ direction: TraceEntry.Direction, _ device: Int = 0) -> [Bool] {
            (0..<3).map { _ in Self.record(octets, direction, device, in: recorder) }
        }
        #expect(lines(Self.report(1), .received) == [true, false, false])
        #expect(lines(Self.report(1), .received, 1) == [true, false, false])
        #expect(lines(Self.report(1, flags: 4), .received) == [true, false, false])
        for octets in [Self.notification, Self.reset, Self.event] {
            #expect(lines(octets, .received) == [true, true, true])
        }
        #expect(lines(Self.report(1), .sent) == [true, true, true])
        #expect(recorder.trace(of: "phone").includingHCI.count == 14)
        #expect(recorder.trace(of: "thermo").includingHCI.count == 1 && recorder.trace(of: "nobody").isEmpty)
    }

    @Test("remembers twenty thousand advertisements")
    func advertisements() {
        let recorder = Recorder()
        let (phone, tablet) = (recorder.add("phone"), recorder.add("tablet"))
        func isLine(_ number: UInt32, _ device: Int) -> Bool {
            Self.record(Self.report(number), .received, device, in: recorder)
        }
        #expect([isLine(0, phone), isLine(0, tablet), isLine(0, phone)] == [true, true, false])
        for number in UInt32(1)..<19_999 where !isLine(number, phone) { Issue.record("\(number)") }
        // The set is full, and the next one begins another.
        #expect([isLine(20_000, phone), isLine(20_000, phone)] == [true, false])
        #expect([isLine(0, phone), isLine(0, phone), isLine(1, phone)] == [true, false, true])
    }

    @Test("makes a digest of every octet, the device and the time", arguments: 0...9)
    func digest(length: Int) {
        func digest(_ octets: [UInt8], device: Int = 0, time: UInt64 = 1) -> UInt64 {
            let recorder = Recorder()
            for name in ["phone", "thermo"] { _ = recorder.add(name) }
            Self.record(octets, .sent, device, time, in: recorder)
            return recorder.digest
        }
        let octets = [0x01] + (0..<length).map(UInt8.init)
        var digests = [digest(octets), digest(octets, device: 1), digest(octets, time: 2), digest(octets + [0])]
        for index in octets.indices {
            var changed = octets
            changed[index] ^= 0x80
            digests.append(digest(changed))
        }
        #expect(Set(digests).count == digests.count)
        #expect(digest(octets) == digests[0])
    }
}
