// Bonded peers by their private addresses.

import BluetoothTypes
import Fixtures
import Testing

@testable import BluetoothHost

@Suite("Peer identities")
struct PeerIdentitiesTests {
    private let first = IdentityInformation(
        identityResolvingKey: Octets16(high: 1, low: 2),
        address: DeviceAddress(0xC000_0000_0001, kind: .random)
    )
    private let second = IdentityInformation(
        identityResolvingKey: Octets16(high: 3, low: 4),
        address: DeviceAddress(0x0000_0000_0002, kind: .public)
    )
    private let withoutKey = IdentityInformation(
        identityResolvingKey: .zero,
        address: DeviceAddress(0xC000_0000_0003, kind: .random)
    )

    @Test("resolves an address with the key of its peer, every time")
    func resolve() {
        var identities = PeerIdentities([self.first, self.second, self.withoutKey].map { BondedPeer($0) })
        var generator = SeededGenerator(seed: 1)
        for identity in [self.first, self.second] {
            let address = ResolvablePrivateAddress.make(identity.identityResolvingKey, using: &generator)
            #expect(identities.resolve(address) == identity.address)
            #expect(identities.resolve(address) == identity.address)
        }
        let foreign = ResolvablePrivateAddress.make(Octets16(high: 9, low: 9), using: &generator)
        #expect(identities.resolve(foreign) == nil)
        #expect(identities.resolve(foreign) == nil)
        #expect(identities.resolve(self.first.address) == nil, "an identity address is not private")
    }

    @Test("resolves nothing to a peer without a key")
    func peerWithoutKey() {
        var identities = PeerIdentities([BondedPeer(self.withoutKey)])
        var generator = SeededGenerator(seed: 1)
        #expect(identities.resolvable.isEmpty)
        #expect(identities.key(of: self.withoutKey.address) == nil)
        #expect(identities.resolve(ResolvablePrivateAddress.make(.zero, using: &generator)) == nil)
    }

    @Test("finds a peer without a key by the private address with which it paired, unless a key resolves that address")
    func alias() {
        var generator = SeededGenerator(seed: 1)
        let private_ = ResolvablePrivateAddress.make(Octets16(high: 9, low: 9), using: &generator)
        let stolen = ResolvablePrivateAddress.make(self.first.identityResolvingKey, using: &generator)
        let static_ = DeviceAddress(0xC000_0000_0009, kind: .random)
        func identities(_ address: DeviceAddress) -> PeerIdentities {
            PeerIdentities([BondedPeer(self.first), BondedPeer(self.withoutKey, peerAddress: address)])
        }
        var found = identities(private_)
        #expect(found.resolve(private_) == self.withoutKey.address && found.withAliases == [self.withoutKey.address])
        var resolved = identities(stolen)
        #expect(resolved.resolve(stolen) == self.first.address)
        var other = identities(static_)
        #expect(other.resolve(static_) == nil && other.withAliases.isEmpty, "an identity address is its own")
    }

    @Test("resolves after more addresses than it keeps")
    func flood() {
        var identities = PeerIdentities([BondedPeer(self.first)])
        var generator = SeededGenerator(seed: 1)
        let address = ResolvablePrivateAddress.make(self.first.identityResolvingKey, using: &generator)
        for _ in 0..<3 * PeerIdentities.cacheCapacity {
            let foreign = ResolvablePrivateAddress.make(Octets16(high: 9, low: 9), using: &generator)
            #expect(identities.resolve(foreign) == nil)
        }
        #expect(identities.resolve(address) == self.first.address)
    }
}
