// What is kept of bonded clients: on disk, by the identity of the bond, and gone with it.

import BluetoothHost
import BluetoothTypes
import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("What is kept of bonded clients")
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

    private func store(on storage: MemoryStorage) -> BondedClientStore {
        let store = BondedClientStore()
        store.writer = StateWriter(storage)
        return store
    }

    @Test("a record outlives its process, whole")
    func lasts() {
        let storage = MemoryStorage()
        self.store(on: storage).store(self.client, at: self.identity)
        let next = self.store(on: storage)
        #expect(next.client(at: self.identity) == self.client)
        // The same device, as the controller resolves its address.
        #expect(next.client(at: DeviceAddress(self.identity.value, kind: .publicIdentity)) == self.client)
        #expect(next.client(at: DeviceAddress(self.identity.value, kind: .randomIdentity)) == nil)
        var unaware = self.client
        unaware.databaseHash = nil
        next.store(unaware, at: self.identity)
        #expect(self.store(on: storage).client(at: self.identity) == unaware)
    }

    @Test("a record goes with its bond")
    func removed() {
        let storage = MemoryStorage()
        let store = self.store(on: storage)
        store.store(self.client, at: self.identity)
        store.remove(self.identity)
        #expect(store.client(at: self.identity) == nil)
        #expect(self.store(on: storage).client(at: self.identity) == nil)
        #expect(storage.names.isEmpty)
    }

    @Test("a private address names nobody beyond the process")
    func privateAddress() {
        let storage = MemoryStorage()
        let address = DeviceAddress(0x4011_2233_4455, kind: .random)
        let store = self.store(on: storage)
        store.store(self.client, at: address)
        #expect(store.client(at: address) == self.client)
        #expect(storage.names.isEmpty)
    }

    @Test("a damaged record is set aside, and the client is a new one")
    func damaged() throws {
        let storage = MemoryStorage()
        self.store(on: storage).store(self.client, at: self.identity)
        let name = try #require(storage.names.first)
        let text = try #require(try storage.read(name).flatMap { String(data: $0, encoding: .utf8) })
        try storage.write(Data(text.replacingOccurrences(of: ",15]", with: "]").utf8), to: name)
        #expect(self.store(on: storage).client(at: self.identity) == nil)
        #expect(storage.names.allSatisfy { $0.hasPrefix("damaged-") } && storage.names.count == 1)
    }
}
