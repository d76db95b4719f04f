// Random captures as text.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("PacketFormatter: simulation")
struct PacketFormatterSimulationTests {
    @Test("describes any packet on one line", arguments: simulationSeeds(2))
    func captures(seed: UInt64) {
        var capture = RandomCapture(seed: seed)
        var formatter = PacketFormatter(name: { $0 == RandomCapture.peers[0] ? "ball" : nil })
        var layers: Set<PacketDescription.Layer> = []
        for _ in 0..<2_000 {
            for (packet, direction, _) in capture.next() {
                let description = formatter.describe(packet, direction)
                #expect(!description.text.isEmpty && !description.text.contains("\n"))
                layers.insert(description.layer)
            }
        }
        #expect(layers == Set(PacketDescription.Layer.allCases))
    }

    @Test(
        "describes any signalling and pairing command, complete and truncated",
        arguments: 0...0x1F as ClosedRange<UInt8>
    )
    func commands(code: UInt8) {
        for length in 0...16 {
            var bytes = ByteBuffer(bytes: [code, 9])
            bytes.writeInteger(UInt16(length), endianness: .little)
            bytes.writeRepeatingByte(1, count: length)
            #expect(!signallingText(bytes).isEmpty && !pairingText(bytes).isEmpty)
            bytes.moveWriterIndex(to: bytes.writerIndex - 1)
            #expect(!signallingText(bytes).isEmpty)
        }
    }
}
