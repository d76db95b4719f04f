import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT database")
struct GATTDatabaseTests {
    /// A service of an odd number of attributes.
    private static func service(_ count: Int, at handle: AttributeHandle? = nil) -> GATTServiceDefinition {
        precondition(count % 2 == 1)
        let characteristic = GATTServerFixture.fixed(0xF001, "01")
        return GATTServiceDefinition(
            uuid: 0xF000,
            handle: handle,
            characteristics: Array(repeating: characteristic, count: (count - 1) / 2)
        )
    }

    /// The fixed value of an attribute.
    private static func value(_ handle: AttributeHandle, of database: GATTDatabase) -> String? {
        guard let index = database.index(of: handle), case .fixed(let value) = database.attributes[index].content
        else { return nil }
        return hex(value)
    }

    // MARK: Handles

    @Test("refuses handles that belong to another service, 0, and handles beyond 0xFFFF")
    func handlesInUse() throws {
        var database = GATTDatabase()
        #expect(try database.add(Self.service(1, at: 5)).range == 5...5)
        for (count, handle) in [(1, 5), (3, 3), (3, 4), (3, 5), (1, 0), (3, 0), (3, 0xFFFE), (3, 0xFFFF)]
            as [(Int, AttributeHandle)]
        {
            #expect(throws: GATTDatabaseError.handlesInUse) { try database.add(Self.service(count, at: handle)) }
        }
        #expect(try database.add(Self.service(3, at: 2)).range == 2...4)
        #expect(try database.add(Self.service(3, at: 6)).range == 6...8)
        #expect(try database.add(Self.service(1, at: 1)).range == 1...1)
        #expect(try database.add(Self.service(3, at: 0xFFFD)).range == 0xFFFD...0xFFFF)
        #expect(database.services == [1...1, 2...4, 5...5, 6...8, 0xFFFD...0xFFFF])
    }

    @Test(
        "puts the next service into the first gap after the last one that was added, or else into the lowest gap",
        arguments: [
            // Services of one handle, added in order; the size of the next service, and its first handle.
            ([0x0100], 1, 0x0101), ([0x0100, 4], 1, 5), ([0x0100, 4, 1], 3, 5), ([6, 2], 3, 3), ([6, 3], 3, 7),
            ([2, 0xFFFF], 1, 1), ([2, 0xFFFC], 3, 0xFFFD), ([2, 0xFFFD], 3, 3), ([1, 3, 0xFFFF], 1, 2),
            ([1, 2, 4, 0xFFFF], 1, 3), ([1, 2, 3, 0xFFFF], 1, 4), ([3, 5, 2], 1, 4), ([3, 4, 6, 2], 1, 5),
        ] as [([AttributeHandle], Int, AttributeHandle)]
    )
    func next(taken: [AttributeHandle], count: Int, first: AttributeHandle) throws {
        var database = GATTDatabase()
        for handle in taken { _ = try database.add(Self.service(1, at: handle)) }
        #expect(try database.add(Self.service(count)).range.lowerBound == first)
        #expect(database.attributes.map(\.handle) == database.attributes.map(\.handle).sorted())
    }

    @Test("reuses no handle until all were used")
    func reuse() throws {
        var database = GATTDatabase()
        var last = try database.add(Self.service(5)).range
        for _ in 0..<63 {
            let range = try database.add(Self.service(1_001)).range
            #expect(range.lowerBound == last.upperBound + 1)
            #expect(database.remove(range.lowerBound) == range)
            last = range
        }
        // 5 + 63 × 1001 = 63068 handles are used; 2467 are left.
        #expect(try database.add(Self.service(2_467)).range.upperBound == 0xFFFF)
        // Now the lowest gap is used.
        #expect(try database.add(Self.service(3)).range == 6...8)
        #expect(try database.add(Self.service(3)).range == 9...11)
        #expect(throws: GATTDatabaseError.outOfHandles) { try database.add(Self.service(63_059)) }
        #expect(try database.add(Self.service(63_057)).range == 12...63_068)
        #expect(throws: GATTDatabaseError.outOfHandles) { try database.add(Self.service(1)) }
    }

    // MARK: Refused services

    @Test(
        "refuses values of more than 512 octets, and descriptors that the server adds itself",
        arguments: [
            (512, 0x2901, 512, nil), (513, 0x2901, 1, .valueTooLong), (1, 0x2901, 513, .valueTooLong),
            (1, 0x2900, 2, .reservedDescriptor), (1, 0x2902, 2, .reservedDescriptor),
        ] as [(Int, UInt16, Int, GATTDatabaseError?)]
    )
    func refused(length: Int, descriptor: UInt16, descriptorLength: Int, error: GATTDatabaseError?) {
        var database = GATTDatabase()
        var characteristic = GATTServerFixture.fixed(0xF001, "")
        characteristic.value = octets(length)
        characteristic.descriptors = [.init(uuid: BluetoothUUID(descriptor), value: octets(descriptorLength))]
        let definition = GATTServiceDefinition(uuid: 0xF000, characteristics: [characteristic])
        var thrown: GATTDatabaseError?
        do throws(GATTDatabaseError) { _ = try database.add(definition) } catch { thrown = error }
        #expect(thrown == error)
        #expect(database.attributes.count == (error == nil ? 4 : 0))
    }

    @Test("includes primary and secondary services, and nothing else, even if a value reads like a service's UUID")
    func included() throws {
        var database = GATTDatabase()
        let values = ["0F 18", "00 FF EE DD CC BB AA 99 88 77 66 55 44 33 22 11"]
        let secondary = GATTServiceDefinition(
            uuid: 0xB000,
            isPrimary: false,
            characteristics: values.map { GATTServerFixture.fixed(0xB001, $0) }
        )
        #expect(try database.add(secondary).range == 1...5)
        for handle in [0, 2, 3, 5, 6] as [AttributeHandle] {
            let definition = GATTServiceDefinition(uuid: 0xA000, includedServices: [handle], characteristics: [])
            #expect(throws: GATTDatabaseError.unknownIncludedService) { try database.add(definition) }
        }
        let definition = GATTServiceDefinition(uuid: 0xA000, includedServices: [1], characteristics: [])
        #expect(try database.add(definition).range == 6...7)
        #expect(Self.value(7, of: database) == "01 00 05 00 00 B0")
    }

    // MARK: Values

    @Test("declares 32-bit UUIDs as 128-bit ones")
    func mediumUUIDs() throws {
        var database = GATTDatabase()
        let uuid = BluetoothUUID(form: .medium(0x1234_5678))
        _ = try database.add(
            GATTServiceDefinition(uuid: uuid, characteristics: [GATTServerFixture.fixed(uuid, "01")])
        )
        let full = "FB 34 9B 5F 80 00 00 80 00 10 00 00 78 56 34 12"
        #expect(Self.value(1, of: database) == full)
        #expect(Self.value(2, of: database) == "02 03 00 " + full)
        #expect(database.attributes[2].type.octetCount == 16)
    }

    @Test("hashes the example of the specification (Vol 3, Part G, Appendix B)")
    func hash() {
        let rows: [(AttributeHandle, UInt16, String)] = [
            (0x0001, 0x2800, "00 18"), (0x0002, 0x2803, "0A 03 00 00 2A"), (0x0003, 0x2A00, "41"),
            (0x0004, 0x2803, "02 05 00 01 2A"), (0x0005, 0x2A01, "00 00"), (0x0006, 0x2800, "01 18"),
            (0x0007, 0x2803, "20 08 00 05 2A"), (0x0008, 0x2A05, ""), (0x0009, 0x2902, "00 00"),
            (0x000A, 0x2803, "0A 0B 00 29 2B"), (0x000B, 0x2B29, "00"), (0x000C, 0x2803, "02 0D 00 2A 2B"),
            (0x000D, 0x2B2A, ""), (0x000E, 0x2800, "08 18"), (0x000F, 0x2802, "14 00 16 00 0F 18"),
            (0x0010, 0x2803, "A2 11 00 18 2A"), (0x0011, 0x2A18, ""), (0x0012, 0x2902, "00 00"),
            (0x0013, 0x2900, "00 00"), (0x0014, 0x2801, "0F 18"), (0x0015, 0x2803, "02 16 00 19 2A"),
            (0x0016, 0x2A19, "64"),
        ]
        let hash = GATTDatabase.Hash(
            of: rows.map { handle, type, value in
                GATTAttribute(handle: handle, type: BluetoothUUID(type), access: .read, content: .fixed(hex(value)))
            }
        )
        #expect(hex(hash.octets) == "F1 CA 2D 48 EC F5 8B AC 8A 88 30 BB B9 FB A9 90")
        #expect(hex(hash.value) == "90 A9 FB B9 BB 30 88 8A AC 8B F5 EC 48 2D CA F1")
    }
}
