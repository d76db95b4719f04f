// What was loaded of a bonded client is written again only where it has changed.

import BluetoothHost
import BluetoothTypes
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("A bonded client that was loaded")
struct LoadedClientTests {
    private func store(on storage: MemoryStorage) -> BondedClientStore {
        let store = BondedClientStore()
        store.writer = StateWriter(storage)
        return store
    }

    @Test("A client that is stored as it was loaded is not written, and another one is")
    func unchanged() {
        let storage = MemoryStorage()
        let identity = DeviceAddress(0x0011_2233_4455, kind: .public)
        let client = BondedClient(configurations: [], features: 5, databaseHash: nil)
        self.store(on: storage).store(client, at: identity)
        let store = self.store(on: storage)
        #expect(store.client(at: identity) == client)
        // Whether something is written shows where nothing is there any more.
        self.store(on: storage).remove(identity)
        store.store(client, at: identity)
        #expect(self.store(on: storage).client(at: identity) == nil)
        var changed = client
        changed.features = 4
        store.store(changed, at: identity)
        #expect(self.store(on: storage).client(at: identity) == changed)
    }
}
