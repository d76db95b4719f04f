// The values that the host and its user exchange about GATT: names of requests, sizes, properties, permissions, and
// what an error says; and what the server looks up for one client.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT: values")
struct GATTValuesTests {
    @Test("The name of a request has its link above and the count below")
    func requestIDs() {
        let id = GATTRequestID(link: LinkID(rawValue: 3), sequence: 5)
        #expect(id.rawValue == 0x0000_0003_0000_0005)
        #expect(id.link == LinkID(rawValue: 3) && id.sequence == 5)
        let largest = GATTRequestID(rawValue: 0xFFFF_FFFE_FFFF_FFFD)
        #expect(largest.link == LinkID(rawValue: 0xFFFF_FFFE) && largest.sequence == 0xFFFF_FFFD)
    }

    @Test("A link counts its requests from 1 on, and begins anew behind the largest number")
    func sequence() {
        var client = GATTServer.Client()
        let link = LinkID(rawValue: 2)
        let (first, second) = (client.nextRequestID(on: link), client.nextRequestID(on: link))
        #expect(first.rawValue == 0x0000_0002_0000_0001 && second.rawValue == 0x0000_0002_0000_0002)
        client.sequence = .max
        let third = client.nextRequestID(on: link)
        #expect(third.rawValue == 0x0000_0002_0000_0000)
    }

    @Test("A write has as many octets as its parts together")
    func octetCount() {
        let parts = [(0x10, "AA"), (0x13, "01 02 03"), (0x15, "")].map {
            GATTWriteRequest.Part(handle: AttributeHandle($0.0), offset: 7, value: hex($0.1))
        }
        #expect(GATTWriteRequest(id: nil, link: LinkID(rawValue: 1), parts: []).octetCount == 0)
        #expect(GATTWriteRequest(id: nil, link: LinkID(rawValue: 1), parts: parts).octetCount == 4)
    }

    @Test("The bits of the properties (Vol 3, Part G, 3.3.1.1)")
    func properties() {
        let all: [CharacteristicProperties] = [
            .broadcast, .read, .writeWithoutResponse, .write, .notify, .indicate, .authenticatedSignedWrites,
            .extendedProperties,
        ]
        #expect(all.map(\.rawValue) == [0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80])
        #expect(all.map(\.needsClientConfiguration) == [false, false, false, false, true, true, false, false])
    }

    @Test("The bits of a Client Characteristic Configuration (Vol 3, Part G, 3.3.3.3)")
    func configurations() {
        #expect(hex(ClientCharacteristicConfiguration.notifications.value) == "01 00")
        #expect(hex(ClientCharacteristicConfiguration.indications.value) == "02 00")
        let both: ClientCharacteristicConfiguration = [.notifications, .indications]
        #expect(hex(both.value) == "03 00")
        #expect(hex(ClientCharacteristicConfiguration(rawValue: 0x0102).value) == "02 01")
    }

    @Test("A permission is for reading or for writing, with what it demands")
    func permissions() {
        #expect(AttributePermissions.readable == AttributePermissions(read: SecurityRequirement.none, write: nil))
        #expect(AttributePermissions.writeable == AttributePermissions(read: nil, write: SecurityRequirement.none))
        #expect(AttributePermissions.readEncryptionRequired == AttributePermissions(read: .encrypted, write: nil))
        #expect(AttributePermissions.writeEncryptionRequired == AttributePermissions(read: nil, write: .encrypted))
        #expect(
            AttributePermissions.readAuthenticationRequired == AttributePermissions(read: .authenticated, write: nil)
        )
        #expect(
            AttributePermissions.writeAuthenticationRequired == AttributePermissions(read: nil, write: .authenticated)
        )
        var permissions: AttributePermissions = [.writeAuthenticationRequired, .readable]
        permissions.insert(.writeable)
        permissions.insert(.readEncryptionRequired)
        #expect(permissions == AttributePermissions(read: .encrypted, write: .authenticated))
    }

    @Test("What identifies a database comes with each result of its validation but that of a server without a hash")
    func validation() {
        let database = GATTCachedDatabase(databaseHash: hex("01"), serviceChanged: 8)
        #expect(GATTDatabaseValidation.unchanged(database).database == database)
        #expect(GATTDatabaseValidation.changed(database).database == database)
        #expect(GATTDatabaseValidation.noDatabaseHash.database == nil)
    }

    @Test("Of a server with a Database Hash all handles are kept, and of one without it nothing")
    func cachedDatabase() {
        var caching = GATTServerCaching(
            serviceChanged: 8,
            serviceChangedConfiguration: 9,
            clientSupportedFeatures: 11,
            databaseHash: nil
        )
        #expect(caching.cachedDatabase == nil)
        caching.databaseHash = hex("01 02")
        #expect(
            caching.cachedDatabase
                == GATTCachedDatabase(
                    databaseHash: hex("01 02"),
                    serviceChanged: 8,
                    serviceChangedConfiguration: 9,
                    clientSupportedFeatures: 11
                )
        )
    }

    @Test("A refusal names the handle and the error")
    func refusal() {
        #expect(
            GATTError.att(.writeNotPermitted, handle: 0x00AB).description
                == "the server refused handle 0x00AB: Write Not Permitted (0x03)"
        )
    }

    @Test("A descriptor is readable and static, and a service is a primary one, unless it is said")
    func standard() {
        let descriptor = GATTDescriptorDefinition(uuid: 0x2901, value: hex("41"))
        #expect(descriptor.permissions == .readable && !descriptor.isDynamic)
        let characteristic = GATTCharacteristicDefinition(uuid: 0xA001, properties: .read, permissions: .readable)
        #expect(characteristic.value == nil && characteristic.descriptors.isEmpty)
        #expect(characteristic.subscriptionSecurity == .none && characteristic.hasClientConfiguration)
        let service = GATTServiceDefinition(uuid: 0xA000, characteristics: [characteristic])
        #expect(service.isPrimary && service.handle == nil && service.includedServices.isEmpty)
    }

    @Test("Only bits of Client Supported Features that mean something are known (Vol 3, Part G, 7.2)")
    func features() {
        #expect(GATTServer.ClientFeatures.robustCaching.rawValue == 0x01)
        #expect(GATTServer.ClientFeatures.enhancedBearer.rawValue == 0x02)
        #expect(GATTServer.ClientFeatures.multipleNotifications.rawValue == 0x04)
        #expect(GATTServer.ClientFeatures.known.rawValue == 0x07)
    }

    @Test("A subscription is found by its handle, and its place is in the order of the handles")
    func subscriptions() {
        var client = GATTServer.Client()
        for (handle, bits) in [(0x10, 1), (0x20, 2), (0x30, 3)] as [(AttributeHandle, UInt8)] {
            client.subscriptions.append(.init(characteristic: handle, bits: bits, security: .none))
        }
        let places = ([0x01, 0x10, 0x11, 0x20, 0x21, 0x30, 0x31] as [AttributeHandle]).map {
            client.place(ofSubscription: $0)
        }
        #expect(places.map { $0.index } == [0, 0, 1, 1, 2, 2, 3])
        #expect(places.map { $0.isPresent } == [false, true, false, true, false, true, false])
        #expect(client.configuration(of: 0x20) == 2 && client.configuration(of: 0x30) == 3)
        #expect(client.configuration(of: 0x21) == 0 && client.configuration(of: 0x31) == 0)
        #expect(client.subscriptions.map(\.notifies) == [true, false, true])
    }

    @Test("A client is out of sync where it takes the error and is not change-aware")
    func outOfSync() {
        var client = GATTServer.Client()
        for awareness in [GATTServer.Awareness.unaware, .unawareErrorSent, .unawareHashRead] {
            client.awareness = awareness
            client.features = [.enhancedBearer, .multipleNotifications]
            #expect(!client.isOutOfSync)
            client.features = .robustCaching
            #expect(client.isOutOfSync)
        }
        client.awareness = .aware
        #expect(!client.isOutOfSync)
    }
}
