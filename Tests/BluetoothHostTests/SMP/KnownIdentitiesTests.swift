// The identities that a peer may claim, by themselves and in pairings.

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

    private static let known = KnownIdentities(
        address: own.address,
        key: own.identityResolvingKey,
        peers: [other, identity(4, key: 0)]
    )

    @Test("finds a new identity free, that of a bond the user's decision, and an own one taken")
    func claims() {
        let known = Self.known
        #expect(known.claim(of: Self.peer, existing: nil) == .free)
        #expect(known.claim(of: Self.identity(5, key: 0), existing: nil) == .free, "two peers without keys")
        #expect(known.claim(of: Self.other, existing: nil) == .bonded)
        #expect(known.claim(of: Self.identity(3, key: 99), existing: nil) == .bonded)
        #expect(known.claim(of: Self.identity(4), existing: nil) == .bonded)
        #expect(known.claim(of: Self.own, existing: nil) == .taken)
        #expect(known.claim(of: Self.identity(1, key: 99), existing: nil) == .taken, "the own address")
        #expect(known.claim(of: Self.identity(2, key: 1), existing: nil) == .taken, "the own key")
        #expect(known.claim(of: Self.identity(2, key: 3), existing: nil) == .taken, "the key of another bond")
    }

    @Test("lets a peer that was recognized keep its own identity")
    func existing() {
        var bond = SecurityManagerTests.bond(.encrypted)
        bond.peer.identity = Self.other
        #expect(Self.known.claim(of: Self.other, existing: bond) == .free)
        #expect(Self.known.claim(of: Self.identity(3, key: 99), existing: bond) == .free)
        #expect(Self.known.claim(of: Self.identity(4), existing: bond) == .bonded)
    }

    @Test("takes an address that a controller has resolved for the identity address")
    func resolvedAddresses() {
        let key = Octets16(high: 1, low: 2)
        let resolved = DeviceAddress(0xC0DE_0000_0001, kind: .randomIdentity)
        let plain = DeviceAddress(0xC0DE_0000_0001, kind: .random)
        let claimed = IdentityInformation(identityResolvingKey: key, address: plain)
        let resolvedClaim = IdentityInformation(identityResolvingKey: key, address: resolved)
        var known = KnownIdentities(address: plain, key: nil, peers: [])
        #expect(known.claim(of: resolvedClaim, existing: nil) == .taken)
        known = KnownIdentities(address: nil, key: nil, peers: [claimed])
        #expect(known.claim(of: resolvedClaim, existing: nil) == .bonded)
        // A bond of a peer that was known by such an address.
        var bond = SecurityManagerTests.bond(.encrypted)
        bond.peerAddress = resolved
        #expect(known.claim(of: claimed, existing: nil) == .bonded)
        #expect(known.claim(of: claimed, existing: bond) == .free)
        // An address of the other kind is another one.
        let other = IdentityInformation(
            identityResolvingKey: .zero,
            address: DeviceAddress(0xC0DE_0000_0001, kind: .public)
        )
        #expect(known.claim(of: other, existing: bond) == .free)
        known.address = plain
        #expect(known.claim(of: other, existing: bond) == .free)
    }

    /// A pairing in which one side claims an identity and the other side has bonds.
    private func pair(
        claiming identity: IdentityInformation,
        to side: Side,
        consent: PairingConsentPolicy = .whenReplacingBond,
        answers: Bool = true
    ) -> SecurityManagerPair {
        let claiming = PairingConfiguration(identity: identity)
        let deciding = PairingConfiguration(identity: Self.own, consent: consent)
        var pair = SecurityManagerPair(
            central: side == .central ? deciding : claiming,
            peripheral: side == .central ? claiming : deciding
        )
        pair.answers = answers
        pair.with(side) { $1.identities = Self.known }
        pair.pair()
        return pair
    }

    @Test(
        "identity theft: asks the user if a peer claims the identity address of another bond",
        arguments: [Side.central, .peripheral]
    )
    func theft(_ side: Side) throws {
        // With another key, and with the bond's key, which its owner's other peers know, too.
        for identity in [Self.identity(3, key: 99), Self.other] {
            var pair = self.pair(claiming: identity, to: side, answers: false)
            guard case .consent(let question)? = pair.report(side).questions.last else {
                return #expect(Bool(false), "nobody is asked")
            }
            #expect(question.replacesBond && pair.report(side).paired == nil)
            pair.with(side) { $0.answer(.consent(false), &$1) }
            pair.run()
            #expect(pair.report(side).errors == [.failed(.keyRejected)])
            #expect(pair.report(side).paired == nil && pair.manager(side).bond == nil)
            #expect(pair.report(side.other).errors == [.failedByPeer(.keyRejected)])
            #expect(pair.manager(side.other).bond == nil, "it hears that its keys are of no use")

            var consented = self.pair(claiming: identity, to: side, answers: false)
            consented.with(side) { $0.answer(.consent(true), &$1) }
            consented.run()
            #expect(consented.report(side).paired?.peer.identity == identity)
            #expect(consented.report(side).isBonded == true && consented.report(side).errors == [])
        }
    }

    @Test(
        "identity theft: keeps the bond if the user is never asked",
        arguments: [Side.central, .peripheral]
    )
    func theftWithoutUser(_ side: Side) {
        let pair = self.pair(claiming: Self.identity(3, key: 99), to: side, consent: .never)
        #expect(pair.report(side).questions == [])
        #expect(pair.report(side).errors == [.failed(.keyRejected)] && pair.manager(side).bond == nil)
    }

    @Test(
        "identity theft: rejects the device's own identity and the key of another bond",
        arguments: [Side.central, .peripheral]
    )
    func taken(_ side: Side) {
        for identity in [Self.own, Self.identity(1, key: 99), Self.identity(2, key: 1), Self.identity(2, key: 3)] {
            let pair = self.pair(claiming: identity, to: side)
            #expect(pair.report(side).questions == [], "the user cannot allow it")
            #expect(pair.report(side).errors == [.failed(.keyRejected)])
            #expect(pair.report(side).paired == nil && pair.manager(side).bond == nil)
            #expect(pair.manager(side.other).bond == nil)
        }
    }

    @Test("ends the question about another bond if the peer sends a command, after 30 s, or with the link")
    func impatience() {
        var pair = self.pair(claiming: Self.other, to: .peripheral, answers: false)
        pair.with(.peripheral) { $0.receive(SMPCommand.pairingRandom(Octets16(high: 1, low: 1)).encoded(), &$1) }
        #expect(pair.report(.peripheral).errors == [.failed(.unspecifiedReason)])
        var late = self.pair(claiming: Self.other, to: .peripheral, answers: false)
        late.wait(31)
        #expect(late.report(.peripheral).errors == [.timedOut])
        #expect(late.manager(.peripheral).bond == nil)
        var broken = self.pair(claiming: Self.other, to: .peripheral, answers: false)
        broken.with(.peripheral) { $0.answer(.passkey(Passkey(1)), &$1) }
        broken.breakLink()
        #expect(broken.report(.peripheral).errors == [.linkEnded] && broken.peripheral.bond == nil)
        #expect(broken.isWaiting(.peripheral), "the peer has begun to authenticate itself")
    }

    @Test("takes a new identity without a question", arguments: [Side.central, .peripheral])
    func free(_ side: Side) {
        let pair = self.pair(claiming: Self.peer, to: side)
        #expect(pair.report(side).questions == [])
        #expect(pair.report(side).paired?.identityAddress == Self.peer.address)
        #expect(pair.report(side.other).paired?.identityAddress == Self.own.address)
    }
}
