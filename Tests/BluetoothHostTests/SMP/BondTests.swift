// What a bond says of its peer and of its keys, and what values are made without a word on them.

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

    @Test("The key of a link is the one that its peripheral has distributed")
    func keyOfTheRole() {
        #expect(Self.bond().longTermKey(asCentral: true) == Self.peer)
        #expect(Self.bond().longTermKey(asCentral: false) == Self.local)
    }

    @Test("The level follows from how the keys were made; the size is that of the keys")
    func levels() {
        for (isAuthenticated, isSecureConnections, level) in [
            (false, false, .encrypted), (false, true, .encrypted), (true, false, .authenticated),
            (true, true, .secureConnections),
        ] as [(Bool, Bool, SecurityLevel)] {
            let bond = Self.bond(isAuthenticated: isAuthenticated, isSecureConnections: isSecureConnections)
            #expect(bond.level == level)
            #expect(bond.key.size == 9)
            #expect(bond.key.isAuthenticated == isAuthenticated)
            #expect(bond.key.isSecureConnections == isSecureConnections)
        }
    }

    @Test("A peer is known by its identity address, or by the address with which it paired")
    func identityAddress() {
        var bond = Self.bond()
        #expect(bond.identityAddress == Self.address)
        let identity = DeviceAddress(0xC011_2233_4466, kind: .random)
        bond.local.identity = IdentityInformation(identityResolvingKey: .zero, address: identity)
        #expect(bond.identityAddress == Self.address)
        bond.peer.identity = IdentityInformation(identityResolvingKey: .zero, address: identity)
        #expect(bond.identityAddress == identity)
    }

    @Test("A long term key has no name and a signing key has signed nothing where nothing else is said")
    func defaults() {
        let key = LongTermKey(value: .zero)
        #expect(key.encryptedDiversifier == 0 && key.random == 0)
        #expect(SigningKey(connectionSignatureResolvingKey: .zero).signCounter == 0)
        let keys = PairingKeys()
        #expect(keys.longTermKey == nil && keys.identity == nil && keys.signing == nil)
    }
}
