// What is kept on random walks: identities, bonds, databases and records, over processes that end and begin; and stored
// files that are torn, foreign or of another version.

import BluetoothHost
import BluetoothTypes
import Fixtures
import Foundation
import NIOCore
import Testing

@testable import CoreBluetooth

@Suite("Walks through what is kept")
struct StorageWalkTests {
    private static let seeds = 1...4 as ClosedRange<UInt64>

    /// Addresses of all kinds: those of the identity and those that change, public and random.
    private static let addresses =
        ([0xC000_0000_0001, 0x4000_0000_0002, 0x0000_0000_0003, 0x8000_0000_0004] as [UInt64])
        .flatMap { [DeviceAddress($0, kind: .random), DeviceAddress($0, kind: .public)] }

    /// The documents of a storage, each with its tokens sorted: tables have no order.
    private static func content(of storage: MemoryStorage) -> [String] {
        storage.names.sorted().map { name in
            let data = (try? storage.read(name)) ?? nil
            let tokens = String(decoding: data ?? Data(), as: UTF8.self).split { "{}[], \n".contains($0) }
            return "\(name) \(tokens.sorted().joined(separator: " "))"
        }
    }

    @Test("identities: found, named, moved to the address of the identity, kept and restored", arguments: seeds)
    func identities(seed: UInt64) {
        var chance = Chance(seed: seed)
        let storage = MemoryStorage()
        var store = IdentityStore(randomness: .seeded(seed))
        for step in 0..<300 {
            let address = chance.pick(Self.addresses)
            var said = ""
            switch chance.below(12) {
            case 0...2: said = "\(store.record(for: address))"
            case 3, 4:
                let name = chance.pick(["Crystal", "Curious"])
                said = "\(store.setName(name, isDeviceName: chance.once(in: 2), of: address))"
            case 5: said = "\(store.move(address, to: chance.pick(Self.addresses)))"
            case 6:
                let identifier = UUID(random: UInt64(chance.below(4)), 7)
                said = "\(store.restore(.init(identifier: identifier, address: address, name: "restored")))"
            case 7: said = "\(store.record(for: UUID(random: UInt64(chance.below(4)), 7)).map { "\($0)" } ?? "nil")"
            case 8: if chance.once(in: 4) { store.open(IdentityFile(storage)) }
            case 9: if chance.once(in: 4) { store.close() }
            case 10: store.flush()
            default:
                guard chance.once(in: 6) else { continue }
                store.close()
                store = IdentityStore(randomness: .seeded(seed + UInt64(step)))
                store.open(IdentityFile(storage))
            }
            let record = store.record(for: address)
            #expect(store.record(for: record.identifier) == record)
            RunRecord.note("\(step) \(said) \(record)")
            guard step.isMultiple(of: 4) else { continue }
            for line in Self.content(of: storage) { RunRecord.note("\(step) \(line)") }
        }
    }

    @Test("more identities than are remembered: the eighth that came first is forgotten")
    func manyIdentities() {
        let store = IdentityStore(randomness: .seeded(1))
        for number in 0..<UInt64(IdentityStore.capacity) { _ = store.record(for: DeviceAddress(number, kind: .public)) }
        let known = (0..<UInt64(IdentityStore.capacity)).map { store.record(for: DeviceAddress($0, kind: .public)) }
        #expect(known.allSatisfy { store.record(for: $0.identifier) == $0 })
        _ = store.record(for: DeviceAddress(1 << 40, kind: .public))
        let forgotten = known.filter { store.record(for: $0.identifier) == nil }
        #expect(forgotten == Array(known.prefix(IdentityStore.capacity / 8)))
    }

    @Test("2,048 identities are kept on disk: the last ones")
    func keptIdentities() {
        let storage = MemoryStorage()
        let store = IdentityStore(randomness: .seeded(1))
        store.open(IdentityFile(storage))
        for number in 0..<UInt64(IdentityFile.capacity + 2) {
            _ = store.record(for: DeviceAddress(number, kind: .public))
        }
        let addresses = IdentityFile(storage).load().map(\.address.value)
        #expect(addresses == Array(2..<UInt64(IdentityFile.capacity + 2)))
    }

    private static func bond(_ chance: inout Chance, _ address: DeviceAddress) -> Bond {
        func key() -> Octets16 { Octets16(high: chance.next(), low: chance.next()) }
        func keys() -> PairingKeys {
            let longTermKey = LongTermKey(
                value: key(),
                encryptedDiversifier: UInt16(chance.below(65_536)),
                random: chance.next()
            )
            let signing = SigningKey(connectionSignatureResolvingKey: key(), signCounter: UInt32(chance.below(5)))
            return PairingKeys(
                longTermKey: chance.once(in: 4) ? nil : longTermKey,
                identity: chance.once(in: 2)
                    ? nil : IdentityInformation(identityResolvingKey: key(), address: chance.pick(Self.addresses)),
                signing: chance.once(in: 3) ? nil : signing
            )
        }
        return Bond(
            peerAddress: address,
            keySize: 7 + chance.below(10),
            isAuthenticated: chance.once(in: 2),
            isSecureConnections: chance.once(in: 2),
            local: keys(),
            peer: keys()
        )
    }

    @Test(
        "bonds: made, used, renewed, removed by this process and by another one, with their counters",
        arguments: seeds
    )
    func bonds(seed: UInt64) throws {
        var chance = Chance(seed: seed)
        let storage = MemoryStorage()
        var now = 1_000_000.25
        func make() -> BondStore {
            let store = BondStore()
            store.now = { Date(timeIntervalSince1970: now) }
            store.writer = StateWriter(storage)
            return store
        }
        var store = make()
        var changes = 0
        store.onChange = { changes += 1 }
        for step in 0..<300 {
            now += Double(chance.below(3)) / 2
            let address = chance.pick(Self.addresses)
            switch chance.below(14) {
            case 0...3: store.store(Self.bond(&chance, address))
            case 4: store.noteUse(of: address)
            case 5...7: store.noteSignCounter(chance.pick([0, 1, 2, 5, 9, .max - 1, .max]), of: address)
            case 8:
                let privacy = PeerPrivacy(
                    resolvesAddresses: chance.once(in: 2),
                    usesOnlyPrivateAddresses: chance.once(in: 2)
                )
                store.setPrivacy(privacy, of: address)
            case 9: store.remove(address)
            case 10: if chance.once(in: 2) { try storage.removeBond(with: address.withoutIdentity) }
            case 11:
                guard chance.once(in: 3) else { continue }
                store = make()
                store.onChange = { changes += 1 }
            default: break
            }
            RunRecord.note("\(step) \(changes) \(store.bond(with: address).map { "\($0)" } ?? "nil")")
            RunRecord.note("\(step) \(store.identities)")
            RunRecord.note("\(step) \(store.privacy.map { "\($0.key) \($0.value)" }.sorted())")
            RunRecord.note("\(step) \(storage.hasBond(with: address)) \(storage.bonds())")
            RunRecord.note("\(step) \(storage.lastUse(ofBondWith: address).map { "\($0)" } ?? "nil")")
            guard step.isMultiple(of: 4) else { continue }
            for line in Self.content(of: storage) { RunRecord.note("\(step) \(line)") }
        }
    }

    @Test("as many bonds with addresses that change as there is space for; the first one goes")
    func passingBonds() {
        var chance = Chance(seed: 5)
        let store = BondStore()
        let addresses = (0...BondStore.passingCapacity).map { number in
            DeviceAddress(0x4000_0000_0000 | UInt64(number), kind: .random)
        }
        for address in addresses.dropLast() {
            var bond = Self.bond(&chance, address)
            bond.peer.identity = nil
            store.store(bond)
        }
        #expect(addresses.dropLast().allSatisfy { store.bond(with: $0) != nil })
        // Made anew, one is the last of them.
        for address in [addresses[0], addresses[BondStore.passingCapacity]] {
            var bond = Self.bond(&chance, address)
            bond.peer.identity = nil
            store.store(bond)
        }
        let left = addresses.filter { store.bond(with: $0) != nil }
        #expect(left == [addresses[0]] + addresses.dropFirst(2))
        store.remove(addresses[2])
        #expect(store.bond(with: addresses[2]) == nil)
    }

    @Test("databases and clients of peers over processes", arguments: seeds)
    func peers(seed: UInt64) {
        var chance = Chance(seed: seed)
        let storage = MemoryStorage()
        var cache = DatabaseCache()
        var clients = BondedClientStore()
        cache.writer = StateWriter(storage)
        clients.writer = StateWriter(storage)
        for step in 0..<200 {
            let address = chance.pick(Self.addresses)
            switch chance.below(12) {
            case 0...3:
                let hash = ByteBuffer(repeating: UInt8(chance.below(3)), count: chance.pick([15, 16, 16, 16]))
                cache.store(RemoteDatabase(GATTCachedDatabase(databaseHash: hash)), of: address)
            case 4: cache.remove(address)
            case 5: if chance.once(in: 4) { cache.isUsed.toggle() }
            case 6, 7:
                let configuration = BondedClient.Configuration(characteristic: 3, uuid: 0x2A37, bits: 1)
                let client = BondedClient(
                    configurations: chance.some([configuration]),
                    features: UInt8(chance.below(3)),
                    databaseHash: chance.once(in: 2) ? nil : ByteBuffer(repeating: 3, count: 16)
                )
                clients.store(client, at: address)
            case 8: clients.remove(address)
            case 9:
                guard chance.once(in: 3) else { continue }
                cache = DatabaseCache()
                clients = BondedClientStore()
                cache.writer = StateWriter(storage)
                clients.writer = StateWriter(storage)
            default: break
            }
            RunRecord.note("\(step) \(cache.database(of: address)?.identity?.databaseHash.hex ?? "-")")
            RunRecord.note("\(step) \(clients.client(at: address).map { "\($0)" } ?? "nil")")
            guard step.isMultiple(of: 4) else { continue }
            for line in Self.content(of: storage) { RunRecord.note("\(step) \(line)") }
        }
    }

    @Test("the record of a manager, over processes, with identifiers that are claimed twice", arguments: seeds)
    func records(seed: UInt64) throws {
        var chance = Chance(seed: seed)
        let storage = MemoryStorage()
        try CapturedLog().capture {
            var stores: [RecordStore<CentralRecord>] = []
            for step in 0..<200 {
                var said = ""
                let service = BluetoothUUID(UInt16(step))
                let record = CentralRecord(
                    scan: chance.once(in: 3)
                        ? nil
                        : .init(services: [service], solicitedServices: [], allowsDuplicates: chance.once(in: 2))
                )
                switch chance.below(10) {
                case 0, 1:
                    let identifier = chance.pick(["walk a", "walk b", String(repeating: "long/", count: 20)])
                    stores.append(try #require(RecordStore(identifier, program: chance.pick(["app", "app/2"]))))
                    if stores.count > 3 { stores.removeFirst() }
                case 2, 3:
                    let found = stores.last?.open(StateWriter(storage))
                    said = found.map { "\($0)" } ?? "nil"
                case 4: stores.last?.noteChange()
                case 5, 6: stores.last?.save { record }
                case 7: stores.last?.takenOver()
                case 8: if chance.once(in: 3) { stores.last?.remove() }
                default: if chance.once(in: 3) { stores.last?.close() }
                }
                RunRecord.note("\(step) \(said)")
                guard step.isMultiple(of: 4) else { continue }
                for line in Self.content(of: storage) { RunRecord.note("\(step) \(line)") }
            }
        }
    }

    // MARK: Stored files

    /// A valid document of each kind.
    private static func documents() throws -> [(name: String, data: Data)] {
        var chance = Chance(seed: 9)
        let attributes = DiscoveredAttributes()
        let peripheral = CentralRecord.Peripheral(
            identifier: UUID(random: 1, 2),
            address: "C0:00:00:00:00:01",
            isRandom: true,
            name: "Crystal",
            wasConnected: true,
            reconnectsByItself: false,
            attributes: attributes
        )
        let central = CentralRecord(
            scan: .init(services: [0x180D], solicitedServices: [0x1812], allowsDuplicates: true),
            peripherals: [peripheral]
        )
        let descriptor = PeripheralRecord.Descriptor(uuid: 0x2901, text: "text", data: nil)
        let characteristic = PeripheralRecord.Characteristic(
            uuid: 0x2A37,
            properties: 2,
            permissions: 1,
            value: Data([1, 2]),
            descriptors: [descriptor]
        )
        let service = PeripheralRecord.Service(
            number: 1,
            uuid: 0x180D,
            isPrimary: true,
            included: [],
            characteristics: [characteristic]
        )
        let published = PeripheralRecord(
            services: [service],
            advertisement: .init(localName: "Crystal", services: [0x180D])
        )
        let client = BondedClient(
            configurations: [.init(characteristic: 3, uuid: 0x2A37, bits: 1)],
            features: 1,
            databaseHash: ByteBuffer(repeating: 7, count: 16)
        )
        let kept = KeptBond(bond: Self.bond(&chance, Self.addresses[0]), paired: Date(timeIntervalSince1970: 1_000_000))
        let privacy = PeerPrivacy(resolvesAddresses: true, usesOnlyPrivateAddresses: false)
        let storage = MemoryStorage()
        let identities = IdentityStore(randomness: .seeded(1))
        identities.open(IdentityFile(storage))
        identities.setName("Crystal", isDeviceName: true, of: identities.record(for: Self.addresses[0]).address)
        return [
            ("central", try central.document()), ("peripheral", try published.document()),
            ("client", try client.document()), ("bond", try kept.document()),
            ("privacy", try BondPrivacy(privacy, of: kept).document()),
            ("use", try BondUse(lastUsed: Date(timeIntervalSince1970: 5)).document()),
            ("counter", try BondSignCounter(paired: kept.paired, next: 7).document()),
            ("identities.json", try #require(try storage.read("identities.json"))),
        ]
    }

    /// What is read of a document, as text, and how it is called afterwards.
    private static func read(_ name: String, _ data: Data) throws -> String {
        let storage = MemoryStorage()
        try storage.write(data, to: name)
        let found: Any? =
            switch name {
            case "central": storage.load(CentralRecord.self, from: name)
            case "peripheral": storage.load(PeripheralRecord.self, from: name)
            case "client": storage.load(BondedClient.self, from: name)
            case "bond": storage.load(KeptBond.self, from: name)
            case "privacy": storage.load(BondPrivacy.self, from: name)
            case "use": storage.load(BondUse.self, from: name)
            case "counter": storage.load(BondSignCounter.self, from: name)
            default: IdentityFile(storage).load()
            }
        return "\(found.map { "\($0)" } ?? "nil") \(storage.names)"
    }

    @Test("every stored form: whole, cut off at each place, with each digit and letter changed, of other versions")
    func damaged() throws {
        var chance = Chance(seed: 1)
        try CapturedLog().capture {
            for (name, data) in try Self.documents() {
                let whole = try Self.read(name, data)
                RunRecord.note("\(name) \(whole)")
                #expect(!whole.contains("damaged"))
                for count in stride(from: 0, to: data.count, by: max(1, data.count / 60)) {
                    let read = try Self.read(name, data.prefix(count))
                    RunRecord.note("\(name) \(count) \(read)")
                }
                let text = String(decoding: data, as: UTF8.self)
                for place in 0..<80 {
                    var octets = data
                    octets[chance.below(octets.count)] = UInt8(
                        ascii: chance.pick(["0", "f", "7", "-", "\"", "9", "}"])
                    )
                    let read = try Self.read(name, octets)
                    RunRecord.note("\(name) changed \(place) \(read)")
                }
                for version in ["0", "2", "-1", "\"1\"", "null", "1.5"] {
                    for form in ["\"version\":1", "\"version\" : 1"] where text.contains(form) {
                        let other = text.replacingOccurrences(of: form, with: "\"version\":\(version)")
                        let read = try Self.read(name, Data(other.utf8))
                        #expect(read.contains("damaged"), "\(name) \(version)")
                        RunRecord.note("\(name) \(version) \(read)")
                    }
                }
            }
        }
    }

    @Test("names of files, and the storage in memory", arguments: seeds)
    func memory(seed: UInt64) throws {
        var chance = Chance(seed: seed)
        let storage = MemoryStorage()
        var claims: [StateClaim] = []
        for step in 0..<200 {
            let name = chance.pick(["a-1", "a-2", "b-1", "b-2"])
            let length = chance.pick([0, 1, 46, 47, 48, 63, 64, 65, 100])
            let text = String(
                (0..<length).map { _ in chance.pick(["a", "é", "/", "Z", "0", ".", "-", "~", " "]) as Character }
            )
            var said = stateFileName(text, limit: chance.pick([64, 64, 20, 18]))
            switch chance.below(8) {
            case 0, 1: try storage.write(Data([UInt8(chance.below(3))]), to: name)
            case 2: try storage.write(name, .powerFailure) { nil }
            case 3: storage.remove(name)
            case 4: if try storage.read(name) != nil { said += " " + storage.setAside(name) }
            case 5:
                let claim = storage.claim(name)
                said += " \(claim != nil)"
                if let claim { claims.append(claim) }
            case 6: if !claims.isEmpty { claims.removeFirst() }
            default: said += " \(storage.withLock { 7 })"
            }
            let content = try storage.names.map { "\($0) \(try storage.read($0).map(noted) ?? "nil")" }
            RunRecord.note("\(step) \(said) \(content) \(storage.names(withPrefix: "a-"))")
        }
    }
}
