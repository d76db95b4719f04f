// The database: where services go, what is refused, how attributes are found, and the hash.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT database")
struct GATTDatabaseTests {
    /// A service of `count` attributes.
    private func service(_ uuid: BluetoothUUID, count: Int) -> GATTServiceDefinition {
        precondition(count % 2 == 1)
        return GATTServiceDefinition(
            uuid: uuid,
            characteristics: Array(
                repeating: GATTServerFixture.fixed(0xF001, "01"),
                count: (count - 1) / 2
            )
        )
    }

    @Test func `The fixture has the handles that its comment says`() throws {
        var database = GATTServer(configuration: GATTServerFixture.configuration).database
        let handles = try GATTServerFixture.services().map { try database.add($0) }
        #expect(handles.map(\.range) == [0x0E...0x24, 0x25...0x27, 0x28...0x2D, 0x2E...0x34])
        #expect(handles[0].characteristics.map(\.value) == [0x10, 0x13, 0x15, 0x17, 0x1A, 0x1D, 0x1F, 0x21, 0x24])
        #expect(
            handles[0].characteristics.map(\.clientConfiguration) == [nil, nil, nil, 0x18, 0x1B, nil, nil, nil, nil]
        )
        #expect(handles[0].characteristics[0].descriptors == [0x11])
        #expect(
            handles[2].characteristics
                == [GATTServiceHandles.Characteristic(value: 0x2A, clientConfiguration: 0x2C, descriptors: [0x2D])]
        )
        #expect(database.attributes.map(\.handle) == Array(1...0x34))
    }

    @Test func `A service may end with the last handle, and not behind it`() throws {
        var definition = self.service(0xA000, count: 3)
        var database = GATTDatabase()
        definition.handle = 0xFFFE
        #expect(throws: (any Error).self) { try database.add(definition) }
        definition.handle = 0xFFFD
        #expect(try database.add(definition).range == 0xFFFD...0xFFFF)
        definition.handle = 0xFFFB
        #expect(throws: (any Error).self) { try database.add(definition) }
        definition.handle = 0xFFFA
        #expect(try database.add(definition).range == 0xFFFA...0xFFFC)
    }

    @Test func `Attributes are found, also behind gaps`() throws {
        var database = GATTDatabase()
        let ranges = try (0..<5).map { try database.add(self.service(BluetoothUUID(UInt16($0)), count: 5)).range }
        #expect(ranges == [1...5, 6...10, 11...15, 16...20, 21...25])
        #expect(database.remove(6) == 6...10)
        #expect(database.remove(6) == nil)
        #expect(database.remove(7) == nil)
        #expect(database.remove(16) == 16...20)
        let present: Set<AttributeHandle> = Set(1...5).union(11...15).union(21...25)
        for handle: AttributeHandle in [0, 0xFFFF] + Array(1...30) {
            let index = database.index(of: handle)
            #expect((index != nil) == present.contains(handle))
            if let index { #expect(database.attributes[index].handle == handle) }
            let first = database.firstIndex(from: handle)
            #expect(first == database.attributes.filter { $0.handle < handle }.count)
        }
        #expect(database.services == [1...5, 11...15, 21...25])
    }

    @Test func `Handles are not given again until all were used`() throws {
        var database = GATTDatabase()
        let keeper = try database.add(self.service(0x0001, count: 5)).range
        var last = keeper
        for _ in 0..<63 {
            let range = try database.add(self.service(0x0002, count: 1_001)).range
            #expect(range.lowerBound == last.upperBound + 1)
            #expect(database.remove(range.lowerBound) == range)
            last = range
        }
        // 5 + 63 × 1001 = 63068 handles are used; 2467 are left.
        #expect(try database.add(self.service(0x0003, count: 2_467)).range.upperBound == 0xFFFF)
        // Now the lowest gap is taken.
        #expect(try database.add(self.service(0x0004, count: 3)).range == 6...8)
        #expect(try database.add(self.service(0x0005, count: 3)).range == 9...11)
        #expect(database.services.map(\.lowerBound) == [1, 6, 9, 63_069])
        #expect(database.attributes.map(\.handle) == database.attributes.map(\.handle).sorted())
        #expect(throws: GATTDatabaseError.outOfHandles) { try database.add(self.service(0x0006, count: 63_059)) }
        #expect(try database.add(self.service(0x0006, count: 63_057)).range == 12...63_068)
        #expect(throws: GATTDatabaseError.outOfHandles) { try database.add(self.service(0x0007, count: 1)) }
    }

    @Test func `What an application cannot have is refused`() throws {
        var database = GATTDatabase()
        var characteristic = GATTServerFixture.fixed(0xF001, "01")
        characteristic.value = ByteBuffer(repeating: 0, count: 513)
        var definition = GATTServiceDefinition(uuid: 0xF000, characteristics: [characteristic])
        #expect(throws: GATTDatabaseError.valueTooLong) { try database.add(definition) }
        characteristic.value = ByteBuffer(repeating: 0, count: 512)
        characteristic.descriptors = [
            GATTDescriptorDefinition(uuid: 0x2901, value: ByteBuffer(repeating: 0, count: 513))
        ]
        definition.characteristics = [characteristic]
        #expect(throws: GATTDatabaseError.valueTooLong) { try database.add(definition) }
        for uuid: BluetoothUUID in [0x2900, 0x2902] {
            characteristic.descriptors = [GATTDescriptorDefinition(uuid: uuid, value: hex("00 00"))]
            definition.characteristics = [characteristic]
            #expect(throws: GATTDatabaseError.reservedDescriptor) { try database.add(definition) }
        }
        characteristic.descriptors = []
        definition.characteristics = [characteristic]
        definition.includedServices = [1]
        #expect(throws: GATTDatabaseError.unknownIncludedService) { try database.add(definition) }
        definition.includedServices = []
        #expect(try database.add(definition).range == 1...3)
        definition.includedServices = [2]
        #expect(throws: GATTDatabaseError.unknownIncludedService) { try database.add(definition) }
        definition.includedServices = [1]
        #expect(try database.add(definition).range == 4...7)
    }

    @Test func `32-bit UUIDs are sent with 128 bits`() throws {
        var database = GATTDatabase()
        let uuid = BluetoothUUID(form: .medium(0x1234_5678))
        _ = try database.add(
            GATTServiceDefinition(uuid: uuid, characteristics: [GATTServerFixture.fixed(uuid, "01")])
        )
        guard case .fixed(let service) = database.attributes[0].content,
            case .fixed(let characteristic) = database.attributes[1].content
        else {
            Issue.record("declarations are fixed")
            return
        }
        #expect(hex(service) == "FB 34 9B 5F 80 00 00 80 00 10 00 00 78 56 34 12")
        #expect(hex(characteristic) == "02 03 00 FB 34 9B 5F 80 00 00 80 00 10 00 00 78 56 34 12")
        #expect(database.attributes[2].type.octetCount == 16)
    }

    @Test func `The Database Hash of the specification's example`() {
        // Vol 3, Part G, Appendix B.
        let rows: [(AttributeHandle, UInt16, String)] = [
            (0x0001, 0x2800, "00 18"),
            (0x0002, 0x2803, "0A 03 00 00 2A"),
            (0x0003, 0x2A00, "41"),
            (0x0004, 0x2803, "02 05 00 01 2A"),
            (0x0005, 0x2A01, "00 00"),
            (0x0006, 0x2800, "01 18"),
            (0x0007, 0x2803, "20 08 00 05 2A"),
            (0x0008, 0x2A05, ""),
            (0x0009, 0x2902, "00 00"),
            (0x000A, 0x2803, "0A 0B 00 29 2B"),
            (0x000B, 0x2B29, "00"),
            (0x000C, 0x2803, "02 0D 00 2A 2B"),
            (0x000D, 0x2B2A, ""),
            (0x000E, 0x2800, "08 18"),
            (0x000F, 0x2802, "14 00 16 00 0F 18"),
            (0x0010, 0x2803, "A2 11 00 18 2A"),
            (0x0011, 0x2A18, ""),
            (0x0012, 0x2902, "00 00"),
            (0x0013, 0x2900, "00 00"),
            (0x0014, 0x2801, "0F 18"),
            (0x0015, 0x2803, "02 16 00 19 2A"),
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

    @Test func `Permissions and properties allow together`() {
        typealias Access = GATTAttribute.Access
        let all = CharacteristicProperties([.read, .write, .writeWithoutResponse])
        #expect(Access([.readable, .writeable], properties: all, isFixed: false) == [.read, .write, .writeCommand])
        #expect(Access([.readable, .writeable], properties: all, isFixed: true) == .read)
        #expect(Access([.readable, .writeable], properties: .write, isFixed: false) == .write)
        #expect(Access([.readable, .writeable], properties: [], isFixed: false) == [])
        #expect(Access([], properties: all, isFixed: false) == [])
        // A need for encryption is a permission, too.
        #expect(Access(.readEncryptionRequired, properties: all, isFixed: false) == .read)
        #expect(Access(.writeEncryptionRequired, properties: all, isFixed: false) == [.write, .writeCommand])
        #expect(
            Access([.readAuthenticationRequired, .writeAuthenticationRequired], properties: .read, isFixed: false)
                == .read
        )
        #expect(Access(.writeable, properties: .authenticatedSignedWrites, isFixed: false) == .signedWrite)
    }

    @Test func `Requirements of the link are kept with the attribute, for reading, writing and subscribing`() throws {
        var database = GATTDatabase()
        let definition = GATTCharacteristicDefinition(
            uuid: 0xA001,
            properties: [.read, .write, .notify],
            permissions: [.readable, .readEncryptionRequired, .writeAuthenticationRequired],
            subscriptionSecurity: SecurityRequirement(level: .encrypted, minimumKeySize: 16)
        )
        let handles = try database.add(GATTServiceDefinition(uuid: 0xA000, characteristics: [definition]))
        let characteristic = handles.characteristics[0]
        let value = database.attributes[try #require(database.index(of: characteristic.value))]
        #expect(value.readSecurity == .encrypted)
        #expect(value.writeSecurity == .authenticated)
        let handle = try #require(characteristic.clientConfiguration)
        let configuration = database.attributes[try #require(database.index(of: handle))]
        #expect(configuration.readSecurity == .none)
        #expect(configuration.writeSecurity == SecurityRequirement(level: .encrypted, minimumKeySize: 16))
    }

    @Test func `Permissions add up`() {
        let none: AttributePermissions = []
        #expect(none.read == nil && none.write == nil)
        let open: AttributePermissions = [.readable, .writeable]
        #expect(open.read == SecurityRequirement.none && open.write == SecurityRequirement.none)
        let both: AttributePermissions = [.readAuthenticationRequired, .readEncryptionRequired, .writeable]
        #expect(both == AttributePermissions(read: .authenticated, write: SecurityRequirement.none))
        let sized = SecurityRequirement(level: .encrypted, minimumKeySize: 12)
        let authorized = SecurityRequirement(level: .none, needsAuthorization: true)
        #expect(
            sized.combined(with: authorized)
                == SecurityRequirement(level: .encrypted, minimumKeySize: 12, needsAuthorization: true)
        )
        // LE security mode 1 level 4 knows no shorter key, and no key has other sizes than 7 to 16.
        #expect(SecurityRequirement(level: .secureConnections, minimumKeySize: 7).minimumKeySize == 16)
        #expect(SecurityRequirement(level: .encrypted, minimumKeySize: -3).minimumKeySize == 7)
        #expect(SecurityRequirement(level: .encrypted, minimumKeySize: 300).minimumKeySize == 16)
    }
}
