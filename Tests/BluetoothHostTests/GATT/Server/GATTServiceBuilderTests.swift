import BluetoothTypes
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT service builder")
struct GATTServiceBuilderTests {
    @Test("permits what permissions and properties allow together")
    func access() {
        typealias Access = GATTAttribute.Access
        let all: CharacteristicProperties = [.read, .write, .writeWithoutResponse]
        let rows: [(AttributePermissions, CharacteristicProperties, Bool, Access)] = [
            ([.readable, .writeable], all, false, [.read, .write, .writeCommand]),
            ([.readable, .writeable], all, true, .read), ([.readable, .writeable], .write, false, .write),
            ([.readable, .writeable], [], false, []), ([], all, false, []),
            // A demand for encryption is a permission, too.
            (.readEncryptionRequired, all, false, .read),
            (.writeEncryptionRequired, all, false, [.write, .writeCommand]),
            ([.readAuthenticationRequired, .writeAuthenticationRequired], .read, false, .read),
            (.writeable, .authenticatedSignedWrites, false, .signedWrite),
        ]
        for (permissions, properties, isFixed, access) in rows {
            #expect(Access(permissions, properties: properties, isFixed: isFixed) == access)
        }
    }

    private static func add(_ definition: GATTCharacteristicDefinition) throws -> (GATTServiceHandles, GATTDatabase) {
        var database = GATTDatabase()
        let service = GATTServiceDefinition(uuid: 0xA000, characteristics: [definition])
        return (try database.add(service), database)
    }

    @Test(
        "adds a Client Characteristic Configuration to what notifies or indicates, unless it is left out",
        arguments: [
            (.notify, true, 4), (.indicate, true, 4), ([.notify, .indicate], true, 4), (.read, true, 3),
            (.broadcast, true, 3), (.notify, false, 3), (.indicate, false, 3), (.extendedProperties, true, 4),
            ([.notify, .extendedProperties], true, 5),
        ] as [(CharacteristicProperties, Bool, AttributeHandle)]
    )
    func configuration(properties: CharacteristicProperties, isThere: Bool, last: AttributeHandle) throws {
        let (handles, _) = try Self.add(
            GATTCharacteristicDefinition(
                uuid: 0xA001,
                properties: properties,
                permissions: .readable,
                hasClientConfiguration: isThere
            )
        )
        #expect(handles.range == 1...last)
        let isSubscribed = isThere && (properties.contains(.notify) || properties.contains(.indicate))
        #expect(handles.characteristics[0].clientConfiguration == (isSubscribed ? last : nil))
    }

    @Test(
        "promises reliable writes in the extended properties of a value that can be written with a request",
        arguments: [
            ([.extendedProperties, .write], "01 00"), ([.extendedProperties, .writeWithoutResponse], "00 00"),
            ([.extendedProperties, .read], "00 00"),
        ] as [(CharacteristicProperties, String)]
    )
    func extendedProperties(properties: CharacteristicProperties, value: String) throws {
        let definition = GATTCharacteristicDefinition(
            uuid: 0xA001,
            properties: properties,
            permissions: [.readable, .writeable]
        )
        let (_, database) = try Self.add(definition)
        guard case .fixed(let found) = database.attributes[3].content else {
            Issue.record("the extended properties are no fixed value")
            return
        }
        #expect(hex(found) == value)
    }
}
