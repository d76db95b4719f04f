import BluetoothHost
import BluetoothTypes
import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothBlueZ

struct PublishedObjectsTests {
    private func characteristic(
        _ properties: CharacteristicProperties,
        _ permissions: AttributePermissions,
        subscription: SecurityRequirement = .none
    ) -> GATTCharacteristicDefinition {
        GATTCharacteristicDefinition(
            uuid: 0x2A19,
            properties: properties,
            permissions: permissions,
            subscriptionSecurity: subscription
        )
    }

    @Test(
        "say in BlueZ's words what is offered, and what the link needs",
        arguments: [
            ([.read, .write], [.readable, .writeable], .none, ["read", "write"]),
            ([.read], [.readEncryptionRequired], .none, ["encrypt-read"]),
            ([.write], [.writeAuthenticationRequired], .none, ["encrypt-authenticated-write"]),
            ([.writeWithoutResponse], [.writeable], .none, ["write-without-response"]),
            (
                [.writeWithoutResponse], [.writeEncryptionRequired], .none,
                ["write-without-response", "encrypt-write"]
            ),
            ([.notify], [], .encrypted, ["encrypt-notify"]), ([.indicate], [], .none, ["indicate"]),
            ([.read], [], .none, []),
        ] as [(CharacteristicProperties, AttributePermissions, SecurityRequirement, [String])]
    )
    func flags(
        properties: CharacteristicProperties,
        permissions: AttributePermissions,
        subscription: SecurityRequirement,
        flags: [String]
    ) {
        let characteristic = self.characteristic(properties, permissions, subscription: subscription)
        #expect(PublishedObjects.flags(of: characteristic) == flags)
    }

    @Test("stand for the handles of our host, a parent in front of its children")
    func handles() throws {
        let host = LEHost(eventLoop: EmbeddedEventLoop())
        let descriptor = GATTDescriptorDefinition(uuid: 0x2901, value: ByteBuffer(string: "a"))
        var characteristic = self.characteristic([.read, .notify], [.readable])
        characteristic.descriptors = [descriptor]
        let handles = try host.addService(
            GATTServiceDefinition(uuid: 0x180F, characteristics: [characteristic])
        )
        let service = try #require(host.published[handles.range.lowerBound])
        let objects = PublishedObjects(service, root: "/app")
        let given = handles.characteristics[0]
        #expect(
            objects.attributes == [
                "/app/service/char0": .characteristic(
                    given.value,
                    configuration: given.clientConfiguration,
                    [.read, .notify]
                ), "/app/service/char0/desc0": .descriptor(given.descriptors[0]),
            ]
        )
        #expect(
            objects.managedObjects.entries?.map(\.key) == [
                .path("/app/service"), .path("/app/service/char0"), .path("/app/service/char0/desc0"),
            ]
        )
        host.removeService(handles.range.lowerBound)
        #expect(host.published.isEmpty)
    }
}
