// Captures of random packets in random pieces, truncated anywhere or with an octet changed.

import BluetoothHCI
import Fixtures
import NIOCore
import Testing

@testable import BluetoothTransport

@Suite("Random captures")
struct CaptureReaderSimulationTests {
    /// The packets parsed from random pieces, and whether the octets end inside a record; `nil` after an error.
    private static func read(_ octets: [UInt8], _ choices: inout SeededChoices) -> (packets: [[UInt8]], isCut: Bool?) {
        var reader = CaptureReader()
        var packets: [[UInt8]] = []
        var rest = octets[...]
        while !rest.isEmpty {
            let piece = rest.prefix(1 + choices.below(choices.pick([1, 30, 300])))
            rest = rest.dropFirst(piece.count)
            reader.append(ByteBuffer(bytes: piece))
            do {
                while let record = try reader.next() {
                    packets.append(Array(record.packet.bytes.readableBytesView))
                }
            } catch {
                return (packets, nil)
            }
        }
        return (packets, reader.cut != nil)
    }

    @Test(
        "are parsed the same in any pieces, up to the last complete record or up to the damage",
        arguments: simulationSeeds(40)
    )
    func records(seed: UInt64) {
        var choices = SeededChoices(seed: seed)
        let packets = (0..<choices.below(12)).map { _ -> [UInt8] in
            choices.once(in: 2)
                ? choices.pick([[0x01, 0x03, 0x0C, 0x00], [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00]])
                : [UInt8(1 + choices.below(4))] + choices.octets(1 + choices.below(60))
        }
        var bytes = ByteBuffer()
        BTSnoopWriter.writeFileHeader(into: &bytes)
        for packet in packets {
            let direction = choices.once(in: 2) ? BTSnoop.Direction.toHost : .toController
            let time = BTSnoop.Timestamp(microsecondsSince1970: 0)
            BTSnoopWriter.write(HCIPacket(h4: ByteBuffer(bytes: packet)), direction, at: time, into: &bytes)
        }
        let file = Array(bytes.readableBytesView)
        // The ends of the records, which have a header of 24 octets.
        let ends = packets.reduce(into: [16]) { $0.append(($0.last ?? 0) + 24 + $1.count) }
        let whole = Self.read(file, &choices)
        #expect(whole.packets == packets && whole.isCut == false)

        let length = choices.below(file.count + 1)
        let cut = Self.read(Array(file.prefix(length)), &choices)
        let count = ends.count { $0 <= length } - 1
        #expect(cut.packets == Array(packets.prefix(max(0, count))))
        #expect(cut.isCut == (length != (count < 0 ? 0 : ends[count])))

        var damaged = file
        let place = choices.below(file.count)
        damaged[place] = damaged[place] ^ UInt8(1 + choices.below(255))
        let intact = max(0, ends.count { $0 <= place } - 1)
        #expect(Self.read(damaged, &choices).packets.prefix(intact) == packets.prefix(intact))
    }
}
