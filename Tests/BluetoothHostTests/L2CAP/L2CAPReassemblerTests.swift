import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("L2CAP reassembly")
struct L2CAPReassemblerTests {
    private typealias Outcome = L2CAPReassembler.Outcome

    private let frame = L2CAPFrame(channel: .attributeProtocol, payload: hex("0B 11 22 33"))
    private let octets = hex("04 00 04 00 0B 11 22 33")

    @Test func `A frame in one fragment is a slice of it`() {
        var reassembler = L2CAPReassembler()
        let octets = self.octets
        let outcome = reassembler.receive(octets, isStart: true)
        #expect(outcome == Outcome(frame: self.frame))
        let address = octets.withUnsafeReadableBytes { UInt(bitPattern: $0.baseAddress) }
        #expect(outcome.frame?.payload.withUnsafeReadableBytes { UInt(bitPattern: $0.baseAddress) } == address + 4)
    }

    @Test func `A frame is reassembled from any fragments, even if its header is divided`() {
        for cut in 0..<8 {
            for second in cut..<8 {
                var reassembler = L2CAPReassembler()
                var rest = self.octets
                let parts = [cut, second - cut, 8 - second].compactMap { rest.readSlice(length: $0) }
                #expect(reassembler.receive(parts[0], isStart: true) == Outcome())
                #expect(reassembler.receive(parts[1], isStart: false) == Outcome())
                #expect(reassembler.receive(parts[2], isStart: false) == Outcome(frame: self.frame))
                #expect(reassembler.receive(self.octets, isStart: true) == Outcome(frame: self.frame))
            }
        }
    }

    @Test func `A frame without payload and one for an unknown channel are delivered`() {
        var reassembler = L2CAPReassembler()
        #expect(
            reassembler.receive(hex("00 00 3A 00"), isStart: true)
                == Outcome(frame: L2CAPFrame(channel: CID(rawValue: 0x003A), payload: ByteBuffer()))
        )
    }

    @Test func `A start before the end drops the current frame and begins the next one`() {
        var reassembler = L2CAPReassembler()
        #expect(reassembler.receive(hex("04 00 04 00 0B"), isStart: true) == Outcome())
        #expect(
            reassembler.receive(self.octets, isStart: true)
                == Outcome(frame: self.frame, violation: .startBeforeEnd)
        )
        #expect(reassembler.receive(hex("04 00"), isStart: true) == Outcome())
        #expect(reassembler.receive(hex("04 00 04 00 0B"), isStart: true) == Outcome(violation: .startBeforeEnd))
        #expect(reassembler.receive(hex("11 22 33"), isStart: false) == Outcome(frame: self.frame))
    }

    @Test func `A continuation without a start is dropped`() {
        var reassembler = L2CAPReassembler()
        #expect(reassembler.receive(hex("11 22"), isStart: false) == Outcome(violation: .continuationWithoutStart))
        #expect(reassembler.receive(self.octets, isStart: true) == Outcome(frame: self.frame))
        #expect(reassembler.receive(hex("11 22"), isStart: false) == Outcome(violation: .continuationWithoutStart))
    }

    @Test func `More octets than announced drop the frame, in the first fragment and in a later one`() {
        var reassembler = L2CAPReassembler()
        #expect(
            reassembler.receive(hex("01 00 04 00 0B 11"), isStart: true) == Outcome(violation: .moreOctetsThanAnnounced)
        )
        #expect(reassembler.receive(hex("22"), isStart: false) == Outcome())
        #expect(reassembler.receive(hex("04 00 04 00 0B"), isStart: true) == Outcome())
        #expect(
            reassembler.receive(hex("11 22 33 44"), isStart: false) == Outcome(violation: .moreOctetsThanAnnounced)
        )
        #expect(reassembler.receive(hex("55"), isStart: false) == Outcome())
        #expect(reassembler.receive(self.octets, isStart: true) == Outcome(frame: self.frame))
    }

    @Test func `A frame beyond the limit is dropped with all its fragments, and reported once`() {
        var reassembler = L2CAPReassembler(maximumPayloadLength: 4)
        #expect(reassembler.receive(self.octets, isStart: true) == Outcome(frame: self.frame))
        #expect(
            reassembler.receive(hex("05 00 04 00 0B"), isStart: true)
                == Outcome(violation: .tooLong(5, .attributeProtocol))
        )
        #expect(reassembler.receive(hex("11 22 33 44"), isStart: false) == Outcome())
        #expect(reassembler.receive(hex("FF FF"), isStart: true) == Outcome())
        #expect(
            reassembler.receive(hex("04 00"), isStart: false)
                == Outcome(violation: .tooLong(0xFFFF, .attributeProtocol))
        )
        #expect(reassembler.receive(self.octets, isStart: true) == Outcome(frame: self.frame))
    }
}

@Suite("L2CAP reassembly: simulation")
struct L2CAPReassemblerSimulationTests {
    @Test("Delivers whole frames between random fragments, and none beyond the limit", arguments: simulationSeeds(4))
    func randomFragments(seed: UInt64) {
        var choices = SeededChoices(seed: seed)
        var reassembler = L2CAPReassembler(maximumPayloadLength: 64)
        for _ in 0..<2_000 {
            for _ in 0..<choices.below(4) {
                var octets = ByteBuffer()
                if choices.once(in: 2) {
                    let (length, channel) = (UInt16(choices.below(71)), UInt16(choices.below(8)))
                    octets.writeMultipleIntegers(length, channel, endianness: .little)
                }
                octets.writeBytes(choices.octets(choices.below(33)))
                let outcome = reassembler.receive(octets, isStart: choices.once(in: 2))
                #expect((outcome.frame?.payload.readableBytes ?? 0) <= 64)
            }
            let payload = ByteBuffer(bytes: choices.octets(choices.below(65)))
            var octets = ByteBuffer()
            octets.writeMultipleIntegers(UInt16(payload.readableBytes), UInt16(4), endianness: .little)
            octets.writeImmutableBuffer(payload)
            var rest = octets
            let start = rest.readSlice(length: choices.below(octets.readableBytes + 1)) ?? ByteBuffer()
            var outcome = reassembler.receive(start, isStart: true)
            if rest.readableBytes > 0 { outcome = reassembler.receive(rest, isStart: false) }
            #expect(outcome.frame == L2CAPFrame(channel: .attributeProtocol, payload: payload))
        }
    }
}
