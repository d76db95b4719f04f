// Stored documents of each kind that are damaged at random.

import BluetoothHost
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import CoreBluetooth

@Suite("Damaged documents")
struct StorageSimulationTests {
    /// A document that can be read, and written again; `nil` if it is set aside.
    private typealias Form = (name: String, data: Data, read: (MemoryStorage) throws -> Data?)

    private static func form<Content: StateContent>(_ content: Content) throws -> Form {
        let name = "\(Content.self).json"
        return (name, try content.document(), { try $0.load(Content.self, from: name)?.document() })
    }

    /// A valid document of each kind.
    private static func forms() throws -> [Form] {
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
        let identity = IdentityInformation(
            identityResolvingKey: Octets16(high: 5, low: 6),
            address: DeviceAddress(0xC000_0000_0001, kind: .random)
        )
        let bond = Bond.symmetric(with: identity.address, identity: identity, signCounter: 3)
        let kept = KeptBond(bond: bond, paired: Date(timeIntervalSince1970: 1_000_000))
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
