// The digest of what passes, octet for octet, and how many advertisements a recorder knows.

import BluetoothHCI
import Fixtures
import NIOCore
import Testing

@testable import CoreBluetoothTesting

@Suite("Recorder")
struct RecorderTests {
    /// The basis and the prime of FNV-1a with 64 bits.
    private static let basis: UInt64 = 14_695_981_039_346_656_037
    private static let prime: UInt64 = 1_099_511_628_211

    private static func mix(_ words: [UInt64], into digest: UInt64) -> UInt64 {
        var digest = digest
        for word in words {
            digest = (digest ^ word) &* Self.prime
            digest ^= digest >> 29
        }
        return digest
    }

    /// The words of a packet: its length, eight octets at a time with the first one lowest, and the rest with the
    /// first one highest.
    private static func words(_ octets: [UInt8]) -> [UInt64] {
        var words = [UInt64(octets.count)]
        var rest = octets[...]
        while rest.count >= 8 {
            var word: UInt64 = 0
            for octet in rest.prefix(8).reversed() { word = word << 8 | UInt64(octet) }
            words.append(word)
            rest = rest.dropFirst(8)
        }
        var last: UInt64 = 0
        for octet in rest { last = last << 8 | UInt64(octet) }
        return words + [last]
    }

    private static func packet(_ octets: [UInt8]) -> HCIPacket { HCIPacket(h4: ByteBuffer(bytes: octets)) }

    /// An advertising report of a device with a number.
    private static func report(_ number: UInt32) -> [UInt8] {
        var octets: [UInt8] = [0x04, 0x3E, 0x0F, 0x02, 0x01, 0x00, 0x01]
        for shift in [0, 8, 16, 24] as [UInt32] { octets.append(UInt8(truncatingIfNeeded: number >> shift)) }
        octets += [5, 0xC6, 0x03, 0x02, 0x01, 0x06, 0xC8]
        return octets
    }

    @Test("The digest has each packet with its time, its direction and its device, whether it is a line or not")
    func digest() {
        let recorder = Recorder()
        let devices = [recorder.add("phone"), recorder.add("lamp")]
        #expect(devices == [0, 1] && recorder.digest == Self.basis)
        var expected = Self.basis
        var time: UInt64 = 0
        func record(_ octets: [UInt8], _ direction: TraceEntry.Direction, _ device: Int) {
            time += 1_000_000_007
            recorder.record(Self.packet(octets), direction, device: device, at: .uptimeNanoseconds(time))
            let first = UInt64(device) * 2 + (direction == .sent ? 1 : 0)
            let content = Self.mix([first] + Self.words(octets), into: Self.basis)
            expected = Self.mix([time, content], into: expected)
            #expect(recorder.digest == expected, "\(octets.count) \(direction) \(device)")
            RunRecord.note("\(recorder.digest)")
        }
        for count in [1, 2, 7, 8, 9, 15, 16, 17, 40] as [UInt8] {
            let octets: [UInt8] = (0..<count).map { $0 == 0 ? 1 : $0 &* 37 }
            for device in devices {
                record(octets, .sent, device)
                record(octets, .received, device)
            }
        }
        for _ in 1...3 { record(Self.report(7), .received, 0) }
        // What a test notes is no packet.
        recorder.note("a line", device: 0, at: .uptimeNanoseconds(time))
        #expect(recorder.digest == expected)
    }

    @Test("What was heard is heard again by another device, and by the same one after twenty thousand others")
    func advertisements() {
        let recorder = Recorder()
        let (phone, tablet) = (recorder.add("phone"), recorder.add("tablet"))
        func isLine(_ number: UInt32, _ device: Int) -> Bool {
            recorder.record(Self.packet(Self.report(number)), .received, device: device, at: .uptimeNanoseconds(0))
        }
        let areLines = [isLine(0, phone), isLine(0, tablet), isLine(0, phone), isLine(0, tablet)]
        #expect(areLines == [true, true, false, false])
        for number in UInt32(1)..<19_999 where !isLine(number, phone) { Issue.record("\(number)") }
        // Twenty thousand are known, and the next one takes their place.
        #expect([isLine(20_000, phone), isLine(20_000, phone)] == [true, false])
        #expect([isLine(0, phone), isLine(0, phone), isLine(1, phone)] == [true, false, true])
    }

    @Test("Nineteen thousand nine hundred and ninety-nine advertisements are known")
    func knownAdvertisements() {
        let recorder = Recorder()
        let phone = recorder.add("phone")
        func isLine(_ number: UInt32) -> Bool {
            recorder.record(Self.packet(Self.report(number)), .received, device: phone, at: .uptimeNanoseconds(0))
        }
        for number in UInt32(0)..<19_999 where !isLine(number) { Issue.record("\(number)") }
        #expect(!isLine(0) && !isLine(19_998) && isLine(19_999))
        // The set is full now, and whatever is heard next is new.
        #expect(isLine(0))
    }

    @Test("A recorder keeps the last lines, one at least", arguments: [-1, 0, 1, 5, 10])
    func capacity(_ capacity: Int) {
        let recorder = Recorder(capacity: capacity)
        let device = recorder.add("phone")
        let kept = max(capacity, 1)
        for number in 1...40 {
            recorder.note("line \(number)", device: device, at: .uptimeNanoseconds(UInt64(number)))
        }
        let trace = recorder.trace(of: nil)
        #expect(trace.count == kept && trace.forgottenCount == 40 - kept)
        #expect(trace.first?.text == "line \(41 - kept)" && trace.last?.text == "line 40")
        #expect(trace.last?.time == .nanoseconds(40) && trace.last?.layer == .world)
    }
}
