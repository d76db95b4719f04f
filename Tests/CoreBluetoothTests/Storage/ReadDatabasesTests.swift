// Cached databases that come from the storage: in memory they are as many as those that were discovered.

import BluetoothHost
import BluetoothTypes
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("Cached databases from the storage")
struct ReadDatabasesTests {
    private func address(_ number: Int) -> DeviceAddress { DeviceAddress(UInt64(number), kind: .public) }

    private func database(_ number: UInt8) -> RemoteDatabase {
        RemoteDatabase(GATTCachedDatabase(databaseHash: ByteBuffer(repeating: number, count: 16)))
    }

    /// A cache that writes databases, of as many peers, and another one of the next process.
    private func caches(_ storage: MemoryStorage, count: Int) -> (first: DatabaseCache, next: DatabaseCache) {
        let caches = (first: DatabaseCache(), next: DatabaseCache())
        caches.first.writer = StateWriter(storage)
        caches.next.writer = StateWriter(storage)
        for number in 1...count { caches.first.store(self.database(UInt8(number)), of: self.address(number)) }
        return caches
    }

    @Test("64 that were read stay in memory; one more takes the place of the one that was unused for longest")
    func capacity() {
        let storage = MemoryStorage()
        let caches = self.caches(storage, count: 65)
        #expect(storage.names.count == 65)
        for number in 1...65 {
            #expect(caches.next.database(of: self.address(number)) == self.database(UInt8(number)))
        }
        // What is not in memory cannot be read any more.
        for name in storage.names { storage.remove(name) }
        #expect(caches.next.database(of: self.address(1)) == nil)
        for number in 2...65 {
            #expect(caches.next.database(of: self.address(number)) == self.database(UInt8(number)), "\(number)")
        }
    }

    @Test("A cache that is not used reads nothing, and what it knows is there when it is used again")
    func unused() {
        let storage = MemoryStorage()
        let caches = self.caches(storage, count: 1)
        caches.next.isUsed = false
        caches.first.isUsed = false
        for cache in [caches.first, caches.next] {
            #expect(cache.database(of: self.address(1)) == nil)
            cache.isUsed = true
            #expect(cache.database(of: self.address(1)) == self.database(1))
        }
    }
}
