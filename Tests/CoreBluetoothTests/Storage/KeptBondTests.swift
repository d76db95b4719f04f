// Bonds beside their documents: by which address each is found, which of those on changing addresses are remembered,
// what belongs to one bond and not to the next, and what another process has removed.

import BluetoothHost
import BluetoothTypes
import Foundation
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("Bonds, found and forgotten")
struct KeptBondTests {
    private static let peer = DeviceAddress(0x0011_2233_4455, kind: .public)

    private func bond(
        _ peer: DeviceAddress = Self.peer,
        identity: IdentityInformation? = nil,
        signCounter: UInt32? = nil
    ) -> Bond {
        .symmetric(with: peer, identity: identity, signCounter: signCounter)
    }

    private func store(on storage: MemoryStorage = MemoryStorage(), seconds: Double = 1_000_000) -> BondStore {
        let store = BondStore()
        store.now = { Date(timeIntervalSince1970: seconds) }
        store.writer = StateWriter(storage)
        return store
    }

    /// An address that changes, so that its bond is not written.
    private func passing(_ number: Int) -> DeviceAddress {
        DeviceAddress(0x4000_0000_0000 | UInt64(number), kind: .random)
    }

    // MARK: Addresses

    @Test("the documents of a bond, and of what stands beside it, have the address and its kind in their names")
    func names() {
        let addresses = [
            (DeviceAddress(0xC011_2233_4455, kind: .public), "C01122334455-public.json"),
            (DeviceAddress(0xC011_2233_4455, kind: .random), "C01122334455-random.json"),
        ]
        for (address, end) in addresses {
            #expect(BondStore.name(address) == "bond-\(end)" && BondStore.useName(address) == "use-\(end)")
            #expect(BondStore.counterName(address) == "counter-\(end)")
            #expect(BondStore.privacyName(address) == "privacy-\(end)")
            #expect(BondStore.namesBeside(address) == ["use-\(end)", "counter-\(end)", "privacy-\(end)"])
            #expect(BondedClientStore.name(address) == "client-\(end)")
        }
    }

    @Test("a bond is found, used and removed by the address of the peer's identity, also as the controller reports it")
    func identityKinds() {
        for (kind, reported) in [
            (DeviceAddress.Kind.public, DeviceAddress.Kind.publicIdentity), (.random, .randomIdentity),
        ] {
            let address = DeviceAddress(0xC011_2233_4455, kind: kind)
            let identity = DeviceAddress(0xC011_2233_4455, kind: reported)
            let information = IdentityInformation(identityResolvingKey: Octets16(high: 9, low: 8), address: identity)
            let storage = MemoryStorage()
            let store = self.store(on: storage)
            let bond = self.bond(self.passing(1), identity: information, signCounter: 1)
            store.store(bond)
            #expect(store.bond(with: address) == bond && store.bond(with: identity) == bond)
            #expect(store.bond(with: self.passing(1)) == nil)
            let found = store.identities
            #expect(found.map(\.address) == [address])
            #expect(found.map(\.identityResolvingKey) == [Octets16(high: 9, low: 8)])
            store.noteUse(of: identity)
            store.noteSignCounter(4, of: identity)
            store.setPrivacy(PeerPrivacy(resolvesAddresses: true), of: identity)
            #expect(store.privacy == [address: PeerPrivacy(resolvesAddresses: true)])
            let names = [BondStore.name(address)] + BondStore.namesBeside(address)
            #expect(storage.names.sorted() == names.sorted())
            #expect(self.store(on: storage).bond(with: identity)?.peer.signing?.signCounter == 5)
            store.remove(identity)
            #expect(storage.names.isEmpty && store.bond(with: address) == nil && store.identities.isEmpty)
        }
    }

    @Test("the identities of peers come in the order of their addresses, without a key where a peer has given none")
    func identities() {
        let store = self.store()
        let addresses: [DeviceAddress] = [
            DeviceAddress(3, kind: .public), DeviceAddress(0xC000_0000_0001, kind: .random),
            DeviceAddress(1, kind: .public), DeviceAddress(0xC000_0000_0001, kind: .public),
        ]
        for address in addresses { store.store(self.bond(address)) }
        #expect(store.identities.map(\.address) == [addresses[2], addresses[0], addresses[3], addresses[1]])
        #expect(store.identities.allSatisfy { $0.identityResolvingKey == .zero })
    }

    // MARK: Bonds of this process alone

    @Test("a bond with an address that changes has its counter and its privacy in memory, and nothing is written")
    func unwritten() {
        let storage = MemoryStorage()
        let store = self.store(on: storage)
        var changes = 0
        store.onChange = { changes += 1 }
        let address = self.passing(1)
        store.store(self.bond(address, signCounter: 1))
        store.noteSignCounter(6, of: address)
        #expect(store.bond(with: address)?.peer.signing?.signCounter == 7 && changes == 1)
        let privacy = PeerPrivacy(usesOnlyPrivateAddresses: true)
        store.setPrivacy(privacy, of: address)
        #expect(store.privacy == [address: privacy] && changes == 2)
        store.noteUse(of: address)
        store.remove(address)
        #expect(store.privacy.isEmpty && changes == 3 && storage.names.isEmpty)
    }

    @Test("of the bonds of this process the one that was made longest ago goes; one that is made anew is a late one")
    func passingOrder() {
        let store = self.store()
        let capacity = BondStore.passingCapacity
        for number in 0..<capacity { store.store(self.bond(self.passing(number))) }
        store.store(self.bond(self.passing(0)))
        #expect(store.identities.count == capacity)
        store.store(self.bond(self.passing(capacity)))
        #expect(store.bond(with: self.passing(0)) != nil && store.bond(with: self.passing(1)) == nil)
        // One that was removed takes no place.
        store.remove(self.passing(2))
        store.store(self.bond(self.passing(capacity + 1)))
        #expect(store.identities.count == capacity && store.bond(with: self.passing(3)) != nil)
        store.store(self.bond(self.passing(capacity + 2)))
        #expect(store.identities.count == capacity && store.bond(with: self.passing(3)) == nil)
        // One that lasts is not among them.
        store.store(self.bond())
        #expect(store.identities.count == capacity + 1 && store.bond(with: self.passing(4)) != nil)
    }

    // MARK: Other processes

    @Test("a bond of an earlier process that another one removes is gone at the next look, and is reported once")
    func removedElsewhere() {
        let storage = MemoryStorage()
        self.store(on: storage).store(self.bond())
        let store = self.store(on: storage)
        var changes = 0
        store.onChange = { changes += 1 }
        #expect(store.bond(with: Self.peer) != nil && changes == 0)
        storage.remove(BondStore.name(Self.peer))
        for _ in 0..<2 { #expect(store.bond(with: Self.peer) == nil && changes == 1) }
        #expect(store.identities.isEmpty)
    }

    @Test("a bond that could not be written is good for as long as this process lasts")
    func unstored() {
        let storage = MemoryStorage()
        let store = BondStore()
        let writer = StateWriter(storage)
        store.writer = writer
        writer.stop()
        store.store(self.bond())
        #expect(storage.names.isEmpty && store.bond(with: Self.peer) != nil)
        // Without any storage, too.
        let other = BondStore()
        other.store(self.bond())
        #expect(other.bond(with: Self.peer) != nil)
        other.remove(Self.peer)
        #expect(other.bond(with: Self.peer) == nil)
    }

    // MARK: What belongs to one bond

    @Test("a counter and a privacy are those of the bond that was made when they were; a counter never goes back")
    func parts() {
        let (made, other) = (Date(timeIntervalSince1970: 1), Date(timeIntervalSince1970: 2))
        for paired in [made, other, nil] {
            for said in [made, other, nil] {
                var kept = KeptBond(bond: self.bond(signCounter: 5), paired: paired)
                BondSignCounter(paired: said, next: 9).apply(to: &kept)
                #expect(kept.bond.peer.signing?.signCounter == (paired == said ? 9 : 5))
                BondSignCounter(paired: said, next: 3).apply(to: &kept)
                #expect(kept.bond.peer.signing?.signCounter == (paired == said ? 9 : 5))
                let privacy = PeerPrivacy(resolvesAddresses: true, usesOnlyPrivateAddresses: false)
                let maker = KeptBond(bond: self.bond(), paired: said)
                BondPrivacy(privacy, of: maker).apply(to: &kept)
                #expect(kept.privacy == (paired == said ? privacy : nil))
                BondSignCounter(paired: said, next: nil).apply(to: &kept)
                #expect((kept.bond.peer.signing == nil) == (paired == said))
                // Where there is no key, there is no counter.
                var unsigned = KeptBond(bond: self.bond(), paired: paired)
                BondSignCounter(paired: said, next: 9).apply(to: &unsigned)
                #expect(unsigned.bond.peer.signing == nil)
            }
        }
        for privacy in [
            PeerPrivacy(), PeerPrivacy(resolvesAddresses: true), PeerPrivacy(usesOnlyPrivateAddresses: true),
        ] {
            var kept = KeptBond(bond: self.bond(), paired: made)
            BondPrivacy(privacy, of: kept).apply(to: &kept)
            #expect(kept.privacy == privacy)
        }
    }

    @Test("a bond made anew has neither the counter, nor the use, nor the privacy of the one before it")
    func anew() {
        let storage = MemoryStorage()
        let store = self.store(on: storage)
        store.store(self.bond(signCounter: 1))
        store.noteUse(of: Self.peer)
        store.noteSignCounter(8, of: Self.peer)
        store.setPrivacy(PeerPrivacy(resolvesAddresses: true), of: Self.peer)
        #expect(storage.names.count == 4)
        // In the same second, so that the dates of both are the same.
        store.store(self.bond(signCounter: 2))
        #expect(storage.names == [BondStore.name(Self.peer)])
        #expect(store.privacy.isEmpty && store.bond(with: Self.peer)?.peer.signing?.signCounter == 2)
    }

    @Test("dates are kept in whole seconds, the earlier one")
    func seconds() {
        for (exact, whole) in [(0.0, 0.0), (0.999, 0.0), (1.0, 1.0), (1.5, 1.0), (-0.5, -1.0)] {
            #expect(Date(timeIntervalSince1970: exact).inWholeSeconds == Date(timeIntervalSince1970: whole))
        }
        let storage = MemoryStorage()
        let store = self.store(on: storage, seconds: 7.9)
        store.store(self.bond())
        store.noteUse(of: Self.peer)
        #expect(storage.bonds().map(\.paired) == [Date(timeIntervalSince1970: 7)])
        #expect(storage.lastUse(ofBondWith: Self.peer) == Date(timeIntervalSince1970: 7))
    }
}
