// Whole captures as text, on record: links that come and go, discoveries and what they name later, and packets that
// make no sense.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("PacketFormatter: a walk")
struct PacketFormatterWalkTests {
    @Test("Each packet's text is on record, on one line", arguments: 1...3 as ClosedRange<UInt64>)
    func captures(seed: UInt64) {
        var walk = PacketWalk(seed: seed)
        var formatter = PacketFormatter(name: { $0 == PacketWalk.peers[0] ? "ball" : nil })
        var layers: Set<PacketDescription.Layer> = []
        for number in 0..<3_000 {
            for (packet, direction, _) in walk.next() {
                let description = formatter.describe(packet, direction)
                RunRecord.note("\(number) \(description.handle.map { "\($0)" } ?? "-") \(description)")
                #expect(!description.text.isEmpty && !description.text.contains("\n"))
                layers.insert(description.layer)
            }
        }
        #expect(layers == Set(PacketDescription.Layer.allCases))
    }

    @Test("Each code of the signalling channel and of the Security Manager has its text, whole and cut")
    func codes() {
        for code in 0...0x1F as ClosedRange<UInt8> {
            for length in 0...16 {
                for fill in [0, 1] as [UInt8] {
                    var bytes = ByteBuffer(bytes: [code, 9])
                    bytes.writeInteger(UInt16(length), endianness: .little)
                    bytes.writeRepeatingByte(fill, count: length)
                    RunRecord.note("\(code) \(length) \(fill) \(signallingText(bytes))")
                    bytes.moveWriterIndex(to: max(0, bytes.writerIndex - 1))
                    RunRecord.note("\(code) \(length) \(fill) cut \(signallingText(bytes))")
                }
            }
            for rest in 0...2 {
                let bytes = ByteBuffer(bytes: [code] + Array(repeating: 7, count: rest))
                RunRecord.note("\(code) \(rest) \(pairingText(bytes))")
            }
        }
        #expect(pairingText(ByteBuffer()) == "Empty PDU")
    }
}
