import BluetoothHost
import BluetoothTypes
import NIOCore
import Testing

@testable import CoreBluetooth

@Suite("7.13 A peer's database")
struct RemoteDatabaseTests {
    private let services = [
        GATTRemoteService(uuid: 0xA000, handles: 0x0001...0x0005, isPrimary: true),
        GATTRemoteService(uuid: 0xB000, handles: 0x0006...0x0009, isPrimary: true),
        GATTRemoteService(uuid: 0xA000, handles: 0x000A...0x000C, isPrimary: true),
    ]

    @Test(
        "finds services in the order asked for, each once, and nothing that is not known",
        arguments: [true, false]
    )
    func services(isWhole: Bool) throws {
        var database = RemoteDatabase()
        #expect(database.services(nil) == nil && database.services([0xA000]) == nil)
        database.learn(self.services, isWhole ? nil : [0xA000, 0xB000])
        let (first, second, third) = (self.services[0], self.services[1], self.services[2])
        #expect(database.services([0xB000, 0xA000]) == [second, first, third])
        #expect(database.services([0xA000, 0xA000]) == [first, third])
        #expect(database.services([0xB000, 0xA000, 0xB000]) == [second, first, third])
        #expect(database.services([]) == [])
        #expect(database.services([0xA000, 0xC000]) == (isWhole ? [first, third] : nil))
        #expect(database.services(nil) == (isWhole ? self.services : nil))
    }

    @Test("adds no search to a complete list of services")
    func allKnown() {
        var database = RemoteDatabase()
        database.learn(self.services, nil)
        let whole = database
        database.learn([], [0xC000])
        #expect(database == whole)
    }

    @Test(
        "is cacheable up to 4,096 entries of any kind, counting each list as one more",
        arguments: ["services", "searches", "included", "characteristics", "descriptors"]
    )
    func cacheable(kind: String) {
        for count in [4_094, 4_095, 4_096, 4_097] {
            var database = RemoteDatabase(GATTCachedDatabase(databaseHash: ByteBuffer(repeating: 1, count: 16)))
            let handles = (1...count).map { AttributeHandle($0) }
            let services = handles.map { (handle: AttributeHandle) -> GATTRemoteService in
                GATTRemoteService(uuid: 0xA000, handles: handle...handle, isPrimary: true)
            }
            switch kind {
            case "services": database.learn(services, nil)
            case "searches": database.learn([], handles.map { BluetoothUUID($0) })
            case "included": database.learn(services, includedBy: 1...5)
            case "characteristics":
                let characteristics = handles.map { (handle: AttributeHandle) -> GATTRemoteCharacteristic in
                    GATTRemoteCharacteristic(
                        uuid: 0xA000,
                        properties: [],
                        declarationHandle: handle,
                        valueHandle: handle + 1,
                        endHandle: handle + 1
                    )
                }
                database.learn(characteristics, of: 1...5)
            default:
                let characteristic = GATTRemoteCharacteristic(
                    uuid: 0xA000,
                    properties: [],
                    declarationHandle: 1,
                    valueHandle: 2,
                    endHandle: 3
                )
                let descriptors = handles.map { GATTRemoteDescriptor(uuid: 0x2901, handle: $0) }
                database.learn(descriptors, of: characteristic)
            }
            let listCount = kind == "services" || kind == "searches" ? 0 : 1
            #expect(database.isCacheable == (count + listCount <= 4_096), "\(count)")
        }
    }

    @Test("needs a Database Hash of 16 octets to be cacheable, and survives coding", arguments: [nil, 15, 16, 17])
    func hash(count: Int?) throws {
        let identity = count.map {
            GATTCachedDatabase(
                databaseHash: ByteBuffer(repeating: 1, count: $0),
                serviceChanged: 4,
                serviceChangedConfiguration: 5,
                clientSupportedFeatures: 7
            )
        }
        var database = identity.map { RemoteDatabase($0) } ?? RemoteDatabase()
        #expect(database.isCacheable == (count == 16))
        let characteristic = GATTRemoteCharacteristic(
            uuid: 0x2A37,
            properties: [.notify],
            declarationHandle: 2,
            valueHandle: 3,
            endHandle: 5
        )
        database.learn(self.services, nil)
        database.learn([self.services[1]], includedBy: 1...5)
        database.learn([characteristic], of: 1...5)
        #expect(database.configuration(of: characteristic) == nil)
        database.learn([GATTRemoteDescriptor(uuid: 0x2902, handle: 5)], of: characteristic)
        #expect(database.includedServices(of: 1...5) == [self.services[1]])
        #expect(database.characteristics(of: 1...5) == [characteristic] && database.characteristics(of: 6...9) == nil)
        #expect(database.configuration(of: characteristic) == 5)
        #expect(database.identity?.databaseHash == identity?.databaseHash)
        #expect(database.identity?.serviceChangedConfiguration == identity?.serviceChangedConfiguration)
        let encoded = try JSONEncoder().encode(database)
        #expect(try JSONDecoder().decode(RemoteDatabase.self, from: encoded) == database)
    }
}
