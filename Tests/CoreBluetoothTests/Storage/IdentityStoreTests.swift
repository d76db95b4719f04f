import BluetoothTransport
import BluetoothTypes
import NIOConcurrencyHelpers
import Testing

@testable import CoreBluetooth

@Suite("Identities of devices")
struct IdentityStoreTests {
    private let store = IdentityStore(randomness: .seeded(1))
    private let storage = MemoryStorage()
    private let changing = DeviceAddress(0x4000_0000_0001, kind: .random)

    private func address(_ number: UInt64) -> DeviceAddress { DeviceAddress(0xC000_0000_0000 | number, kind: .random) }

    // MARK: Identifiers

    @Test("5.1 an identifier is random, stable, and says nothing of the address; equal seeds give equal ones")
    func stable() {
        let store = IdentityStore()
        let first = store.record(for: self.address(1)).identifier
        #expect(store.record(for: self.address(1)).identifier == first)
        #expect(store.record(for: self.address(2)).identifier != first)
        #expect(IdentityStore().record(for: self.address(1)).identifier != first)
        #expect(store.record(for: UUID()) == nil)
        let same = IdentityStore(randomness: .seeded(1)).record(for: self.address(1))
        #expect(self.store.record(for: self.address(1)) == same)
    }

    @Test(
        "makes a UUID of version 4 from random bits",
        arguments: [
            (0, 0, "00000000-0000-4000-8000-000000000000"), (.max, .max, "FFFFFFFF-FFFF-4FFF-BFFF-FFFFFFFFFFFF"),
            (0x0123_4567_89AB_CDEF, 0x0123_4567_89AB_CDEF, "01234567-89AB-4DEF-8123-456789ABCDEF"),
        ] as [(UInt64, UInt64, String)]
    )
    func identifier(high: UInt64, low: UInt64, text: String) {
        #expect(UUID(random: high, low).uuidString == text)
    }

    @Test(
        "knows a device again by a public and by a static address, and by no private one",
        arguments: [
            (0x0000_0000_0001, .public, true), (0x4000_0000_0001, .public, true), (0xC000_0000_0001, .random, true),
            (0x0000_0000_0001, .random, false), (0x4000_0000_0001, .random, false), (0x8000_0000_0001, .random, false),
            (0x4000_0000_0001, .publicIdentity, true), (0xC000_0000_0001, .randomIdentity, true),
            (0x4000_0000_0001, .randomIdentity, false),
        ] as [(UInt64, DeviceAddress.Kind, Bool)]
    )
    func worthKeeping(value: UInt64, kind: DeviceAddress.Kind, isWorthKeeping: Bool) {
        #expect(DeviceAddress(value, kind: kind).isWorthKeeping == isWorthKeeping)
    }

    // MARK: Limits

    @Test("5.1 knows 8,192 devices; one more makes the eighth forgotten that was known longest")
    func limit() {
        let identifiers = (0..<8_192 as Range<UInt64>).map { self.store.record(for: self.address($0)).identifier }
        func known() -> [Int] { identifiers.indices.filter { self.store.record(for: identifiers[$0]) != nil } }
        #expect(known().count == 8_192)
        self.store.setName("Crystal", of: self.address(0))
        _ = self.store.record(for: self.address(8_192))
        #expect(known() == Array(1_024..<8_192))
        // There is place for as many again.
        for number in 8_193..<9_216 as Range<UInt64> { _ = self.store.record(for: self.address(number)) }
        #expect(known() == Array(1_024..<8_192))
        _ = self.store.record(for: self.address(9_216))
        #expect(known() == Array(2_048..<8_192))
        // A device that was forgotten comes back with another identifier, and without a name.
        let anew = self.store.record(for: self.address(0))
        #expect(anew.identifier != identifiers[0] && anew.name == nil)
        #expect(self.store.record(for: identifiers[0]) == nil)
    }

    @Test("5.1 counts a device that has moved once, as the youngest of those known then")
    func movedIsYoungest() {
        let moved = self.store.record(for: self.changing).identifier
        let others = (1...1_024 as ClosedRange<UInt64>).map { self.store.record(for: self.address($0)).identifier }
        self.store.move(self.changing, to: self.address(0))
        for number in 1_025..<8_192 as Range<UInt64> { _ = self.store.record(for: self.address(number)) }
        #expect(others.allSatisfy { self.store.record(for: $0) != nil })
        _ = self.store.record(for: self.address(8_192))
        #expect(others.allSatisfy { self.store.record(for: $0) == nil })
        #expect(self.store.record(for: moved)?.address == self.address(0))
    }

    // MARK: Moves and names

    @Test("5.1 a device that says by which address it is known keeps its identifier and its name")
    func moved() {
        self.store.open(IdentityFile(self.storage))
        let identifier = self.store.record(for: self.changing).identifier
        self.store.setName("Crystal", of: self.changing)
        let before = self.store.record(for: self.address(1)).identifier
        #expect(self.store.move(self.changing, to: self.address(1)).identifier == identifier)
        #expect(self.store.record(for: identifier)?.address == self.address(1))
        #expect(self.store.record(for: self.address(1)).name == "Crystal")
        #expect(self.store.record(for: before) == nil, "the device was not recognized under that one")
        #expect(self.store.record(for: self.changing).identifier != identifier)
        let next = IdentityStore()
        next.open(IdentityFile(self.storage))
        #expect(next.record(for: identifier)?.address == self.address(1) && next.record(for: before) == nil)
        #expect(self.store.move(self.address(1), to: self.address(1)).identifier == identifier)
        // A device that was never met gets a record where it moves.
        let unknown = self.store.move(DeviceAddress(0x4000_0000_0002, kind: .random), to: self.address(2))
        #expect(unknown.address == self.address(2) && self.store.record(for: self.address(2)) == unknown)
    }

    @Test("5.6 remembers the advertised name, and prefers the GAP Device Name, even if both are the same at first")
    func names() {
        #expect(!self.store.setName("Crystal", of: self.address(1)))
        let identifier = self.store.record(for: self.address(1)).identifier
        #expect(self.store.record(for: identifier)?.name == nil)
        let changes = [
            self.store.setName("Crystal", of: self.address(1)), self.store.setName("Crystal", of: self.address(1)),
            self.store.setName("Crystal", isDeviceName: true, of: self.address(1)),
            self.store.setName("Onyx", of: self.address(1)),
        ]
        #expect(changes == [true, false, false, false])
        #expect(self.store.record(for: identifier)?.name == "Crystal")
        #expect(self.store.setName("Onyx", isDeviceName: true, of: self.address(1)))
        #expect(self.store.record(for: identifier)?.name == "Onyx")
    }

    @Test("takes a record of an earlier process if neither its address nor its identifier is given out")
    func restored() {
        self.store.open(IdentityFile(self.storage))
        let record = IdentityStore.Record(identifier: UUID(), address: self.address(1), advertisedName: "Crystal")
        #expect(self.store.restore(record) == record && self.store.record(for: record.identifier) == record)
        #expect(IdentityFile(self.storage).load() == [record])
        let other = IdentityStore.Record(identifier: UUID(), address: self.address(1))
        #expect(self.store.restore(other) == record && self.store.record(for: other.identifier) == nil)
        let moved = self.store.restore(IdentityStore.Record(identifier: record.identifier, address: self.address(2)))
        #expect(moved.identifier != record.identifier && moved.address == self.address(2))
        #expect(self.store.record(for: record.identifier) == record)
    }

    // MARK: Writing

    @Test("writes the document if more is known of a device than before, and not otherwise")
    func changes() {
        let known = self.address(1)
        func restore(_ address: DeviceAddress) -> (IdentityStore) -> Void {
            { _ = $0.restore(.init(identifier: UUID(random: 1, 2), address: address)) }
        }
        let rows: [(name: String, change: (IdentityStore) -> Void, isWritten: Bool)] = [
            ("known", { _ = $0.record(for: known) }, false), ("new", { _ = $0.record(for: self.address(2)) }, true),
            ("new, changing", { _ = $0.record(for: self.changing) }, false),
            ("name", { $0.setName("Onyx", of: known) }, true),
            ("same name", { $0.setName("Crystal", of: known) }, false),
            ("Device Name", { $0.setName("Crystal", isDeviceName: true, of: known) }, true),
            ("name of nobody", { $0.setName("Onyx", of: self.address(2)) }, false),
            ("restored", restore(self.address(2)), true), ("restored, known", restore(known), false),
            ("restored, changing", restore(self.changing), false),
            ("moved", { $0.move(known, to: self.address(2)) }, true),
            ("moved to itself", { $0.move(known, to: known) }, false),
            ("moved to one that changes", { $0.move(known, to: self.changing) }, false),
        ]
        for row in rows {
            let store = IdentityStore(randomness: .seeded(1))
            _ = store.record(for: known)
            store.setName("Crystal", of: known)
            let writes = NIOLockedValueBox(0)
            let storage = HookedStorage { operation, _ in
                if operation == .write { writes.withLockedValue { $0 += 1 } }
            }
            store.open(IdentityFile(storage))
            row.change(store)
            #expect(writes.withLockedValue { $0 } == (row.isWritten ? 1 : 0), "\(row.name)")
            for _ in 1...2 {
                store.close()
                #expect(writes.withLockedValue { $0 } == (row.isWritten ? 2 : 0), "\(row.name)")
            }
            store.setName("Late", isDeviceName: true, of: known)
            #expect(!IdentityFile(storage).load().contains { $0.name == "Late" })
        }
    }

    @Test("knows which addresses it has met on the air, and which ones a device has claimed, also in the next process")
    func met() {
        let storage = MemoryStorage()
        self.store.open(IdentityFile(storage))
        #expect(!self.store.hasMet(self.address(1)))
        _ = self.store.record(for: self.address(1))
        _ = self.store.record(for: self.changing)
        self.store.move(self.changing, to: self.address(2))
        self.store.flush()
        let next = IdentityStore()
        next.open(IdentityFile(storage))
        for store in [self.store, next] {
            #expect(store.hasMet(self.address(1)) && !store.hasMet(self.address(2)) && !store.hasMet(self.address(3)))
        }
    }

    @Test("flood of addresses: bonded devices keep their identifiers, in memory and on disk")
    func bondedStay() {
        let storage = MemoryStorage()
        self.store.open(IdentityFile(storage))
        let bonded = self.store.record(for: self.address(1))
        let other = self.store.record(for: self.address(2))
        self.store.setBonded([self.address(1)])
        for number in 3...UInt64(IdentityStore.capacity + 10) { _ = self.store.record(for: self.address(number)) }
        self.store.flush()
        #expect(self.store.record(for: bonded.identifier) == bonded && self.store.record(for: other.identifier) == nil)
        let stored = IdentityFile(storage).load()
        #expect(stored.count == IdentityFile.capacity && stored.contains(bonded))
    }
}
