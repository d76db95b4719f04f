// Bonds that are removed: a bond that is made anew is not taken for the one that is gone, and what was in this process
// alone takes nothing from the storage with it.

import BluetoothHost
import BluetoothTypes
import Foundation
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("Bonds that are removed")
struct RemovedBondTests {
    private func store(_ writer: StateWriter) -> BondStore {
        let store = BondStore()
        store.now = { Date(timeIntervalSince1970: 1_000_000) }
        store.writer = writer
        return store
    }

    @Test(
        "A bond that is made anew and cannot be written is good for this process, also where the one before it is gone",
        arguments: [false, true]
    )
    func madeAnew(isRemovedElsewhere: Bool) {
        let peer = DeviceAddress(0x0011_2233_4455, kind: .public)
        let storage = MemoryStorage()
        let writer = StateWriter(storage)
        let store = self.store(writer)
        store.store(Bond.symmetric(with: peer))
        #expect(storage.names == [BondStore.name(peer)])
        if isRemovedElsewhere {
            storage.remove(BondStore.name(peer))
            #expect(store.bond(with: peer) == nil)
        } else {
            store.remove(peer)
        }
        writer.stop()
        store.store(Bond.symmetric(with: peer))
        #expect(storage.names.isEmpty)
        #expect(store.bond(with: peer) == Bond.symmetric(with: peer))
    }

    @Test("That a bond is gone is reported when it is removed, and not again when it is looked for")
    func reportedOnce() {
        let peer = DeviceAddress(0x0011_2233_4455, kind: .public)
        let store = self.store(StateWriter(MemoryStorage()))
        store.store(Bond.symmetric(with: peer))
        var count = 0
        store.onChange = { count += 1 }
        store.remove(peer)
        #expect(count == 1)
        #expect(store.bond(with: peer) == nil && store.bond(with: peer) == nil)
        #expect(count == 1)
    }

    @Test("A bond of this process alone that is removed leaves what an earlier version has written of such a peer")
    func passing() throws {
        let peer = DeviceAddress(0x4000_0000_0001, kind: .random)
        let storage = MemoryStorage()
        try storage.save(KeptBond(bond: Bond.symmetric(with: peer), paired: nil), to: BondStore.name(peer))
        let store = self.store(StateWriter(storage))
        store.store(Bond.symmetric(with: peer))
        #expect(store.bond(with: peer) != nil)
        store.remove(peer)
        #expect(store.bond(with: peer) == nil && storage.names == [BondStore.name(peer)])
    }

    @Test("What is kept of a client on an address that changes is in memory alone, and so is its removal")
    func passingClient() throws {
        let peer = DeviceAddress(0x4000_0000_0001, kind: .random)
        let client = BondedClient(configurations: [], features: 1, databaseHash: nil)
        let storage = MemoryStorage()
        try storage.save(client, to: BondedClientStore.name(peer))
        let store = BondedClientStore()
        store.writer = StateWriter(storage)
        #expect(store.client(at: peer) == nil)
        store.store(BondedClient(configurations: [], features: 2, databaseHash: nil), at: peer)
        #expect(store.client(at: peer)?.features == 2)
        #expect(storage.load(BondedClient.self, from: BondedClientStore.name(peer))?.features == 1)
        store.remove(peer)
        #expect(store.client(at: peer) == nil && storage.names == [BondedClientStore.name(peer)])
    }
}
