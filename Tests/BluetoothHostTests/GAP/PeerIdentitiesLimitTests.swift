// How much is kept of the addresses that peers use one after the other.

import BluetoothTypes
import Fixtures
import Testing

@testable import BluetoothHost

@Suite("Peer identities: what is kept of addresses")
struct PeerIdentitiesLimitTests {
    private let peer = IdentityInformation(
        identityResolvingKey: Octets16(high: 1, low: 2),
        address: DeviceAddress(0xC000_0000_0001, kind: .random)
    )

    /// How many addresses are kept with what they resolve to.
    private func keptCount(_ identities: PeerIdentities) -> Int? {
        Mirror(reflecting: identities).descendant("cache").map { Mirror(reflecting: $0).children.count }
    }

    @Test("1024 addresses are kept; one more, and all of them are forgotten at once")
    func limit() {
        var identities = PeerIdentities([self.peer])
        // Private addresses that no key has made: their upper bits are 01.
        for number in 0..<1024 as Range<UInt64> {
            #expect(identities.resolve(DeviceAddress(0x4000_0000_0000 | number, kind: .random)) == nil)
        }
        #expect(self.keptCount(identities) == 1024)
        #expect(identities.resolve(DeviceAddress(0x4000_0000_0000, kind: .random)) == nil)
        #expect(self.keptCount(identities) == 1024, "what is known is not kept again")
        #expect(identities.resolve(DeviceAddress(0x4000_0000_FFFF, kind: .random)) == nil)
        #expect(self.keptCount(identities) == 1)
    }

    @Test("Only private addresses are looked up, and none where no peer has a key")
    func notKept() {
        var identities = PeerIdentities([self.peer])
        for address in [
            self.peer.address, DeviceAddress(0x4000_0000_0000, kind: .public),
            DeviceAddress(0x0000_0000_0001, kind: .random), DeviceAddress(0x8000_0000_0001, kind: .random),
        ] {
            #expect(identities.resolve(address) == nil)
            #expect(self.keptCount(identities) == 0)
        }
        var nobody = PeerIdentities([
            IdentityInformation(identityResolvingKey: .zero, address: self.peer.address)
        ])
        #expect(nobody.resolve(DeviceAddress(0x4000_0000_0000, kind: .random)) == nil)
        #expect(self.keptCount(nobody) == 0)
    }
}
