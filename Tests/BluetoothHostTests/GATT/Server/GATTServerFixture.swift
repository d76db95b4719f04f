// The database for the server's scripts. After the built-in services (0001 to 000D) it has:
//
//     000E primary A000
//       0010 A001 read, fixed 01 02 03                       0011 user description "Name"
//       0013 A002 read, write
//       0015 A003 write without response
//       0017 A004 notify                                     0018 client configuration
//       001A A005 indicate                                   001B client configuration
//       001D A006 read, write, encrypted
//       001F A007 read, write, write without response, authenticated
//       0021 A008 read, fixed, 60 octets                     0022 user description, 50 octets
//       0024 A009 write
//     0025 primary 11223344-5566-7788-99AA-BBCCDDEEFF00
//       0027 11223344-5566-7788-99AA-BBCCDDEEFF01 read, fixed 05
//     0028 secondary B000
//       002A B001 read, write, notify, indicate, extended    002B extended properties
//       002C client configuration (encrypted)                002D presentation format
//     002E primary C000, includes B000 (002F) and the 128-bit service (0030)
//       0032 A001 read, fixed 04 05 06                       0034 A001 read, fixed 07

import BluetoothTypes
import NIOCore
import Testing

@testable import BluetoothHost

enum GATTServerFixture {
    static let configuration = GATTServer.Configuration(deviceName: "Ball", appearance: 0x0340)

    static func full(_ last: String) throws -> BluetoothUUID {
        try #require(BluetoothUUID("11223344-5566-7788-99AA-BBCCDDEEFF\(last)"))
    }

    static func fixed(_ uuid: BluetoothUUID, _ value: String) -> GATTCharacteristicDefinition {
        GATTCharacteristicDefinition(uuid: uuid, properties: .read, permissions: .readable, value: hex(value))
    }

    /// The service that scripts add and remove.
    static let extra = GATTServiceDefinition(
        uuid: 0xD000,
        characteristics: [
            GATTCharacteristicDefinition(
                uuid: 0xD001,
                properties: [.read, .write, .notify, .indicate],
                permissions: [.readable, .writeable]
            )
        ]
    )

    static func services() throws -> [GATTServiceDefinition] {
        let encrypted: AttributePermissions = [.readEncryptionRequired, .writeEncryptionRequired]
        let authenticated: AttributePermissions = [.readAuthenticationRequired, .writeAuthenticationRequired]
        func characteristic(
            _ uuid: BluetoothUUID,
            _ properties: CharacteristicProperties,
            _ permissions: AttributePermissions = []
        ) -> GATTCharacteristicDefinition {
            GATTCharacteristicDefinition(uuid: uuid, properties: properties, permissions: permissions)
        }
        var first = Self.fixed(0xA001, "01 02 03")
        first.descriptors = [GATTDescriptorDefinition(uuid: 0x2901, value: ByteBuffer(string: "Name"))]
        var eighth = Self.fixed(0xA008, hex(octets(60)))
        eighth.descriptors = [GATTDescriptorDefinition(uuid: 0x2901, value: octets(50, from: 0x40))]
        var secondary = characteristic(
            0xB001,
            [.read, .write, .notify, .indicate, .extendedProperties],
            [.readable, .writeable]
        )
        secondary.subscriptionSecurity = .encrypted
        secondary.descriptors = [GATTDescriptorDefinition(uuid: 0x2904, value: hex("04 00 01 27 01 00 00"))]
        return [
            GATTServiceDefinition(
                uuid: 0xA000,
                characteristics: [
                    first, characteristic(0xA002, [.read, .write], [.readable, .writeable]),
                    characteristic(0xA003, .writeWithoutResponse, .writeable), characteristic(0xA004, .notify),
                    characteristic(0xA005, .indicate), characteristic(0xA006, [.read, .write], encrypted),
                    characteristic(0xA007, [.read, .write, .writeWithoutResponse], authenticated), eighth,
                    characteristic(0xA009, .write, .writeable),
                ]
            ),
            GATTServiceDefinition(uuid: try Self.full("00"), characteristics: [Self.fixed(try Self.full("01"), "05")]),
            GATTServiceDefinition(uuid: 0xB000, isPrimary: false, characteristics: [secondary]),
            GATTServiceDefinition(
                uuid: 0xC000,
                includedServices: [0x0028, 0x0025],
                characteristics: [Self.fixed(0xA001, "04 05 06"), Self.fixed(0xA001, "07")]
            ),
        ]
    }

    static func server(_ configuration: GATTServer.Configuration = Self.configuration) throws -> GATTServer {
        var server = GATTServer(configuration: configuration)
        for var service in try Self.services() {
            // The handles follow the built-in services of the fixture.
            service.includedServices.removeAll { !server.database.services.map(\.lowerBound).contains($0) }
            _ = try server.add(service)
        }
        return server
    }
}
