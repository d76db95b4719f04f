// The database: which handles a service gets that asks for some or for none, what is refused and how, and what the
// built-in services say where nothing is set.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT database: places")
struct GATTDatabasePlacesTests {
    /// A service of one attribute, or of three.
    private static func service(at handle: AttributeHandle?, count: Int = 1) -> GATTServiceDefinition {
        GATTServiceDefinition(
            uuid: 0xA000,
            handle: handle,
            characteristics: count == 1 ? [] : [GATTServerFixture.fixed(0xA001, "01")]
        )
    }

    @Test("Handles that belong to another service, 0, and handles beyond 0xFFFF are refused as in use")
    func refused() throws {
        var database = GATTDatabase()
        #expect(try database.add(Self.service(at: 5)).range == 5...5)
        for (handle, count) in [(5, 1), (3, 3), (4, 3), (5, 3), (0, 1), (0, 3), (0xFFFE, 3), (0xFFFF, 3)]
            as [(AttributeHandle, Int)]
        {
            #expect(throws: GATTDatabaseError.handlesInUse) {
                try database.add(Self.service(at: handle, count: count))
            }
        }
        #expect(database.services == [5...5])
        #expect(try database.add(Self.service(at: 2, count: 3)).range == 2...4)
        #expect(try database.add(Self.service(at: 6, count: 3)).range == 6...8)
        #expect(try database.add(Self.service(at: 1)).range == 1...1)
        #expect(database.services == [1...1, 2...4, 5...5, 6...8])
        #expect(database.attributes.map(\.handle) == [1, 2, 3, 4, 5, 6, 7, 8])
    }

    @Test("The next service goes behind the one that was added last, or over what is there")
    func next() throws {
        var database = GATTDatabase()
        #expect(try database.add(Self.service(at: 0x0100)).range == 0x0100...0x0100)
        #expect(try database.add(Self.service(at: nil)).range == 0x0101...0x0101)
        #expect(try database.add(Self.service(at: 4)).range == 4...4)
        #expect(try database.add(Self.service(at: 1)).range == 1...1)
        // Two are free between 1 and 4, and three are asked for.
        #expect(try database.add(Self.service(at: nil, count: 3)).range == 5...7)
        #expect(try database.add(Self.service(at: 1_000)).range == 1_000...1_000)
        #expect(database.remove(5) == 5...7)
        #expect(try database.add(Self.service(at: 2)).range == 2...2)
        #expect(try database.add(Self.service(at: nil)).range == 3...3)
    }

    @Test("A gap of exactly so many handles is filled")
    func exactGap() throws {
        var database = GATTDatabase()
        _ = try database.add(Self.service(at: 6))
        _ = try database.add(Self.service(at: 2))
        #expect(try database.add(Self.service(at: nil, count: 3)).range == 3...5)
    }

    @Test("Behind the last handle the lowest gap is taken")
    func wrapped() throws {
        var database = GATTDatabase()
        _ = try database.add(Self.service(at: 2))
        #expect(try database.add(Self.service(at: 0xFFFF)).range == 0xFFFF...0xFFFF)
        #expect(try database.add(Self.service(at: nil)).range == 1...1)
        _ = try database.add(Self.service(at: 0xFFFC))
        // Two are left before the last service.
        #expect(try database.add(Self.service(at: nil, count: 3)).range == 3...5)
    }

    @Test("A descriptor has 512 octets at most")
    func descriptor() throws {
        var database = GATTDatabase()
        for (length, isRefused) in [(512, false), (513, true)] {
            var characteristic = GATTServerFixture.fixed(0xA001, "01")
            characteristic.descriptors = [
                GATTDescriptorDefinition(uuid: 0x2901, value: ByteBuffer(repeating: 0x41, count: length))
            ]
            let definition = GATTServiceDefinition(uuid: 0xA000, characteristics: [characteristic])
            if isRefused {
                #expect(throws: GATTDatabaseError.valueTooLong) { try database.add(definition) }
            } else {
                #expect(try database.add(definition).range == 1...4)
            }
        }
    }

    @Test("A secondary service can be included, and a characteristic cannot")
    func included() throws {
        var database = GATTDatabase()
        let secondary = GATTServiceDefinition(
            uuid: 0xB000,
            isPrimary: false,
            characteristics: [GATTServerFixture.fixed(0xB001, "01")]
        )
        #expect(try database.add(secondary).range == 1...3)
        for handle in [0, 2, 3, 4] as [AttributeHandle] {
            let definition = GATTServiceDefinition(uuid: 0xA000, includedServices: [handle], characteristics: [])
            #expect(throws: GATTDatabaseError.unknownIncludedService) { try database.add(definition) }
        }
        let definition = GATTServiceDefinition(uuid: 0xA000, includedServices: [1], characteristics: [])
        #expect(try database.add(definition).range == 4...5)
        #expect(Self.value(5, of: database) == "01 00 03 00 00 B0")
    }

    /// The fixed value of an attribute.
    private static func value(_ handle: AttributeHandle, of database: GATTDatabase) -> String? {
        guard let index = database.index(of: handle), case .fixed(let value) = database.attributes[index].content
        else { return nil }
        return hex(value)
    }

    @Test("A server of which nothing is set has an empty name, no appearance, and all of the Generic Attribute service")
    func standard() {
        let database = GATTServer(configuration: GATTServer.Configuration()).database
        #expect(database.services == [1...5, 6...13])
        #expect(Self.value(3, of: database) == "")
        #expect(Self.value(5, of: database) == "00 00")
        #expect(database.attributes.map(\.shortType).contains(0x2AA6) == false)
    }

    @Test("The declarations of the built-in services (Vol 3, Part C, 12; Vol 3, Part G, 7)", arguments: [false, true])
    func declarations(hasPrivacy: Bool) {
        var configuration = GATTServer.Configuration()
        configuration.hasPrivacy = hasPrivacy
        configuration.appearance = 0x1234
        let database = GATTServer(configuration: configuration).database
        let common: [String?] = ["00 18", "02 03 00 00 2A", "", "02 05 00 01 2A", "34 12"]
        let rest: [String?] =
            hasPrivacy
            ? [
                "02 07 00 A6 2A", "00", "02 09 00 C9 2A", "00", "01 18", "20 0C 00 05 2A", "", nil, "0A 0F 00 29 2B",
                nil, "02 11 00 2A 2B", nil,
            ]
            : ["01 18", "20 08 00 05 2A", "", nil, "0A 0B 00 29 2B", nil, "02 0D 00 2A 2B", nil]
        #expect(database.attributes.map { Self.value($0.handle, of: database) } == common + rest)
        #expect(database.attributes.allSatisfy { $0.readSecurity == .none && $0.writeSecurity == .none })
    }

    @Test("A device that hides itself says at first that it resolves no addresses, and that it uses private ones alone")
    func privacy() {
        var configuration = GATTServer.Configuration()
        configuration.hasPrivacy = true
        var server = GATTServer(configuration: configuration)
        // Central Address Resolution, and Resolvable Private Address Only.
        #expect(Self.value(7, of: server.database) == "00")
        #expect(Self.value(9, of: server.database) == "00")
        server.setCentralAddressResolution(true)
        #expect(Self.value(7, of: server.database) == "01")
        server.setCentralAddressResolution(false)
        #expect(Self.value(7, of: server.database) == "00")
        #expect(Self.value(9, of: server.database) == "00")
    }

    @Test("A new device name changes neither the hash of the database nor a handle")
    func name() {
        var server = GATTServer(configuration: GATTServer.Configuration())
        let before = server.database.hash()
        server.setDeviceName("Ball")
        let after = server.database.hash()
        #expect(before == after)
        #expect(Self.value(3, of: server.database) == "42 61 6C 6C")
    }

    @Test(
        "A Client Characteristic Configuration belongs to what notifies or indicates, unless it is left out",
        arguments: [
            (.notify, true, 4), (.indicate, true, 4), ([.notify, .indicate], true, 4), (.read, true, 3),
            (.broadcast, true, 3), (.notify, false, 3), (.indicate, false, 3), (.extendedProperties, true, 4),
            ([.notify, .extendedProperties], true, 5),
        ] as [(CharacteristicProperties, Bool, AttributeHandle)]
    )
    func configuration(properties: CharacteristicProperties, isThere: Bool, last: AttributeHandle) throws {
        var database = GATTDatabase()
        let definition = GATTCharacteristicDefinition(
            uuid: 0xA001,
            properties: properties,
            permissions: .readable,
            hasClientConfiguration: isThere
        )
        let handles = try database.add(GATTServiceDefinition(uuid: 0xA000, characteristics: [definition]))
        #expect(handles.range == 1...last)
        let isSubscribed = isThere && (properties.contains(.notify) || properties.contains(.indicate))
        #expect(handles.characteristics[0].clientConfiguration == (isSubscribed ? last : nil))
    }

    @Test("Extended properties say reliable writes where the value can be written with a request")
    func extendedProperties() throws {
        for (properties, value) in [
            ([.extendedProperties, .write], "01 00"), ([.extendedProperties, .writeWithoutResponse], "00 00"),
            ([.extendedProperties, .read], "00 00"),
        ] as [(CharacteristicProperties, String)] {
            var database = GATTDatabase()
            let definition = GATTCharacteristicDefinition(
                uuid: 0xA001,
                properties: properties,
                permissions: [.readable, .writeable]
            )
            _ = try database.add(GATTServiceDefinition(uuid: 0xA000, characteristics: [definition]))
            #expect(Self.value(4, of: database) == value)
        }
    }
}
