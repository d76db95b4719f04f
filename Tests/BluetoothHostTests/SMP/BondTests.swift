import BluetoothTypes
import Testing

@testable import BluetoothHost

@Suite("Bonds")
struct BondTests {
    private static let local = LongTermKey(value: Octets16(high: 1, low: 2), encryptedDiversifier: 3, random: 4)
    private static let peer = LongTermKey(value: Octets16(high: 5, low: 6), encryptedDiversifier: 7, random: 8)
    private static let address = DeviceAddress(0x4011_2233_4455, kind: .random)

    private static func bond(isAuthenticated: Bool = false, isSecureConnections: Bool = false) -> Bond {
        Bond(
            peerAddress: Self.address,
            keySize: 9,
            isAuthenticated: isAuthenticated,
            isSecureConnections: isSecureConnections,
            local: PairingKeys(longTermKey: Self.local),
            peer: PairingKeys(longTermKey: Self.peer)
        )
    }

    @Test("uses the key that the link's peripheral has distributed")
    func keyOfTheRole() {
        #expect(Self.bond().longTermKey(asCentral: true) == Self.peer)
        #expect(Self.bond().longTermKey(asCentral: false) == Self.local)
    }

    @Test(
        "has the level and the size of its keys",
        arguments: [
            (false, false, .encrypted), (false, true, .encrypted), (true, false, .authenticated),
            (true, true, .secureConnections),
        ] as [(Bool, Bool, SecurityLevel)]
    )
    func levels(isAuthenticated: Bool, isSecureConnections: Bool, level: SecurityLevel) {
        let bond = Self.bond(isAuthenticated: isAuthenticated, isSecureConnections: isSecureConnections)
        #expect(bond.level == level && bond.key.size == 9)
    }

    @Test("is known by the peer's identity address, or by the address with which the peer paired")
    func identityAddress() {
        var bond = Self.bond()
        let identity = DeviceAddress(0xC011_2233_4466, kind: .random)
        bond.local.identity = IdentityInformation(identityResolvingKey: .zero, address: identity)
        #expect(bond.identityAddress == Self.address)
        bond.peer.identity = bond.local.identity
        #expect(bond.identityAddress == identity)
    }

    @Test("S10 finds a peer that distributed a key of zero by the address with which it paired")
    func keyOfZero() {
        var bond = Self.bond()
        let identity = DeviceAddress(0x0011_2233_4466, kind: .public)
        for (key, address) in [(Octets16.zero, Self.address), (Octets16(high: 1, low: 2), nil)] {
            bond.peer.identity = IdentityInformation(identityResolvingKey: key, address: identity)
            #expect(BondedPeer(bond).peerAddress == address)
            #expect(BondedPeer(bond).identity.address == identity)
        }
    }
}
