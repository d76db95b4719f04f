// Identities and bonds over processes that end and begin, and stored documents that are damaged.

import BluetoothHost
import BluetoothTypes
import Fixtures
import Foundation
import NIOCore
import Testing

@testable import CoreBluetooth

@Suite("Storage over processes")
struct StorageSimulationTests {
    /// Public and random addresses; of the latter one that lasts and three that change.
    private static let addresses =
        ([0xC000_0000_0001, 0x4000_0000_0002, 0x0000_0000_0003, 0x8000_0000_0004] as [UInt64])
        .flatMap { [DeviceAddress($0, kind: .random), DeviceAddress($0, kind: .public)] }

    @Test("one identifier stands for each device, and outlasts processes and moves", arguments: simulationSeeds(8))
    func identities(seed: UInt64) {
        var choices = SeededChoices(seed: seed)
        let storage = MemoryStorage()
        var store = IdentityStore(randomness: .seeded(choices.next()))
        store.open(IdentityFile(storage))
        var identifiers: [DeviceAddress: UUID] = [:]
        for step in 0..<300 {
            let address = choices.pick(Self.addresses)
            switch choices.below(8) {
            case 0, 1: store.setName(choices.pick(["Crystal", "Onyx"]), isDeviceName: choices.once(in: 2), of: address)
            case 2:
                let identity = choices.pick(Self.addresses)
                let identifier = store.record(for: address).identifier
                #expect(store.move(address, to: identity).identifier == identifier)
                if address != identity { identifiers[address] = nil }
                identifiers[identity] = identifier
            case 3:
                let identifier = UUID(random: choices.next(), 7)
                let record = store.restore(.init(identifier: identifier, address: address))
                #expect(record.identifier == identifiers[address] ?? identifier)
                identifiers[address] = record.identifier
            case 4:
                store.close()
                store = IdentityStore(randomness: .seeded(choices.next()))
                store.open(IdentityFile(storage))
                identifiers = identifiers.filter { $0.key.isWorthKeeping }
            default: break
            }
            let record = store.record(for: address)
            #expect(record.identifier == identifiers[address] ?? record.identifier, "step \(step)")
            identifiers[address] = record.identifier
            #expect(Set(identifiers.values).count == identifiers.count)
            for (address, identifier) in identifiers { #expect(store.record(for: identifier)?.address == address) }
        }
    }

    private static func bond(_ choices: inout SeededChoices, _ address: DeviceAddress) -> Bond {
        func keys() -> PairingKeys {
            func key() -> Octets16 { Octets16(high: choices.next(), low: choices.next()) }
            let longTermKey = LongTermKey(
                value: key(),
                encryptedDiversifier: UInt16(choices.below(65_536)),
                random: choices.next()
            )
            let signing = SigningKey(connectionSignatureResolvingKey: key(), signCounter: UInt32(choices.below(5)))
            let identity = IdentityInformation(identityResolvingKey: key(), address: address)
            return PairingKeys(
                longTermKey: choices.once(in: 4) ? nil : longTermKey,
                identity: choices.once(in: 2) ? nil : identity,
                signing: choices.once(in: 3) ? nil : signing
            )
        }
        return Bond(
            peerAddress: address,
            keySize: 7 + choices.below(10),
            isAuthenticated: choices.once(in: 2),
            isSecureConnections: choices.once(in: 2),
            local: keys(),
            peer: keys()
        )
    }

    @Test(
        "each bond lasts with its keys until it is replaced or removed, and no counter is accepted twice",
        arguments: simulationSeeds(8)
    )
    func bonds(seed: UInt64) throws {
        var choices = SeededChoices(seed: seed)
        let storage = MemoryStorage()
        var now = 1_000_000.25
        func process() -> BondStore {
            let store = BondStore()
            store.now = { Date(timeIntervalSince1970: now) }
            store.writer = StateWriter(storage)
            return store
        }
        var store = process()
        var bonds: [DeviceAddress: Bond] = [:]
        for step in 0..<300 {
            now += Double(choices.below(3)) / 2
            let address = choices.pick(Self.addresses)
            switch choices.below(12) {
            case 0...2:
                let bond = Self.bond(&choices, address)
                store.store(bond)
                bonds[address] = bond
            case 3...6:
                let counter = choices.pick([0, 1, 2, 5, 9, 1_000, .max - 1, .max] as [UInt32])
                store.noteSignCounter(counter, of: address)
                if let key = bonds[address]?.peer.signing {
                    let next = counter == .max ? nil : max(counter + 1, key.signCounter)
                    bonds[address]?.peer.signing = next.map {
                        SigningKey(
                            connectionSignatureResolvingKey: key.connectionSignatureResolvingKey,
                            signCounter: $0
                        )
                    }
                }
            case 7:
                store.noteUse(of: address)
                store.setPrivacy(PeerPrivacy(resolvesAddresses: choices.once(in: 2)), of: address)
            case 8:
                store.remove(address)
                bonds[address] = nil
            case 9:
                // Another process removes it from the storage.
                try storage.removeBond(with: address)
                if address.isWorthKeeping { bonds[address] = nil }
            case 10:
                store = process()
                bonds = bonds.filter { $0.key.isWorthKeeping }
            default: break
            }
            for other in Self.addresses { #expect(store.bond(with: other) == bonds[other], "step \(step)") }
            #expect(Set(store.peers.map(\.identity.address)) == Set(bonds.keys))
        }
        for address in Self.addresses { store.remove(address) }
        #expect(storage.names.isEmpty)
    }

    // MARK: Documents

    /// A document that can be read, and written again; `nil` if it is set aside.
    private typealias Form = (name: String, data: Data, read: (MemoryStorage) throws -> Data?)

    private static func form<Content: StateContent>(_ content: Content) throws -> Form {
        let name = "\(Content.self).json"
        return (name, try content.document(), { try $0.load(Content.self, from: name)?.document() })
    }

    /// A valid document of each kind.
    private static func forms() throws -> [Form] {
        var choices = SeededChoices(seed: 9)
        let address = Self.addresses[0]
        var attributes = DiscoveredAttributes()
        attributes.add([GATTRemoteService(uuid: 0x180D, handles: 1...5, isPrimary: true)], listed: true)
        let peripheral = CentralRecord.Peripheral(
            identifier: UUID(random: 1, 2),
            address: "C0:00:00:00:00:01",
            isRandom: true,
            name: "Crystal",
            wasConnected: true,
            reconnectsByItself: false,
            attributes: attributes
        )
        let characteristic = PeripheralRecord.Characteristic(
            uuid: 0x2A37,
            properties: 2,
            permissions: 1,
            value: Data([1, 2]),
            descriptors: [PeripheralRecord.Descriptor(uuid: 0x2901, text: "text", data: nil)]
        )
        let service = PeripheralRecord.Service(
            number: 1,
            uuid: 0x180D,
            isPrimary: true,
            included: [],
            characteristics: [characteristic]
        )
        let kept = KeptBond(bond: Self.bond(&choices, address), paired: Date(timeIntervalSince1970: 1_000_000))
        let peers = """
            {"version":1,"peers":[{"address":"C0:00:00:00:00:01","kind":"random","name":"Crystal",\
            "identifier":"00000000-0000-4000-8000-000000000000"}]}
            """
        let identities: Form = (
            "identities.json", Data(peers.utf8),
            { storage in
                let records = IdentityFile(storage).load()
                guard storage.names == ["identities.json"] else { return nil }
                let other = MemoryStorage()
                IdentityFile(other).keep { records }
                return try other.read("identities.json")
            }
        )
        return [
            try self.form(
                CentralRecord(
                    scan: .init(services: [0x180D], solicitedServices: [0x1812], allowsDuplicates: true),
                    peripherals: [peripheral]
                )
            ),
            try self.form(
                PeripheralRecord(services: [service], advertisement: .init(localName: "Crystal", services: [0x180D]))
            ),
            try self.form(
                BondedClient(
                    configurations: [.init(characteristic: 3, uuid: 0x2A37, bits: 1)],
                    features: 1,
                    databaseHash: ByteBuffer(repeating: 7, count: 16)
                )
            ),
            try self.form(
                RemoteDatabase(GATTCachedDatabase(databaseHash: ByteBuffer(repeating: 7, count: 16)))
            ),
            try self.form(kept), try self.form(BondPrivacy(PeerPrivacy(resolvesAddresses: true), of: kept)),
            try self.form(BondUse(lastUsed: Date(timeIntervalSince1970: 5))),
            try self.form(BondSignCounter(paired: kept.paired, next: 7)), identities,
        ]
    }

    @Test(
        "a damaged document is set aside, or is one that can be written and read again",
        arguments: simulationSeeds(8)
    )
    func damaged(seed: UInt64) throws {
        var choices = SeededChoices(seed: seed)
        try CapturedLog().capture {
            for form in try Self.forms() {
                func read(_ data: Data) throws -> Data? {
                    let storage = MemoryStorage()
                    try storage.write(data, to: form.name)
                    let found = try form.read(storage)
                    #expect(storage.names == [found == nil ? "damaged-1-\(form.name)" : form.name])
                    return found
                }
                #expect(try read(form.data) != nil, "\(form.name)")
                for _ in 0..<60 {
                    var data = form.data
                    for _ in 0...choices.below(2) {
                        let letter = UInt8(ascii: choices.pick(["0", "f", "7", "-", "\"", "9", "}"]))
                        data[choices.below(data.count)] = letter
                    }
                    if choices.once(in: 4) { data = data.prefix(choices.below(data.count)) }
                    guard let found = try read(data) else { continue }
                    #expect(try read(found) == found, "\(form.name) \(String(decoding: data, as: UTF8.self))")
                }
            }
        }
    }
}
