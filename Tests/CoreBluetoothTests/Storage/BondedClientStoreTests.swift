import BluetoothHost
import BluetoothTypes
import NIOCore
import Testing

@testable import CoreBluetooth

@Suite("Bonded clients over links and processes")
struct BondedClientStoreTests {
    private let client = BondedClient(
        configurations: [
            BondedClient.Configuration(characteristic: 0x0017, uuid: 0x2A37, bits: 1),
            BondedClient.Configuration(
                characteristic: 0x0020,
                uuid: BluetoothUUID("11223344-5566-7788-99AA-BBCCDDEEFF00") ?? 0,
                bits: 2
            ),
        ],
        features: 5,
        databaseHash: ByteBuffer(bytes: 0..<16)
    )
    private let identity = DeviceAddress(0x0011_2233_4455, kind: .public)
    private let changing = DeviceAddress(0x4011_2233_4455, kind: .random)
    private let storage = MemoryStorage()

    /// The store of a process.
    private func store() -> BondedClientStore {
        let store = BondedClientStore()
        store.writer = StateWriter(self.storage)
        return store
    }

    @Test("keeps a client over processes, by the identity of the bond, until it is removed")
    func lasts() {
        self.store().store(self.client, at: self.identity)
        let next = self.store()
        #expect(next.client(at: self.identity) == self.client)
        // The same device, as the controller resolves its address.
        #expect(next.client(at: DeviceAddress(self.identity.value, kind: .publicIdentity)) == self.client)
        #expect(next.client(at: DeviceAddress(self.identity.value, kind: .randomIdentity)) == nil)
        var unaware = self.client
        unaware.databaseHash = nil
        next.store(unaware, at: self.identity)
        #expect(self.store().client(at: self.identity) == unaware)
        next.remove(DeviceAddress(self.identity.value, kind: .publicIdentity))
        #expect(next.client(at: self.identity) == nil && self.storage.names.isEmpty)
    }

    @Test("writes a client only if it has changed, stored or loaded")
    func unchanged() {
        let first = self.store()
        first.store(self.client, at: self.identity)
        let next = self.store()
        #expect(next.client(at: self.identity) == self.client)
        // A write would show: the document is gone.
        self.storage.remove(BondedClientStore.name(self.identity))
        for store in [first, next] {
            store.store(self.client, at: self.identity)
            #expect(self.storage.names.isEmpty && store.client(at: self.identity) == self.client)
        }
        var changed = self.client
        changed.features = 4
        next.store(changed, at: self.identity)
        #expect(self.store().client(at: self.identity) == changed)
    }

    @Test("keeps a client with an address that changes in memory alone")
    func privateAddress() throws {
        let name = BondedClientStore.name(self.changing)
        let earlier = BondedClient(configurations: [], features: 1, databaseHash: nil)
        try self.storage.save(earlier, to: name)
        let store = self.store()
        #expect(store.client(at: self.changing) == nil)
        store.store(self.client, at: self.changing)
        #expect(store.client(at: self.changing) == self.client)
        #expect(self.storage.load(BondedClient.self, from: name) == earlier)
        store.remove(self.changing)
        #expect(store.client(at: self.changing) == nil && self.storage.names == [name])
    }

    @Test("sets a record aside whose Database Hash does not have 16 octets", arguments: [nil, 0, 15, 16, 17] as [Int?])
    func databaseHash(count: Int?) throws {
        let hash = count.map { #","databaseHash":["# + Array(repeating: "7", count: $0).joined(separator: ",") + "]" }
        let text = #"{"version":1,"content":{"configurations":[],"features":3\#(hash ?? "")}}"#
        let name = BondedClientStore.name(self.identity)
        try self.storage.write(Data(text.utf8), to: name)
        let client = CapturedLog().capture { self.store().client(at: self.identity) }
        let isValid = count == nil || count == 16
        #expect(client?.features == (isValid ? 3 : nil))
        #expect(client?.databaseHash?.readableBytes == (isValid ? count : nil))
        #expect(self.storage.names == [isValid ? name : "damaged-1-\(name)"])
    }
}
