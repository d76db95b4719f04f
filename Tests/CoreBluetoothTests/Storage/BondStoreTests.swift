// Bonds as they are kept, and the counters of signed commands, which must not be accepted twice.

import BluetoothHost
import BluetoothTypes
import Foundation
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("What is kept of bonds")
struct BondStoreTests {
    private static let peer = DeviceAddress(0x0011_2233_4455, kind: .public)

    private static func bond(signCounter: UInt32) -> Bond {
        .symmetric(with: Self.peer, signCounter: signCounter)
    }

    private func store(on storage: MemoryStorage, now: Date = Date(timeIntervalSince1970: 1_000_000.75)) -> BondStore {
        let store = BondStore()
        store.now = { now }
        store.writer = StateWriter(storage)
        return store
    }

    @Test("a bond outlives its process, whole, until it is removed")
    func lasts() {
        let storage = MemoryStorage()
        self.store(on: storage).store(Self.bond(signCounter: 7))
        let next = self.store(on: storage)
        #expect(next.bond(with: Self.peer) == Self.bond(signCounter: 7))
        next.remove(Self.peer)
        #expect(next.bond(with: Self.peer) == nil && self.store(on: storage).bond(with: Self.peer) == nil)
    }

    @Test("a bond that another process has removed keeps no counter")
    func counterOfARemovedBond() {
        let storage = MemoryStorage()
        let store = self.store(on: storage)
        store.store(Self.bond(signCounter: 7))
        store.noteSignCounter(9, of: Self.peer)
        #expect(self.store(on: storage).bond(with: Self.peer)?.peer.signing?.signCounter == 10)
        self.store(on: storage).remove(Self.peer)
        store.noteSignCounter(20, of: Self.peer)
        #expect(store.bond(with: Self.peer) == nil)
        // Who pairs anew begins with the counter of the new key.
        self.store(on: storage).store(Self.bond(signCounter: 1))
        #expect(self.store(on: storage).bond(with: Self.peer)?.peer.signing?.signCounter == 1)
    }

    @Test("keys of LE legacy pairing are kept with their names, and identities with the kind of their address")
    func legacyKeys() {
        for kind in [DeviceAddress.Kind.public, .random] {
            let storage = MemoryStorage()
            let identity = IdentityInformation(
                identityResolvingKey: Octets16(high: 9, low: 8),
                address: DeviceAddress(0xC011_2233_4466, kind: kind)
            )
            let key = LongTermKey(value: Octets16(high: 1, low: 2), encryptedDiversifier: 0xFFFE, random: .max - 1)
            let bond = Bond(
                peerAddress: DeviceAddress(0xC011_2233_4466, kind: kind),
                keySize: 7,
                isAuthenticated: false,
                isSecureConnections: false,
                local: PairingKeys(longTermKey: key, identity: identity),
                peer: PairingKeys(longTermKey: key, identity: identity)
            )
            self.store(on: storage).store(bond)
            #expect(self.store(on: storage).bond(with: bond.peerAddress) == bond)
        }
    }

    @Test("replayed signature: a counter that was accepted is not accepted by the next process, and never goes back")
    func signCounter() {
        let storage = MemoryStorage()
        let store = self.store(on: storage)
        store.store(Self.bond(signCounter: 0))
        for (counter, kept) in [(0, 1), (8, 9), (3, 9), (.max - 2, .max - 1), (.max - 1, .max)] as [(UInt32, UInt32)] {
            store.noteSignCounter(counter, of: Self.peer)
            #expect(self.store(on: storage).bond(with: Self.peer)?.peer.signing?.signCounter == kept)
        }
        // After the last counter that there is, the key signs nothing any more.
        store.noteSignCounter(.max, of: Self.peer)
        let bond = self.store(on: storage).bond(with: Self.peer)
        #expect(bond != nil && bond?.peer.signing == nil)
        store.noteSignCounter(1, of: Self.peer)
        #expect(self.store(on: storage).bond(with: Self.peer)?.peer.signing == nil)
    }

    @Test("a bond has the date of its making, which using it does not change, and that of its last use")
    func dates() throws {
        let storage = MemoryStorage()
        let (made, used) = (Date(timeIntervalSince1970: 1_000_000), Date(timeIntervalSince1970: 2_000_000))
        self.store(on: storage).store(Self.bond(signCounter: 0))
        #expect(storage.bonds().map(\.paired) == [made] && storage.lastUse(ofBondWith: Self.peer) == nil)
        let next = self.store(on: storage, now: used)
        next.noteUse(of: DeviceAddress(Self.peer.value, kind: .publicIdentity))
        next.noteSignCounter(3, of: Self.peer)
        #expect(storage.bonds().map(\.paired) == [made] && storage.lastUse(ofBondWith: Self.peer) == used)
        // Nobody is bonded at this address.
        next.noteUse(of: DeviceAddress(7, kind: .public))
        #expect(storage.names.count == 3)
        // A new bond was not used.
        self.store(on: storage, now: used).store(Self.bond(signCounter: 0))
        #expect(storage.bonds().map(\.paired) == [used] && storage.lastUse(ofBondWith: Self.peer) == nil)
        next.remove(Self.peer)
        #expect(storage.names.isEmpty)
    }

    @Test("a bond of an earlier version, without a date, is read")
    func undated() throws {
        let storage = MemoryStorage()
        self.store(on: storage).store(Self.bond(signCounter: 7))
        let name = BondStore.name(Self.peer)
        let text = String(decoding: try #require(try storage.read(name)), as: UTF8.self)
        let date = #""paired":"1970-01-12T13:46:40Z","#
        #expect(text.contains(date))
        try storage.write(Data(text.replacingOccurrences(of: date, with: "").utf8), to: name)
        let store = self.store(on: storage)
        #expect(store.bond(with: Self.peer) == Self.bond(signCounter: 7) && storage.bonds().map(\.paired) == [nil])
        // Its counter goes on, too.
        store.noteSignCounter(8, of: Self.peer)
        #expect(self.store(on: storage).bond(with: Self.peer)?.peer.signing?.signCounter == 9)
    }

    @Test("the counter of an earlier bond, which a crash has left, says nothing about a later one")
    func foreignCounter() throws {
        let storage = MemoryStorage()
        let store = self.store(on: storage)
        store.store(Self.bond(signCounter: 0))
        store.noteSignCounter(100, of: Self.peer)
        let name = BondStore.counterName(Self.peer)
        let counter = try #require(try storage.read(name))
        self.store(on: storage, now: Date(timeIntervalSince1970: 2_000_000)).store(Self.bond(signCounter: 2))
        try storage.write(counter, to: name)
        #expect(self.store(on: storage).bond(with: Self.peer)?.peer.signing?.signCounter == 2)
    }

    @Test("on disk a signed command writes its counter, and the keys are not written again")
    func writtenOnce() throws {
        try withFolderStorage { folder in
            let store = BondStore()
            store.writer = StateWriter(folder)
            store.store(Self.bond(signCounter: 0))
            let path = "\(folder.folder)/\(BondStore.name(Self.peer))"
            func file() throws -> Int? {
                try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
            }
            let before = try #require(try file())
            for counter in 0...4 as ClosedRange<UInt32> { store.noteSignCounter(counter, of: Self.peer) }
            store.noteUse(of: Self.peer)
            #expect(try file() == before)
            #expect(folder.bonds().first?.bond.peer.signing?.signCounter == 5)
            try folder.removeBond(with: Self.peer)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.folder).isEmpty)
        }
    }

    @Test("what a bonded peer says of its privacy is kept beside the bond, and belongs to it alone")
    func privacy() throws {
        let storage = MemoryStorage()
        let store = self.store(on: storage)
        store.store(Self.bond(signCounter: 0))
        let said = PeerPrivacy(resolvesAddresses: true, usesOnlyPrivateAddresses: false)
        store.setPrivacy(said, of: Self.peer)
        #expect(store.privacy == [Self.peer: said] && self.store(on: storage).privacy == [Self.peer: said])
        let document = try #require(try storage.read(BondStore.privacyName(Self.peer)))
        let later = self.store(on: storage, now: Date(timeIntervalSince1970: 2_000_000))
        later.store(Self.bond(signCounter: 0))
        #expect(later.privacy.isEmpty && self.store(on: storage).privacy.isEmpty)
        try storage.write(document, to: BondStore.privacyName(Self.peer))
        #expect(self.store(on: storage).privacy.isEmpty)
    }

    @Test("bonds without identity, of peers on private addresses: in memory, a few, the latest ones")
    func passing() {
        let storage = MemoryStorage()
        let store = self.store(on: storage)
        func address(_ number: Int) -> DeviceAddress { DeviceAddress(0x4000_0000_0000 | UInt64(number), kind: .random) }
        var bond = Self.bond(signCounter: 0)
        let count = BondStore.passingCapacity + 5
        for number in 0..<count {
            bond.peerAddress = address(number)
            store.store(bond)
            store.noteUse(of: bond.peerAddress)
        }
        #expect((0..<count).filter { store.bond(with: address($0)) != nil } == Array(5..<count))
        #expect(store.identities.count == BondStore.passingCapacity)
        store.remove(address(9))
        #expect(store.bond(with: address(9)) == nil)
        #expect(storage.names.isEmpty)
    }

    @Test("a bond that an earlier version has written of such a peer is not used")
    func passingOnDisk() throws {
        let storage = MemoryStorage()
        var bond = Self.bond(signCounter: 0)
        bond.peerAddress = DeviceAddress(0x4000_0000_0001, kind: .random)
        try storage.save(KeptBond(bond: bond, paired: nil), to: BondStore.name(bond.peerAddress))
        #expect(self.store(on: storage).bond(with: bond.peerAddress) == nil)
    }

    @Test("a bond whose document cannot be read is there, for it may be read again")
    func unreadable() throws {
        let storage = MemoryStorage()
        #expect(!storage.hasBond(with: Self.peer))
        let store = self.store(on: storage)
        store.store(Self.bond(signCounter: 7))
        #expect(storage.hasBond(with: Self.peer))
        try storage.write(BondStore.name(Self.peer), .powerFailure) { throw CocoaError(.fileReadNoPermission) }
        #expect(storage.hasBond(with: Self.peer) && store.bond(with: Self.peer) == Self.bond(signCounter: 7))
        storage.remove(BondStore.name(Self.peer))
        #expect(!storage.hasBond(with: Self.peer) && store.bond(with: Self.peer) == nil)
    }

    @Test("that there are other bonds than before is reported, and nothing else is")
    func changes() {
        let storage = MemoryStorage()
        let store = BondStore()
        var count = 0
        store.onChange = { count += 1 }
        store.writer = StateWriter(storage)
        #expect(count == 1)
        store.store(Self.bond(signCounter: 7))
        #expect(count == 2)
        store.noteUse(of: Self.peer)
        store.noteSignCounter(8, of: Self.peer)
        #expect(count == 2)
        let privacy = PeerPrivacy(resolvesAddresses: true)
        store.setPrivacy(privacy, of: Self.peer)
        #expect(count == 3)
        store.setPrivacy(privacy, of: Self.peer)
        store.setPrivacy(privacy, of: DeviceAddress(7, kind: .public))
        store.remove(DeviceAddress(7, kind: .public))
        #expect(count == 3)
        store.remove(Self.peer)
        #expect(count == 4)
        store.remove(Self.peer)
        #expect(count == 4)
        // Another program removes one.
        store.store(Self.bond(signCounter: 7))
        storage.remove(BondStore.name(Self.peer))
        #expect(store.bond(with: Self.peer) == nil && store.bond(with: Self.peer) == nil)
        #expect(count == 6)
    }
}
