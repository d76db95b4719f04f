// What is known of attributes on random walks: those that an app has discovered, and the cached database of a peer.

import BluetoothHost
import BluetoothTypes
import Fixtures
import Foundation
import NIOCore
import Testing

@testable import CoreBluetooth

@Suite("Walks through what is known of attributes")
struct AttributeWalkTests {
    private static let seeds = 1...4 as ClosedRange<UInt64>
    private static let uuids: [BluetoothUUID] = [0x180D, 0x180F, 0xFFF0]

    private static func service(_ chance: inout Chance) -> GATTRemoteService {
        let first = UInt16(1 + 10 * chance.below(5))
        return GATTRemoteService(
            uuid: chance.pick(Self.uuids),
            handles: first...first + UInt16(chance.pick([0, 9, 9, 9])),
            isPrimary: !chance.once(in: 4)
        )
    }

    private static func characteristic(_ chance: inout Chance) -> GATTRemoteCharacteristic {
        let value = UInt16(3 + 10 * chance.below(5) + 3 * chance.below(3))
        return GATTRemoteCharacteristic(
            uuid: chance.pick([0x2A37, 0x2A38]),
            properties: chance.pick([[.read], [.notify, .read]]),
            declarationHandle: value - 1,
            valueHandle: value,
            endHandle: value + 1
        )
    }

    private static func descriptors(_ chance: inout Chance) -> [GATTRemoteDescriptor] {
        chance.some([
            GATTRemoteDescriptor(uuid: 0x2901, handle: 4), GATTRemoteDescriptor(uuid: 0x2902, handle: 5),
            GATTRemoteDescriptor(uuid: 0x2904, handle: 6),
        ])
    }

    @Test("the attributes of an app: found, found again, changed and invalid", arguments: seeds)
    func discovered(seed: UInt64) throws {
        var chance = Chance(seed: seed)
        var attributes = DiscoveredAttributes()
        for step in 0..<150 {
            let service = Self.service(&chance)
            let characteristic = Self.characteristic(&chance)
            var said = ""
            switch chance.below(10) {
            case 0, 1: attributes.add([service, Self.service(&chance)], listed: chance.once(in: 2))
            case 2: attributes.add([service], includedBy: Self.service(&chance).handles)
            case 3...5: attributes.add([characteristic, Self.characteristic(&chance)], of: service.handles)
            case 6: attributes.add(Self.descriptors(&chance), of: characteristic.valueHandle)
            case 7, 8: said = "\(attributes.setNotifying(chance.once(in: 2), characteristic.valueHandle))"
            default:
                if chance.once(in: 5) {
                    let first = UInt16(1 + chance.below(50))
                    attributes.invalidate(first...first + UInt16(chance.below(12)))
                }
            }
            if chance.once(in: 8) { attributes.databaseHash = chance.once(in: 2) ? nil : chance.data(16) }
            let handles = attributes.services.map(\.handle)
            #expect(handles == handles.sorted() && Set(handles).count == handles.count)
            RunRecord.note("\(step) \(said) \(attributes.isEmpty) \(attributes.services) \(attributes.notifying)")
            if chance.once(in: 20) {
                let encoded = try JSONEncoder().encode(attributes)
                #expect(try JSONDecoder().decode(DiscoveredAttributes.self, from: encoded) == attributes)
            }
        }
    }

    @Test("the database of a peer: learned as a whole and in parts, kept and read again", arguments: seeds)
    func database(seed: UInt64) throws {
        var chance = Chance(seed: seed)
        let identity = GATTCachedDatabase(
            databaseHash: chance.buffer(chance.pick([15, 16, 16, 17])),
            serviceChanged: chance.pick([nil, 4]),
            serviceChangedConfiguration: chance.pick([nil, 5]),
            clientSupportedFeatures: chance.pick([nil, 7])
        )
        var database = chance.once(in: 3) ? RemoteDatabase() : RemoteDatabase(identity)
        for step in 0..<120 {
            let service = Self.service(&chance)
            let characteristic = Self.characteristic(&chance)
            let asked = chance.some(Self.uuids) + chance.some(Self.uuids)
            let services = (0..<chance.below(4)).map { _ in Self.service(&chance) }
            switch chance.below(12) {
            case 0: if chance.once(in: 4) { database.learn(services, nil) }
            case 1...3: database.learn(services, asked)
            case 4, 5: database.learn(services, includedBy: service.handles)
            case 6, 7: database.learn([characteristic, Self.characteristic(&chance)], of: service.handles)
            default: database.learn(Self.descriptors(&chance), of: characteristic)
            }
            RunRecord.note(
                """
                \(step) \(database.isCacheable) \(database.databaseHash?.map(\.hexDigits) ?? []) \
                \(database.services(nil) ?? []) \(asked) \(database.services(asked).map { "\($0)" } ?? "nil") \
                \(database.includedServices(of: service.handles).map { "\($0)" } ?? "nil") \
                \(database.characteristics(of: service.handles).map { "\($0)" } ?? "nil") \
                \(database.descriptors(of: characteristic).map { "\($0)" } ?? "nil") \
                \(database.configuration(of: characteristic).map { "\($0)" } ?? "nil")
                """
            )
            let found = database.identity
            RunRecord.note("\(step) \(found?.databaseHash.hex ?? "-") \(found?.serviceChanged ?? 0)")
            RunRecord.note(
                "\(step) \(found?.serviceChangedConfiguration ?? 0) \(found?.clientSupportedFeatures ?? 0)"
            )
        }
        let encoded = try JSONEncoder().encode(database)
        #expect(try JSONDecoder().decode(RemoteDatabase.self, from: encoded) == database)
    }

    @Test(
        "a database is cached up to 4,096 entries of every kind, each list counting once more",
        arguments: ["services", "searches", "included", "characteristics", "descriptors"]
    )
    func cacheable(kind: String) {
        for count in [1, 4_094, 4_095, 4_096, 4_097] {
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
}
