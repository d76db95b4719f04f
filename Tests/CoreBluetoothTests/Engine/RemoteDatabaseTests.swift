import BluetoothHost
import BluetoothTypes
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("7.13 What is known of a peer's database")
struct RemoteDatabaseTests {
    private let services = [
        GATTRemoteService(uuid: 0xA000, handles: 0x0001...0x0005, isPrimary: true),
        GATTRemoteService(uuid: 0xB000, handles: 0x0006...0x0009, isPrimary: true),
        GATTRemoteService(uuid: 0xA000, handles: 0x000A...0x000C, isPrimary: true),
    ]

    @Test(
        "services are found in the order in which they are asked for, and once where they are asked for twice",
        arguments: [true, false]
    )
    func services(isWhole: Bool) throws {
        var database = RemoteDatabase()
        #expect(database.services(nil) == nil && database.services([0xA000]) == nil)
        database.learn(self.services, isWhole ? nil : [0xA000, 0xB000])
        let (first, second, third) = (self.services[0], self.services[1], self.services[2])
        #expect(database.services([0xB000, 0xA000]) == [second, first, third])
        #expect(database.services([0xA000, 0xA000]) == [first, third])
        #expect(database.services([0xB000, 0xA000, 0xB000]) == [second, first, third])
        #expect(database.services([]) == [])
        #expect(database.services([0xA000, 0xC000]) == (isWhole ? [first, third] : nil))
        #expect(database.services(nil) == (isWhole ? self.services : nil))
    }

    @Test("what is found of some services adds nothing to what is known of all")
    func allKnown() {
        var database = RemoteDatabase()
        database.learn(self.services, nil)
        let whole = database
        database.learn([], [0xC000])
        #expect(database == whole)
    }

    @Test("a database is cached up to 4,096 entries, where it has a hash", arguments: [4_096, 4_097])
    func capacity(count: Int) {
        var database = RemoteDatabase(
            GATTCachedDatabase(databaseHash: ByteBuffer(repeating: 1, count: 16))
        )
        database.learn(
            (0..<count).map { number in
                let handle = AttributeHandle(UInt16(number + 1))
                return GATTRemoteService(uuid: 0xA000, handles: handle...handle, isPrimary: true)
            },
            nil
        )
        #expect(database.isCacheable == (count == 4_096))
    }
}
