// Bonds as they are kept, and the counters of signed commands, which must not be accepted twice.

import BluetoothHost
import BluetoothTypes
import Testing

@testable import CoreBluetooth

@Suite("What is kept of bonds")
struct BondStoreTests {
    private static let peer = DeviceAddress(0x0011_2233_4455, kind: .public)

    private static func bond(signCounter: UInt32) -> Bond {
        let key = LongTermKey(value: Octets16(high: 1, low: 2), encryptedDiversifier: 3, random: 4)
        let signing = SigningKey(
            connectionSignatureResolvingKey: Octets16(high: 5, low: 6),
            signCounter: signCounter
        )
        return Bond(
            peerAddress: Self.peer,
            keySize: 16,
            isAuthenticated: true,
            isSecureConnections: true,
            local: PairingKeys(longTermKey: key),
            peer: PairingKeys(longTermKey: key, signing: signing)
        )
    }

    private func store(on storage: MemoryStorage) -> BondStore {
        let store = BondStore()
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
        for (counter, kept) in [(1, 1), (9, 9), (4, 9)] as [(UInt32, UInt32)] {
            store.setNextSignCounter(counter, of: Self.peer)
            #expect(self.store(on: storage).bond(with: Self.peer)?.peer.signing?.signCounter == kept)
        }
        // After the last counter that there is, the key signs nothing any more.
        store.setNextSignCounter(nil, of: Self.peer)
        let bond = self.store(on: storage).bond(with: Self.peer)
        #expect(bond != nil && bond?.peer.signing == nil)
        store.setNextSignCounter(1, of: Self.peer)
        #expect(self.store(on: storage).bond(with: Self.peer)?.peer.signing == nil)
    }
}
