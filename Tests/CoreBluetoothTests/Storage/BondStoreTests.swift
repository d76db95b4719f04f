// Bonds over processes: by which address each is found, which are kept in memory alone, and the counters of signed
// commands, which must not be accepted twice.

import BluetoothHost
import BluetoothTransport
import BluetoothTypes
import NIOConcurrencyHelpers
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("The bonds of an adapter")
struct BondStoreTests {
    private static let peer = DeviceAddress(0x0011_2233_4455, kind: .public)

    private let storage = MemoryStorage()

    private func bond(
        _ peer: DeviceAddress = Self.peer,
        identity: IdentityInformation? = nil,
        signCounter: UInt32? = nil
    ) -> Bond {
        .symmetric(with: peer, identity: identity, signCounter: signCounter)
    }

    /// The store of a process.
    private func store(seconds: Double = 1_000_000.75) -> BondStore {
        let store = BondStore()
        store.now = { Date(timeIntervalSince1970: seconds) }
        store.writer = StateWriter(self.storage)
        return store
    }

    /// The counter that the next process has of the peer.
    private var nextCounter: UInt32? { self.store().bond(with: Self.peer)?.peer.signing?.signCounter }

    /// An address that changes, so that its bond is not written.
    private func passing(_ number: Int) -> DeviceAddress {
        DeviceAddress(0x4000_0000_0000 | UInt64(number), kind: .random)
    }

    // MARK: Processes

    @Test("keeps the date of the pairing, which using the bond does not change, and that of the last use")
    func dates() {
        let (made, used) = (Date(timeIntervalSince1970: 1_000_000), Date(timeIntervalSince1970: 2_000_000))
        self.store().store(self.bond(signCounter: 0))
        #expect(self.storage.bonds().map(\.paired) == [made] && self.storage.lastUse(ofBondWith: Self.peer) == nil)
        let next = self.store(seconds: 2_000_000.9)
        next.noteUse(of: DeviceAddress(Self.peer.value, kind: .publicIdentity))
        next.noteUse(of: DeviceAddress(7, kind: .public))
        next.noteSignCounter(3, of: Self.peer)
        #expect(self.storage.bonds().map(\.paired) == [made])
        #expect(self.storage.lastUse(ofBondWith: Self.peer) == used && self.storage.names.count == 3)
    }

    @Test("replaces a bond with its counter, its use and its privacy, even within one second")
    func anew() {
        let store = self.store()
        store.store(self.bond(signCounter: 1))
        store.noteUse(of: Self.peer)
        store.noteSignCounter(8, of: Self.peer)
        store.setPrivacy(PeerPrivacy(resolvesAddresses: true), of: Self.peer)
        #expect(self.storage.names.count == 4)
        store.store(self.bond(signCounter: 2))
        #expect(self.storage.names == [BondStore.name(Self.peer)])
        #expect(store.privacy.isEmpty && store.bond(with: Self.peer)?.peer.signing?.signCounter == 2)
    }

    @Test("reads a bond of an earlier version, which has no date")
    func undated() throws {
        self.store().store(self.bond(signCounter: 7))
        let name = BondStore.name(Self.peer)
        let text = String(decoding: try #require(try self.storage.read(name)), as: UTF8.self)
        let date = #""paired":"1970-01-12T13:46:40Z","#
        #expect(text.contains(date))
        try self.storage.write(Data(text.replacingOccurrences(of: date, with: "").utf8), to: name)
        let store = self.store()
        #expect(store.bond(with: Self.peer) == self.bond(signCounter: 7) && self.storage.bonds().map(\.paired) == [nil])
        store.noteSignCounter(8, of: Self.peer)
        #expect(self.nextCounter == 9)
    }

    @Test("writes a new bond after the identifier by which apps know its device")
    func identifierFirst() {
        let testbed = Testbed()
        // A storage that is written on queues, and notes with each bond whether its device was known by then.
        let storage = HookedStorage(isImmediate: false)
        let (memory, noted) = (storage.memory, NIOLockedValueBox<[Bool]>([]))
        storage.setHook { operation, name in
            guard operation == .write, name.hasPrefix("bond-") else { return }
            let isKnown = IdentityFile(memory).load().contains { $0.address == Self.peer }
            noted.withLockedValue { $0.append(isKnown) }
        }
        let adapter = testbed.adapter("Crystal", storage: storage)
        let ball = testbed.ball(on: adapter)
        adapter.changeEngine(in: testbed) { core in
            // So many that it takes a moment to write them.
            for number in 1...1_000 { _ = core.identities.record(for: DeviceAddress(UInt64(number), kind: .public)) }
            _ = core.identities.record(for: Self.peer)
            let bond = Bond.symmetric(with: Self.peer, isAuthenticated: false)
            core.host.delegate?.host(core.host, link: LinkID(rawValue: 1_000), didPairWith: bond, isBonded: true)
        }
        #expect(noted.withLockedValue { $0 } == [true])
        withExtendedLifetime(ball) {}
    }

    // MARK: Signed commands

    @Test("replayed signature: never accepts a counter again, in this process or the next")
    func signCounter() {
        let store = self.store()
        store.store(self.bond(signCounter: 0))
        for (counter, kept) in [(0, 1), (8, 9), (3, 9), (.max - 2, .max - 1), (.max - 1, .max)] as [(UInt32, UInt32)] {
            store.noteSignCounter(counter, of: Self.peer)
            #expect(self.nextCounter == kept)
        }
        // After the last counter that there is, the key signs nothing any more.
        for counter in [.max, 1] as [UInt32] {
            store.noteSignCounter(counter, of: Self.peer)
            let bond = self.store().bond(with: Self.peer)
            #expect(bond != nil && bond?.peer.signing == nil)
        }
    }

    @Test("keeps no counter of a bond that another process has removed")
    func counterOfARemovedBond() {
        let store = self.store()
        store.store(self.bond(signCounter: 7))
        self.store().remove(Self.peer)
        store.noteSignCounter(20, of: Self.peer)
        #expect(store.bond(with: Self.peer) == nil)
        self.store().store(self.bond(signCounter: 1))
        #expect(self.nextCounter == 1)
    }

    @Test("ignores the counter and the privacy of an earlier bond that a crash has left")
    func foreignParts() throws {
        let store = self.store()
        store.store(self.bond(signCounter: 0))
        store.noteSignCounter(100, of: Self.peer)
        let said = PeerPrivacy(resolvesAddresses: true, usesOnlyPrivateAddresses: false)
        store.setPrivacy(said, of: Self.peer)
        #expect(store.privacy == [Self.peer: said] && self.store().privacy == [Self.peer: said])
        let names = [BondStore.counterName(Self.peer), BondStore.privacyName(Self.peer)]
        let left = try names.map { try #require(try self.storage.read($0)) }
        self.store(seconds: 2_000_000).store(self.bond(signCounter: 2))
        for (name, data) in zip(names, left) { try self.storage.write(data, to: name) }
        #expect(self.nextCounter == 2 && self.store().privacy.isEmpty)
    }

    // MARK: Addresses

    @Test(
        "finds, uses and removes a bond by the address of the peer's identity, also as the controller reports it",
        arguments: [(DeviceAddress.Kind.public, DeviceAddress.Kind.publicIdentity), (.random, .randomIdentity)]
    )
    func identityKinds(kind: DeviceAddress.Kind, reported: DeviceAddress.Kind) {
        let address = DeviceAddress(0xC011_2233_4455, kind: kind)
        let identity = DeviceAddress(0xC011_2233_4455, kind: reported)
        let key = Octets16(high: 9, low: 8)
        let store = self.store()
        let bond = self.bond(
            self.passing(1),
            identity: IdentityInformation(identityResolvingKey: key, address: identity),
            signCounter: 1
        )
        store.store(bond)
        #expect(store.bond(with: address) == bond && store.bond(with: identity) == bond)
        #expect(store.bond(with: self.passing(1)) == nil)
        #expect(store.peers.map(\.identity.address) == [address])
        #expect(store.peers.map(\.identity.identityResolvingKey) == [key])
        store.noteUse(of: identity)
        store.noteSignCounter(4, of: identity)
        store.setPrivacy(PeerPrivacy(resolvesAddresses: true), of: identity)
        #expect(store.privacy == [address: PeerPrivacy(resolvesAddresses: true)])
        let names = [BondStore.name(address)] + BondStore.namesBeside(address)
        #expect(self.storage.names.sorted() == names.sorted())
        #expect(self.store().bond(with: identity)?.peer.signing?.signCounter == 5)
        store.remove(identity)
        #expect(self.storage.names.isEmpty && store.bond(with: address) == nil && store.peers.isEmpty)
    }

    @Test("lists the identities of peers by address, with a key of zero for a peer that has given none")
    func identities() {
        let store = self.store()
        let addresses: [DeviceAddress] = [
            DeviceAddress(3, kind: .public), DeviceAddress(0xC000_0000_0001, kind: .random),
            DeviceAddress(1, kind: .public), DeviceAddress(0xC000_0000_0001, kind: .public),
        ]
        for address in addresses { store.store(self.bond(address)) }
        #expect(store.peers.map(\.identity.address) == [addresses[2], addresses[0], addresses[3], addresses[1]])
        #expect(store.peers.allSatisfy { $0.identity.identityResolvingKey == .zero })
    }

    // MARK: Bonds of this process alone

    @Test("keeps 32 bonds with addresses that change: those that were made last")
    func passingOrder() {
        let store = self.store()
        let capacity = BondStore.passingCapacity
        #expect(capacity == 32)
        for number in 0..<capacity { store.store(self.bond(self.passing(number))) }
        store.store(self.bond(self.passing(0)))
        #expect(store.peers.count == capacity)
        store.store(self.bond(self.passing(capacity)))
        #expect(store.bond(with: self.passing(0)) != nil && store.bond(with: self.passing(1)) == nil)
        // A removed bond takes no place.
        store.remove(self.passing(2))
        store.store(self.bond(self.passing(capacity + 1)))
        #expect(store.peers.count == capacity && store.bond(with: self.passing(3)) != nil)
        store.store(self.bond(self.passing(capacity + 2)))
        #expect(store.peers.count == capacity && store.bond(with: self.passing(3)) == nil)
        // A lasting bond is not among them.
        store.store(self.bond())
        #expect(store.peers.count == capacity + 1 && store.bond(with: self.passing(4)) != nil)
    }

    @Test("neither uses nor removes what an earlier version has written of a peer with an address that changes")
    func passingOnDisk() throws {
        let peer = self.passing(1)
        try self.storage.save(KeptBond(bond: self.bond(peer), paired: nil), to: BondStore.name(peer))
        let store = self.store()
        #expect(store.bond(with: peer) == nil)
        store.store(self.bond(peer))
        store.remove(peer)
        #expect(store.bond(with: peer) == nil && self.storage.names == [BondStore.name(peer)])
    }

    @Test(
        "does not use a bond that cannot be written, which its peer is told to drop; without storage, while the process lasts",
        arguments: ["first", "removed before", "removed before by another process", "without storage"]
    )
    func unstored(order: String) {
        let writer = StateWriter(self.storage)
        let store = BondStore()
        if order != "without storage" { store.writer = writer }
        if order.hasPrefix("removed") {
            store.store(self.bond())
            if order.hasSuffix("process") {
                self.storage.remove(BondStore.name(Self.peer))
            } else {
                store.remove(Self.peer)
            }
            #expect(store.bond(with: Self.peer) == nil)
        }
        writer.stop()
        let isKept = order == "without storage"
        #expect(store.store(self.bond()) == isKept && self.storage.names.isEmpty)
        #expect(store.bond(with: Self.peer) == (isKept ? self.bond() : nil))
        store.remove(Self.peer)
        #expect(store.bond(with: Self.peer) == nil)
    }

    // MARK: Changes

    @Test("keeps a bond whose document cannot be read, until the document is gone")
    func unreadable() throws {
        #expect(!self.storage.hasBond(with: Self.peer))
        let store = self.store()
        store.store(self.bond(signCounter: 7))
        try self.storage.write(BondStore.name(Self.peer), .powerFailure) { throw CocoaError(.fileReadNoPermission) }
        #expect(self.storage.hasBond(with: Self.peer) && store.bond(with: Self.peer) == self.bond(signCounter: 7))
        self.storage.remove(BondStore.name(Self.peer))
        #expect(!self.storage.hasBond(with: Self.peer) && store.bond(with: Self.peer) == nil)
    }

    @Test("reports each change of the bonds once, and nothing else")
    func changes() {
        self.store().store(self.bond(signCounter: 7))
        let store = BondStore()
        var count = 0
        func expectCount(_ expected: Int, line: Int = #line, _ body: () -> Void) {
            body()
            #expect(count == expected, "line \(line)")
        }
        store.onChange = { count += 1 }
        let privacy = PeerPrivacy(resolvesAddresses: true)
        let stranger = DeviceAddress(7, kind: .public)
        expectCount(1) { store.writer = StateWriter(self.storage) }
        expectCount(1) { #expect(store.bond(with: Self.peer) != nil) }
        // Another process removes the bond of an earlier one.
        self.storage.remove(BondStore.name(Self.peer))
        for _ in 1...2 { expectCount(2) { #expect(store.bond(with: Self.peer) == nil) } }
        expectCount(3) { store.store(self.bond(signCounter: 7)) }
        expectCount(3) { store.noteUse(of: Self.peer) }
        expectCount(3) { store.noteSignCounter(8, of: Self.peer) }
        for _ in 1...2 { expectCount(4) { store.setPrivacy(privacy, of: Self.peer) } }
        expectCount(4) { store.setPrivacy(privacy, of: stranger) }
        expectCount(4) { store.remove(stranger) }
        for _ in 1...2 { expectCount(5) { store.remove(Self.peer) } }
        expectCount(5) { #expect(store.bond(with: Self.peer) == nil) }
    }
}
