import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHCI

@Suite("Completed packets")
struct CompletedPacketsTests {
    @Test("reads and writes as many links as one event can have", arguments: [0, 1, 2, 63])
    func manyLinks(count: Int) throws {
        let elements = (0..<count).map {
            CompletedPackets.Element(handle: ConnectionHandle(rawValue: UInt16($0)), count: UInt16($0 * 1000))
        }
        let packet = NumberOfCompletedPackets.packet(elements)
        #expect(packet == NumberOfCompletedPackets(completed: CompletedPackets(elements)).packet())
        guard case .numberOfCompletedPackets(let event) = try HCIEvent(packet) else {
            Issue.record("not Number Of Completed Packets")
            return
        }
        #expect(Array(event.completed) == elements)
        #expect(event.completed.underestimatedCount == count)
    }

    @Test("rejects more than 63 links", arguments: [(63, true), (64, false)] as [(UInt8, Bool)])
    func limit(count: UInt8, isValid: Bool) throws {
        var bytes = ByteBuffer(bytes: [count] + [UInt8](repeating: 1, count: Int(count) * 4))
        if isValid {
            #expect(try NumberOfCompletedPackets(parsing: &bytes).completed.underestimatedCount == 63)
            #expect(bytes.readableBytes == 0)
        } else {
            #expect(throws: MalformedBytes(.invalid, "Num_Handles")) { try NumberOfCompletedPackets(parsing: &bytes) }
        }
    }

    @Test("rejects a count of more links than there are")
    func truncated() {
        var bytes = ByteBuffer(hex: "02 23 01 02 00 FF 0E 02")
        #expect(throws: MalformedBytes.self) { try NumberOfCompletedPackets(parsing: &bytes) }
        bytes = ByteBuffer(repeating: 0x40, count: 400)
        #expect(throws: MalformedBytes(.invalid, "Num_Handles")) { try NumberOfCompletedPackets(parsing: &bytes) }
    }
}
