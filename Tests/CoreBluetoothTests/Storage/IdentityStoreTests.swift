import BluetoothTransport
import BluetoothTypes
import Fixtures
import Foundation
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("Identities")
struct IdentityStoreTests {
    private func address(_ number: UInt64) -> DeviceAddress { DeviceAddress(0xC000_0000_0000 | number, kind: .random) }

    @Test("5.1 an identifier is random, stable, and says nothing of the address")
    func stable() {
        let store = IdentityStore()
        let first = store.record(for: self.address(1)).identifier
        #expect(store.record(for: self.address(1)).identifier == first)
        #expect(store.record(for: self.address(2)).identifier != first)
        #expect(store.record(for: first)?.address == self.address(1))
        #expect(IdentityStore().record(for: self.address(1)).identifier != first)
        #expect(store.record(for: UUID()) == nil)
    }

    @Test("equal seeds give equal identifiers, and proper ones")
    func seeded() {
        let left = IdentityStore(randomness: .seeded(7))
        let right = IdentityStore(randomness: .seeded(7))
        for number in 1...10 as ClosedRange<UInt64> {
            let identifier = left.record(for: self.address(number)).identifier
            #expect(identifier == right.record(for: self.address(number)).identifier)
            #expect(identifier.uuid.6 >> 4 == 4)
            #expect(identifier.uuid.8 >> 6 == 2)
        }
    }

    @Test("5.1 a device that was forgotten comes back with another identifier, and the old one means nobody")
    func forgotten() throws {
        let store = IdentityStore()
        let old = store.record(for: self.address(0)).identifier
        for number in 1...UInt64(IdentityStore.capacity) { _ = store.record(for: self.address(number)) }
        #expect(store.record(for: old) == nil)
        let new = store.record(for: self.address(0)).identifier
        #expect(new != old)
        #expect(store.record(for: old) == nil)
        #expect(store.record(for: new)?.address == self.address(0))
    }

    @Test("5.1 a device that says by which address it is known keeps its identifier and its name, also on disk")
    func moved() throws {
        let store = IdentityStore()
        let storage = MemoryStorage()
        store.open(IdentityFile(storage))
        let privateAddress = DeviceAddress(0x4000_0000_0001, kind: .random)
        let identifier = store.record(for: privateAddress).identifier
        store.setName("Crystal", of: privateAddress)
        let before = store.record(for: self.address(1)).identifier
        #expect(store.move(privateAddress, to: self.address(1)).identifier == identifier)
        #expect(store.record(for: identifier)?.address == self.address(1))
        #expect(store.record(for: self.address(1)).name == "Crystal")
        #expect(store.record(for: before) == nil, "the device was not recognized under that one")
        #expect(store.record(for: privateAddress).identifier != identifier)
        let next = IdentityStore()
        next.open(IdentityFile(storage))
        #expect(next.record(for: identifier)?.address == self.address(1))
        #expect(next.record(for: before) == nil)
        #expect(store.move(self.address(1), to: self.address(1)).identifier == identifier)
    }

    @Test("5.6 the name is remembered")
    func names() {
        let store = IdentityStore()
        let identifier = store.record(for: self.address(1)).identifier
        #expect(store.record(for: identifier)?.name == nil)
        #expect(store.setName("Crystal", of: self.address(1)))
        #expect(!store.setName("Crystal", of: self.address(1)))
        #expect(store.record(for: identifier)?.name == "Crystal")
    }

    @Test("5.6 the GAP Device Name counts for more than an advertised one, also where both are the same at first")
    func deviceName() {
        let store = IdentityStore()
        let identifier = store.record(for: self.address(1)).identifier
        #expect(store.setName("Crystal", of: self.address(1)))
        #expect(!store.setName("Crystal", isDeviceName: true, of: self.address(1)))
        #expect(!store.setName("Onyx", of: self.address(1)))
        #expect(store.record(for: identifier)?.name == "Crystal")
        #expect(store.setName("Onyx", isDeviceName: true, of: self.address(1)))
        #expect(store.record(for: identifier)?.name == "Onyx")
    }

    @Test("5.1 identities survive the process")
    func file() throws {
        try withFolderStorage { folder in
            let file = IdentityFile(folder)
            let store = IdentityStore()
            store.open(file)
            let identifier = store.record(for: self.address(1)).identifier
            store.setName("Crystal", of: self.address(1))
            let publicOne = store.record(for: DeviceAddress(0x1122_3344_5566, kind: .public)).identifier
            store.flush()

            let next = IdentityStore()
            next.open(IdentityFile(folder))
            #expect(next.record(for: self.address(1)).identifier == identifier)
            #expect(next.record(for: self.address(1)).name == "Crystal")
            #expect(next.record(for: DeviceAddress(0x1122_3344_5566, kind: .public)).identifier == publicOne)
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.folder)
            #expect(attributes[.posixPermissions] as? Int == 0o700)
        }
    }

    @Test("private addresses, which change, are not kept")
    func privateAddresses() throws {
        try withFolderStorage { folder in
            let store = IdentityStore()
            store.open(IdentityFile(folder))
            _ = store.record(for: DeviceAddress(0x4000_0000_0001, kind: .random))
            _ = store.record(for: self.address(1))
            store.flush()
            #expect(IdentityFile(folder).load().map(\.address) == [self.address(1)])
        }
    }

    @Test("a torn file is set aside", arguments: ["{\"version\":1,\"pee", "{\"version\":2,\"peers\":[]}", ""])
    func torn(text: String) throws {
        try withFolderStorage { folder in
            try folder.write(Data(text.utf8), to: "identities.json")
            let store = IdentityStore()
            LogLines.$listener.withValue({ _ in }) { store.open(IdentityFile(folder)) }
            _ = store.record(for: self.address(1))
            store.flush()
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.folder)
            let aside = try #require(names.first { $0.hasPrefix("identities.damaged-") })
            #expect(try folder.read(aside) == Data(text.utf8))
            #expect(IdentityFile(folder).load().count == 1)
        }
    }

    @Test("5.1 what this process has given out stays, whatever a file says of the address or of the identifier")
    func conflicts() throws {
        try withFolderStorage { folder in
            let earlier = IdentityStore()
            earlier.open(IdentityFile(folder))
            let (first, second) = (earlier.record(for: self.address(1)), earlier.record(for: self.address(2)))
            earlier.flush()

            // The same identifier for another address, as after a move.
            let store = IdentityStore()
            store.open(IdentityFile(folder))
            store.move(self.address(1), to: self.address(3))
            store.open(IdentityFile(folder))
            #expect(store.record(for: first.identifier)?.address == self.address(3))
            #expect(store.record(for: second.identifier)?.address == self.address(2))
            // Another identifier for the same address.
            let other = IdentityStore()
            let own = other.record(for: self.address(1)).identifier
            other.open(IdentityFile(folder))
            #expect(other.record(for: self.address(1)).identifier == own)
        }
    }

    @Test("what another process has added is kept")
    func shared() throws {
        try withFolderStorage { folder in
            let file = IdentityFile(folder)
            let left = IdentityStore()
            let right = IdentityStore()
            left.open(file)
            right.open(file)
            _ = left.record(for: self.address(1))
            left.flush()
            _ = right.record(for: self.address(2))
            right.flush()
            #expect(Set(file.load().map(\.address)) == [self.address(1), self.address(2)])
        }
    }

    @Test("memory has a limit")
    func limit() {
        let store = IdentityStore(randomness: .seeded(1))
        let first = store.record(for: self.address(0)).identifier
        for number in 1...UInt64(IdentityStore.capacity) { _ = store.record(for: self.address(number)) }
        #expect(store.record(for: first) == nil)
        let last = store.record(for: self.address(UInt64(IdentityStore.capacity))).identifier
        #expect(store.record(for: last) != nil)
    }

    @Test("the folder follows XDG_STATE_HOME, else HOME")
    func place() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let base = folder("base")
        let named = try FolderStorage(adapter: self.address(1)) { ["XDG_STATE_HOME": "\(base)/named"][$0] }
        #expect(named.folder == "\(base)/named/corebluetooth/C0:00:00:00:00:01")
        let home = try FolderStorage(adapter: self.address(1)) {
            ["XDG_STATE_HOME": "relative", "HOME": "\(base)/home"][$0]
        }
        #expect(home.folder == "\(base)/home/.local/state/corebluetooth/C0:00:00:00:00:01")
        // Where it cannot be made, one in the temporary folder serves, and a line says so.
        #expect(FileManager.default.createFile(atPath: folder("file"), contents: nil))
        let lines = CapturedLog()
        let temporary = try lines.capture {
            try FolderStorage(adapter: self.address(1)) {
                ["XDG_STATE_HOME": folder("file"), "TMPDIR": folder.path][$0]
            }
        }
        #expect(temporary.folder.hasPrefix(folder.path))
        #expect(lines.all.first?.contains("what is known of peers is kept in \(folder.path)") == true)
        // A link in place of the lock is not followed.
        try FileManager.default.createSymbolicLink(
            atPath: "\(home.folder)/lock",
            withDestinationPath: "\(named.folder)/lock"
        )
        #expect(throws: TransportError.self) { try home.withLock {} }
    }

    @Test("5.1 as many devices as the limit are known; one more makes an eighth of them forgotten, the oldest")
    func exactLimit() {
        let store = IdentityStore(randomness: .seeded(1))
        let capacity = UInt64(IdentityStore.capacity)
        let identifiers = (0..<capacity).map { store.record(for: self.address($0)).identifier }
        #expect(store.record(for: identifiers[0]) != nil)
        _ = store.record(for: self.address(capacity))
        let known = identifiers.map { store.record(for: $0) != nil }
        #expect(known.firstIndex(of: true) == IdentityStore.capacity / 8)
        #expect(known.count { !$0 } == IdentityStore.capacity / 8)
    }

    @Test("a record of an earlier process is taken where neither its address nor its identifier is given out")
    func restored() {
        let store = IdentityStore(randomness: .seeded(1))
        let storage = MemoryStorage()
        store.open(IdentityFile(storage))
        let record = IdentityStore.Record(identifier: UUID(), address: self.address(1), name: "Crystal")
        #expect(store.restore(record) == record && store.record(for: record.identifier) == record)
        #expect(IdentityFile(storage).load() == [record])
        // The address is another one's now, or the identifier is.
        let other = IdentityStore.Record(identifier: UUID(), address: self.address(1))
        #expect(store.restore(other) == record && store.record(for: other.identifier) == nil)
        let moved = store.restore(IdentityStore.Record(identifier: record.identifier, address: self.address(2)))
        #expect(moved.identifier != record.identifier && moved.address == self.address(2))
        #expect(store.record(for: record.identifier) == record)
    }

    @Test("5.6 a device that nobody has seen has no name to be set, and one that is set is kept")
    func storedNames() {
        let storage = MemoryStorage()
        let store = IdentityStore(randomness: .seeded(1))
        store.open(IdentityFile(storage))
        #expect(!store.setName("Crystal", of: self.address(1)))
        _ = store.record(for: self.address(1))
        #expect(IdentityFile(storage).load().map(\.name) == [nil])
        store.setName("Crystal", of: self.address(1))
        #expect(IdentityFile(storage).load().map(\.name) == ["Crystal"])
        store.setName("Onyx", isDeviceName: true, of: self.address(1))
        #expect(IdentityFile(storage).load().map(\.isDeviceName) == [true])
        // At the end of the process it stays as it is.
        store.close()
        store.setName("Late", isDeviceName: true, of: self.address(1))
        _ = store.record(for: self.address(2))
        #expect(IdentityFile(storage).load().map(\.name) == ["Onyx"])
    }
}
