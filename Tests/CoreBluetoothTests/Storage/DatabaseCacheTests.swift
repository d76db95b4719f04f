import BluetoothHost
import BluetoothTypes
import NIOCore
import Testing

@testable import CoreBluetooth

@Suite("Cached databases of peers")
struct DatabaseCacheTests {
    private let storage = MemoryStorage()

    private func address(_ number: Int) -> DeviceAddress { DeviceAddress(UInt64(number), kind: .public) }

    private func database(_ number: UInt8, hashLength: Int = 16) -> RemoteDatabase {
        RemoteDatabase(GATTCachedDatabase(databaseHash: ByteBuffer(repeating: number, count: hashLength)))
    }

    /// The cache of a process.
    private func storedCache() -> DatabaseCache {
        let cache = DatabaseCache()
        cache.writer = StateWriter(self.storage)
        return cache
    }

    @Test("keeps 64 databases in memory; one more replaces the one that was unused for longest")
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
        for number in [65, 3] { cache.store(self.database(100), of: self.address(number)) }
        #expect(cache.database(of: self.address(4)) != nil)
        #expect(cache.database(of: self.address(3)) == self.database(100))
        // Neither does a database that was removed.
        for _ in 1...2 { cache.remove(self.address(3)) }
        #expect(cache.database(of: self.address(3)) == nil)
        cache.store(self.database(66), of: self.address(66))
        #expect(cache.database(of: self.address(5)) != nil)
    }

    @Test("keeps as many of the databases that were read from the storage")
    func readCapacity() {
        let (first, next) = (self.storedCache(), self.storedCache())
        for number in 1...65 { first.store(self.database(UInt8(number)), of: self.address(number)) }
        for number in 1...65 {
            #expect(next.database(of: self.address(number)) == self.database(UInt8(number)))
        }
        // Only what is in memory can be read now.
        for name in self.storage.names { self.storage.remove(name) }
        #expect((1...65).filter { next.database(of: self.address($0)) != nil } == Array(2...65))
    }

    @Test("7.13 keeps the 256 databases in the storage that were written last")
    func storedCapacity() throws {
        try withFolderStorage { folder throws in
            let cache = DatabaseCache()
            let writer = StateWriter(folder)
            cache.writer = writer
            for number in 1...300 {
                cache.store(self.database(7), of: self.address(number))
                writer.flush()
            }
            #expect(try folder.names(withPrefix: "attributes-").count == 256)
            #expect(
                [1, 44, 45, 300].map { cache.database(of: self.address($0)) != nil } == [false, false, true, true]
            )
            // An address that changes is not worth a file.
            let changing = DeviceAddress(5, kind: .random)
            cache.store(self.database(7), of: changing)
            writer.flush()
            #expect(try folder.names(withPrefix: "attributes-").count == 256)
            #expect(cache.database(of: changing) != nil)
        }
    }

    @Test("drops a database that has no hash of 16 octets, with the one that was there", arguments: [0, 15, 17])
    func withoutHash(length: Int) {
        let cache = self.storedCache()
        cache.store(self.database(1), of: self.address(1))
        cache.store(self.database(1, hashLength: length), of: self.address(1))
        #expect(cache.database(of: self.address(1)) == nil && self.storage.names.isEmpty)
    }

    @Test("tells a public and a random address of the same value apart, in memory and in the storage")
    func kinds() {
        let addresses = [DeviceAddress.Kind.public, .random].map { DeviceAddress(0xC000_0000_0001, kind: $0) }
        for (number, address) in addresses.enumerated() {
            self.storedCache().store(self.database(UInt8(number)), of: address)
        }
        let last = self.storedCache()
        for (number, address) in addresses.enumerated() {
            #expect(last.database(of: address) == self.database(UInt8(number)))
        }
        last.remove(addresses[0])
        let next = self.storedCache()
        #expect(next.database(of: addresses[0]) == nil && next.database(of: addresses[1]) != nil)
    }

    @Test("reads nothing while it is not used, and keeps what it has")
    func unused() {
        let (first, next) = (self.storedCache(), self.storedCache())
        first.store(self.database(1), of: self.address(1))
        for cache in [first, next] {
            cache.isUsed = false
            #expect(cache.database(of: self.address(1)) == nil)
            cache.isUsed = true
            #expect(cache.database(of: self.address(1)) == self.database(1))
        }
    }

    @Test("gives a database on links that are as secure as the one over which it was learned, or less")
    func levels() {
        let cache = DatabaseCache()
        cache.writer = StateWriter(self.storage)
        for (number, level) in [SecurityLevel.none, .encrypted, .authenticated, .secureConnections].enumerated() {
            var database = self.database(UInt8(number))
            database.level = level
            cache.store(database, of: self.address(number))
        }
        let next = DatabaseCache()
        next.writer = StateWriter(self.storage)
        for (number, level) in [SecurityLevel.none, .encrypted, .authenticated, .secureConnections].enumerated() {
            for link in SecurityLevel.allCases {
                let isGiven = next.database(of: self.address(number), at: link) != nil
                #expect(isGiven == (link <= level))
            }
        }
    }
}
