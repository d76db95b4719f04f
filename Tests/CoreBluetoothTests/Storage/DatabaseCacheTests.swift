// What is remembered of peers' databases, and for how many (docs: the adapter's storage).

import BluetoothHost
import BluetoothTypes
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("Cached databases in memory")
struct DatabaseCacheTests {
    private func address(_ number: Int) -> DeviceAddress { DeviceAddress(UInt64(number), kind: .public) }

    private func database(_ number: UInt8, hashLength: Int = 16) -> RemoteDatabase {
        RemoteDatabase(
            GATTCachedDatabase(databaseHash: ByteBuffer(repeating: number, count: hashLength))
        )
    }

    @Test("64 databases are kept; one more takes the place of the one that was unused for longest")
    func capacity() {
        let cache = DatabaseCache()
        for number in 1...64 { cache.store(self.database(UInt8(number)), of: self.address(number)) }
        // Reading is using.
        #expect(cache.database(of: self.address(1)) == self.database(1))
        cache.store(self.database(65), of: self.address(65))
        #expect(cache.database(of: self.address(2)) == nil)
        for number in [1, 3, 64, 65] {
            #expect(cache.database(of: self.address(number)) == self.database(UInt8(number)))
        }
        // Storing again what is there takes no further place.
        cache.store(self.database(100), of: self.address(65))
        cache.store(self.database(100), of: self.address(3))
        #expect(cache.database(of: self.address(4)) != nil)
        #expect(cache.database(of: self.address(3)) == self.database(100))
    }

    @Test("a database that was removed takes no place")
    func removed() {
        let cache = DatabaseCache()
        for number in 1...64 { cache.store(self.database(UInt8(number)), of: self.address(number)) }
        cache.remove(self.address(64))
        cache.remove(self.address(64))
        #expect(cache.database(of: self.address(64)) == nil)
        cache.store(self.database(65), of: self.address(65))
        for number in (1...63).map({ $0 }) + [65] {
            #expect(cache.database(of: self.address(number)) != nil, "\(number)")
        }
    }

    @Test("a database without a whole hash is not kept, and takes away what was")
    func withoutHash() {
        let cache = DatabaseCache()
        for length in [0, 15, 17] {
            cache.store(self.database(1), of: self.address(1))
            cache.store(self.database(1, hashLength: length), of: self.address(1))
            #expect(cache.database(of: self.address(1)) == nil, "\(length)")
        }
        cache.store(RemoteDatabase(), of: self.address(2))
        #expect(cache.database(of: self.address(2)) == nil)
    }

    @Test("addresses of one value and two kinds are two devices, also in storage, and what is removed is gone there")
    func kinds() {
        let storage = MemoryStorage()
        func cache() -> DatabaseCache {
            let cache = DatabaseCache()
            cache.writer = StateWriter(storage)
            return cache
        }
        let addresses = [DeviceAddress.Kind.public, .random].map { DeviceAddress(0xC000_0000_0001, kind: $0) }
        for (number, address) in addresses.enumerated() { cache().store(self.database(UInt8(number)), of: address) }
        for (number, address) in addresses.enumerated() {
            #expect(cache().database(of: address) == self.database(UInt8(number)))
        }
        let last = cache()
        #expect(last.database(of: addresses[0]) != nil)
        last.remove(addresses[0])
        #expect(cache().database(of: addresses[0]) == nil && cache().database(of: addresses[1]) != nil)
    }
}
