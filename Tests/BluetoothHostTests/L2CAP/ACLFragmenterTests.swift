import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("ACL fragmentation")
struct ACLFragmenterTests {
    private static func pdu(_ count: Int) -> ByteBuffer {
        var bytes = PDUBuffer.make(capacity: count)
        for index in 0..<count { bytes.writeInteger(UInt8(truncatingIfNeeded: index)) }
        return bytes
    }

    private func packets(_ pdu: ByteBuffer, maximumLength: Int) -> [HCIPacket] {
        var fragmenter = ACLFragmenter(
            pdu,
            channel: .attributeProtocol,
            handle: ConnectionHandle(rawValue: 0x0042),
            maximumLength: maximumLength
        )
        var packets: [HCIPacket] = []
        var finished: [Bool] = []
        while let packet = fragmenter.next() {
            packets.append(packet)
            finished.append(fragmenter.isFinished)
        }
        #expect(finished == packets.indices.map { $0 == packets.count - 1 })
        return packets
    }

    @Test func `One packet contains all headers and the PDU, written into its headroom`() {
        var pdu = PDUBuffer.make(capacity: 3)
        pdu.writeBytes([0x0A, 0x03, 0x00])
        let storage = pdu.withUnsafeReadableBytes { UInt(bitPattern: $0.baseAddress) }
        var fragmenter = ACLFragmenter(
            consume pdu,
            channel: .attributeProtocol,
            handle: ConnectionHandle(rawValue: 0x0E01),
            maximumLength: 27
        )
        let packet = fragmenter.next()
        #expect(packet.map { hex($0.bytes) } == "02 01 0E 07 00 03 00 04 00 0A 03 00")
        #expect(packet?.bytes.withUnsafeReadableBytes { UInt(bitPattern: $0.baseAddress) } == storage - 9)
        #expect(fragmenter.next() == nil)
        #expect(fragmenter.isFinished)
    }

    @Test(
        "Headers stand in front of each packet of a frame",
        arguments: [
            // A PDU without headroom is moved.
            (hex("0A 03 00"), 27, ["02 42 00 07 00 03 00 04 00 0A 03 00"]),
            (PDUBuffer.make(capacity: 0), 27, ["02 42 00 04 00 00 00 04 00"]),
            (
                pdu(10), 6,
                [
                    "02 42 00 06 00 0A 00 04 00 00 01", "02 42 10 06 00 02 03 04 05 06 07", "02 42 10 02 00 08 09",
                ]
            ),
        ]
    )
    func headers(pdu: ByteBuffer, maximumLength: Int, expected: [String]) {
        #expect(self.packets(pdu, maximumLength: maximumLength).map { hex($0.bytes) } == expected)
    }

    @Test("Every length at every size of buffer is reassembled whole", arguments: [1, 3, 4, 5, 27, 251])
    func everyLength(maximumLength: Int) throws {
        for count in Array(0...120) + [246, 247, 248, 251, 498, 499, 517] {
            let pdu = Self.pdu(count)
            let packets = self.packets(pdu, maximumLength: maximumLength)
            #expect(packets.count == max(1, (count + 4 + maximumLength - 1) / maximumLength))
            var reassembler = L2CAPReassembler()
            var frame: L2CAPFrame?
            for (index, packet) in packets.enumerated() {
                let (header, fragment) = try packet.aclData()
                #expect(header.handle == ConnectionHandle(rawValue: 0x0042))
                #expect(header.boundary == (index == 0 ? .firstNonFlushable : .continuing))
                #expect(header.length <= maximumLength)
                #expect(frame == nil)
                let outcome = reassembler.receive(fragment, isStart: header.boundary.isFirst)
                #expect(outcome.violation == nil)
                frame = outcome.frame
            }
            #expect(frame == L2CAPFrame(channel: .attributeProtocol, payload: pdu))
        }
    }
}
