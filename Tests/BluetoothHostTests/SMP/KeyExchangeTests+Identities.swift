// The identities that a peer may claim, alone and in pairings.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Pairing: claims of identities")
struct KnownIdentitiesTests {
    typealias Side = SecurityManagerPair.Side

    private static func identity(_ number: UInt64, key: UInt64? = nil) -> IdentityInformation {
        IdentityInformation(
            identityResolvingKey: key == 0 ? .zero : Octets16(high: 1, low: key ?? number),
            address: DeviceAddress(0xC0DE_0000_0000 | number, kind: .random)
        )
    }

    private static let own = identity(1)
    private static let peer = identity(2)
    private static let other = identity(3)

    /// Bonds, of which the first one has a key of this strength.
    private static func known(_ key: LinkSecurity.Key? = nil) -> KnownIdentities {
        KnownIdentities(
            address: own.address,
            key: own.identityResolvingKey,
            peers: [BondedPeer(other, key: key), BondedPeer(identity(4, key: 0))],
            isMet: { $0 == Self.met.address }
        )
    }

    private static let met = identity(7)
    private static let hidden = SecurityManagerPair.hiddenCentralAddress

    @Test("finds a new identity free, that of a bond or a seen device another's, and this device's own as own")
    func claims() {
        let known = Self.known()
        func claim(_ identity: IdentityInformation) -> KnownIdentities.Claim {
            known.claim(of: identity, from: Self.hidden, existing: nil)
        }
        #expect(claim(Self.peer) == .free)
        #expect(claim(Self.identity(5, key: 0)) == .free, "two peers without keys")
        #expect(claim(Self.other) == .ofAnother(nil))
        #expect(claim(Self.identity(3, key: 99)) == .ofAnother(nil))
        #expect(claim(Self.identity(4)) == .ofAnother(nil))
        #expect(claim(Self.met) == .ofAnother(nil))
        #expect(claim(Self.own) == .own)
        #expect(claim(Self.identity(1, key: 99)) == .own, "the own address")
        #expect(claim(Self.identity(2, key: 1)) == .own, "the own key")
        #expect(claim(Self.identity(2, key: 3)) == .free, "the key of another bond, which stays with that one")
    }

    @Test("lets a recognized peer keep its own identity, and ignores another one")
    func existing() {
        var bond = SecurityManagerTests.bond(.encrypted)
        bond.peer.identity = Self.other
        func claim(_ identity: IdentityInformation) -> KnownIdentities.Claim {
            Self.known().claim(of: identity, from: Self.hidden, existing: bond)
        }
        #expect(claim(Self.other) == .free)
        #expect(claim(Self.identity(3, key: 99)) == .free)
        // It has the key of the bond, like a board of the same kind and the other peers of the bonded device.
        for identity in [Self.identity(4), Self.met, Self.identity(9), Self.identity(9, key: 3)] {
            #expect(claim(identity) == .ignored)
        }
        #expect(claim(Self.own) == .own)
        // A bond without an identity does not give one.
        bond.peer.identity = nil
        bond.peerAddress = Self.hidden
        #expect(claim(Self.identity(9)) == .free && claim(Self.identity(4)) == .ofAnother(nil))
    }

    @Test("ignores an identity address that is not the public or static address in use")
    func otherThanInUse() {
        let known = Self.known()
        for address in [Self.peer.address, DeviceAddress(0x00AB_0000_0001, kind: .public)] {
            let isPublic = IdentityInformation(
                identityResolvingKey: Octets16(high: 1, low: 51),
                address: DeviceAddress(0x00AB_0000_0002, kind: .public)
            )
            for identity in [Self.other, Self.met, Self.identity(6), isPublic] {
                #expect(known.claim(of: identity, from: address, existing: nil) == .ignored)
            }
            let same = IdentityInformation(identityResolvingKey: Octets16(high: 1, low: 50), address: address)
            #expect(known.claim(of: same, from: address, existing: nil) == .free)
        }
        #expect(known.claim(of: Self.met, from: Self.met.address, existing: nil) == .free, "it is that device")
    }

    @Test("knows an address that a controller has resolved as the identity address")
    func resolvedAddresses() {
        let key = Octets16(high: 1, low: 2)
        let resolved = DeviceAddress(0xC0DE_0000_0001, kind: .randomIdentity)
        let plain = DeviceAddress(0xC0DE_0000_0001, kind: .random)
        let claimed = IdentityInformation(identityResolvingKey: key, address: plain)
        let resolvedClaim = IdentityInformation(identityResolvingKey: key, address: resolved)
        var known = KnownIdentities(address: plain, key: nil, peers: [])
        func claim(_ identity: IdentityInformation, _ bond: Bond? = nil) -> KnownIdentities.Claim {
            known.claim(of: identity, from: Self.hidden, existing: bond)
        }
        #expect(claim(resolvedClaim) == .own)
        known = KnownIdentities(address: nil, key: nil, peers: [BondedPeer(claimed)])
        #expect(claim(resolvedClaim) == .ofAnother(nil))
        // A bond of a peer with such an address.
        var bond = SecurityManagerTests.bond(.encrypted)
        bond.peerAddress = resolved
        #expect(claim(claimed) == .ofAnother(nil))
        #expect(claim(claimed, bond) == .free)
        // An address of the other kind is different.
        let other = IdentityInformation(
            identityResolvingKey: .zero,
            address: DeviceAddress(0xC0DE_0000_0001, kind: .public)
        )
        #expect(claim(other) == .free && claim(other, bond) == .ignored)
        known.address = plain
        #expect(claim(other) == .free && claim(other, bond) == .ignored)
    }

    /// A pairing in which one side claims an identity and the other side has bonds.
    private func pair(
        claiming identity: IdentityInformation,
        to side: Side,
        consent: PairingConsentPolicy = .whenReplacingBond,
        replacing key: LinkSecurity.Key? = nil,
        areHidden: Bool = true,
        answers: Bool = true
    ) -> SecurityManagerPair {
        let claiming = PairingConfiguration(identity: identity)
        let deciding = PairingConfiguration(identity: Self.own, consent: consent)
        var pair = SecurityManagerPair(
            central: side == .central ? deciding : claiming,
            peripheral: side == .central ? claiming : deciding,
            areHidden: areHidden
        )
        pair.answers = answers
        pair.with(side) { $1.identities = Self.known(key) }
        pair.pair()
        return pair
    }

    @Test(
        "identity theft: asks the user if a peer claims the identity address of another device, and names it",
        arguments: [Side.central, .peripheral]
    )
    func theft(_ side: Side) throws {
        // With another key, and with the bond's key, which its owner's other peers know, too.
        for identity in [Self.identity(3, key: 99), Self.other, Self.met] {
            let pair = self.pair(claiming: identity, to: side, answers: false)
            guard case .consent(let question)? = pair.report(side).questions.last else {
                return #expect(Bool(false), "nobody is asked")
            }
            #expect(question.replacesBond && question.replaced == identity.address && pair.report(side).paired == nil)
            var refused = pair
            refused.with(side) { $0.answer(.consent(false), &$1) }
            refused.run()
            self.expectRejection(by: side, refused)

            var consented = pair
            consented.with(side) { $0.answer(.consent(true), &$1) }
            consented.run()
            #expect(consented.report(side).paired?.identityAddress == identity.address)
            #expect(consented.report(side).isBonded == true && consented.report(side).errors == [])
        }
    }

    /// Neither side has keys, since this one rejects those of the other.
    private func expectRejection(by side: Side, _ pair: SecurityManagerPair) {
        #expect(pair.report(side).errors == [.failed(.keyRejected)] && pair.report(side).paired == nil)
        #expect(pair.report(side.other).errors == [.failedByPeer(.keyRejected)])
        #expect(pair.manager(side).bond == nil && pair.manager(side.other).bond == nil)
    }

    private static let strong = LinkSecurity.Key(isAuthenticated: true, isSecureConnections: true)
    private static let legacy = LinkSecurity.Key(isAuthenticated: true, isSecureConnections: false)

    @Test(
        "identity theft: rejects claims that no user may allow: own identities, a bond for a weaker key",
        arguments: [
            (Self.own, .whenReplacingBond, nil), (Self.identity(1, key: 99), .whenReplacingBond, nil),
            (Self.identity(2, key: 1), .whenReplacingBond, nil), (Self.identity(3, key: 99), .never, nil),
            (Self.met, .never, nil), (Self.other, .whenReplacingBond, Self.strong),
            (Self.other, .whenReplacingBond, Self.legacy),
        ] as [(IdentityInformation, PairingConsentPolicy, LinkSecurity.Key?)]
    )
    func rejected(identity: IdentityInformation, consent: PairingConsentPolicy, key: LinkSecurity.Key?) {
        for side in [Side.central, .peripheral] {
            let pair = self.pair(claiming: identity, to: side, consent: consent, replacing: key)
            #expect(pair.report(side).questions == [])
            self.expectRejection(by: side, pair)
        }
    }

    @Test("ends the question about another bond if the peer sends a command, after 30 s, or with the link")
    func impatience() {
        let pair = self.pair(claiming: Self.other, to: .peripheral, answers: false)
        var impatient = pair
        impatient.with(.peripheral) { $0.receive(SMPCommand.pairingRandom(Octets16(high: 1, low: 1)).encoded(), &$1) }
        #expect(impatient.report(.peripheral).errors == [.failed(.unspecifiedReason)])
        var late = pair
        late.wait(31)
        #expect(late.report(.peripheral).errors == [.userTimedOut] && late.peripheral.bond == nil)
        var broken = pair
        broken.with(.peripheral) { $0.answer(.passkey(Passkey(1)), &$1) }
        broken.breakLink()
        #expect(broken.report(.peripheral).errors == [.linkEnded] && broken.peripheral.bond == nil)
        #expect(broken.isWaiting(.peripheral), "the peer has begun to authenticate itself")
    }

    @Test(
        "accepts a new identity with a private address without a question",
        arguments: [Side.central, .peripheral]
    )
    func free(_ side: Side) {
        let pair = self.pair(claiming: Self.peer, to: side)
        #expect(pair.report(side).questions == [])
        #expect(pair.report(side).paired?.identityAddress == Self.peer.address)
        #expect(pair.report(side.other).paired?.identityAddress == Self.own.address)
    }

    @Test(
        "identity theft: a device with a public or static address gets no other identity, and keeps its bond",
        arguments: [Side.central, .peripheral]
    )
    func otherThanOwn(_ side: Side) {
        let pair = self.pair(claiming: Self.other, to: side, areHidden: false)
        #expect(pair.report(side).questions == [] && pair.report(side).errors == [])
        #expect(pair.report(side).paired?.identityAddress == pair.manager(side).peerAddress)
        #expect(pair.report(side).paired?.peer.identity == nil)
    }

    @Test("identity theft: a device with the key of a bonded one keeps the identity by which it was recognized")
    func recognized() {
        var bond = SecurityManagerTests.bond(.encrypted)
        bond.peerAddress = SecurityManagerPair.hiddenPeripheralAddress
        bond.peer.identity = Self.other
        var pair = SecurityManagerPair(
            central: PairingConfiguration(identity: Self.own),
            peripheral: PairingConfiguration(identity: Self.identity(9, key: 3)),
            centralBond: bond,
            areHidden: true
        )
        pair.with(.central) { $1.identities = Self.known() }
        pair.pair()
        #expect(pair.report(.central).errors == [] && pair.report(.central).isBonded == true)
        #expect(pair.report(.central).paired?.peer.identity == Self.other)
    }

    @Test(
        "identity theft: accepts only public and static random addresses as identity addresses",
        arguments: [
            (0x0000_0000_0000, .public), (0xFFFF_FFFF_FFFF, .public), (0xFFFF_FFFF_FFFF, .random),
            (0xC000_0000_0000, .random), (0x4000_0000_0001, .random), (0x0000_0000_0001, .random),
            (0x8000_0000_0001, .random),
        ] as [(UInt64, DeviceAddress.Kind)]
    )
    func noIdentity(value: UInt64, kind: DeviceAddress.Kind) {
        let address = DeviceAddress(value, kind: kind)
        let identity = IdentityInformation(identityResolvingKey: Octets16(high: 1, low: 60), address: address)
        let pair = self.pair(claiming: identity, to: .central)
        #expect(pair.report(.central).errors == [.failed(.invalidParameters)] && pair.central.bond == nil)
    }

    @Test(
        "bonds with devices that distribute the same key, and resolves addresses to the first one only",
        arguments: [true, false]
    )
    func constantKey(areHidden: Bool) throws {
        let address = areHidden ? Self.identity(9).address : SecurityManagerPair.peripheralAddress
        let identity = IdentityInformation(identityResolvingKey: Octets16(high: 1, low: 3), address: address)
        let pair = self.pair(claiming: identity, to: .central, areHidden: areHidden)
        #expect(pair.report(.central).errors == [] && pair.report(.central).questions == [])
        let bond = try #require(pair.report(.central).paired)
        #expect(bond.identityAddress == address && bond.peer.identity?.identityResolvingKey == .zero)
        let identities = PeerIdentities([BondedPeer(Self.other), BondedPeer(bond)])
        #expect(identities.resolvable == [Self.other])
    }
}
