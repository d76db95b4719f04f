// Values of pairing at their edges: keys that are cut, hashes of addresses, passkeys, identities as a controller has
// resolved them, and what a link is encrypted with (Vol 3, Part H, 2.2, 2.3.4 and 3.6.5).

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Pairing: values at their edges")
struct SecurityValuesTests {
    @Test("A key of no octets is zero, and one of more than it has is whole")
    func masking() {
        let key = octets16("FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF")
        #expect(key.masked(toOctets: 0) == .zero)
        #expect(key.masked(toOctets: 1) == octets16("000000000000000000000000000000FF"))
        #expect(key.masked(toOctets: 17) == key)
    }

    @Test("The hash of a private address is made of 24 bits, and has 24")
    func addressHash() {
        #expect(SecurityToolbox.ah(SampleData.key, 0xFF70_8194) == 0x0DFBAA)
        for r: UInt32 in 0..<64 { #expect(SecurityToolbox.ah(SampleData.key, r) <= 0xFF_FFFF) }
    }

    @Test(
        "A number is shown by its last six digits, with leading zeros",
        arguments: [
            (0, "000000"), (7, "000007"), (99_999, "099999"), (999_999, "999999"), (1_000_000, "000000"),
            (4_294_967_295, "967295"),
        ] as [(UInt32, String)]
    )
    func comparedNumbers(number: UInt32, text: String) {
        #expect(Passkey(comparing: number).description == text)
    }

    @Test("A passkey has six digits at most")
    func passkeys() {
        #expect(Passkey(0)?.value == 0 && Passkey(999_999)?.value == 999_999)
        #expect(Passkey(1_000_000) == nil && Passkey(.max) == nil)
    }

    @Test("An address that a controller has resolved is the one that it stands for")
    func resolvedAddresses() {
        let key = Octets16(high: 1, low: 2)
        let resolved = DeviceAddress(0xC0DE_0000_0001, kind: .randomIdentity)
        let plain = DeviceAddress(0xC0DE_0000_0001, kind: .random)
        let claimed = IdentityInformation(identityResolvingKey: key, address: plain)
        // A claim by such an address.
        let resolvedClaim = IdentityInformation(identityResolvingKey: key, address: resolved)
        var known = KnownIdentities(address: plain, key: nil, peers: [])
        #expect(known.claim(of: resolvedClaim, existing: nil) == .taken)
        known = KnownIdentities(address: nil, key: nil, peers: [claimed])
        #expect(known.claim(of: resolvedClaim, existing: nil) == .bonded)
        // A bond of a peer that was known by such an address.
        let bond = Bond(
            peerAddress: resolved,
            keySize: 16,
            isAuthenticated: false,
            isSecureConnections: true,
            local: PairingKeys(),
            peer: PairingKeys()
        )
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

    @Test("Encryption that fails while another key is in use leaves that key in use")
    func encryptionBefore() {
        let old = LinkSecurity.Key(isAuthenticated: false, isSecureConnections: true)
        let new = LinkSecurity.Key(isAuthenticated: true, isSecureConnections: true)
        #expect(old.size == 16)
        var encryption = LinkEncryption()
        encryption.start(old)
        #expect(encryption.inUse == nil && encryption.starting == old)
        let first = encryption.changed(.success, isEnabled: true)
        #expect(first == .started && encryption.inUse == old && encryption.starting == nil)
        encryption.start(new)
        #expect(encryption.inUse == old && encryption.starting == new)
        let failed = encryption.changed(.pinOrKeyMissing, isEnabled: true)
        #expect(failed == .failed && encryption.inUse == old && encryption.starting == nil)
        // A failure that was not waited for, and a refreshed key, are nothing new.
        let stray = encryption.changed(.pinOrKeyMissing, isEnabled: false)
        let refreshed = encryption.changed(.success, isEnabled: true)
        #expect(stray == .none && refreshed == .none && encryption.inUse == old)
        encryption.start(new)
        let disabled = encryption.changed(.success, isEnabled: false)
        #expect(disabled == .failed && encryption.inUse == nil && encryption.starting == nil)
        let unasked = encryption.changed(.success, isEnabled: true)
        #expect(unasked == .none && encryption.inUse == nil)
    }

    @Test("The bits of AuthReq and of the key distribution (3.5.1, 3.6.1), and the octets of the features")
    func bits() {
        let requirements: [AuthenticationRequirements] = [.bonding, .mitm, .secureConnections, .keypress, .ct2]
        #expect(requirements.map(\.rawValue) == [0x01, 0x04, 0x08, 0x10, 0x20])
        let keys: [KeyDistribution] = [.encryptionKey, .identityKey, .signingKey, .linkKey, .supported]
        #expect(keys.map(\.rawValue) == [0x01, 0x02, 0x04, 0x08, 0x07])
        #expect(PairingFeatures.keySizes == 7...16)
        #expect(SMPCommand.pairingRequest(SMPCommandTests.features).encoded().readableBytes == 7)
    }

    @Test("A request for bonding has the value 1 in two bits (3.5.1)", arguments: 0..<8 as Range<UInt8>)
    func bonding(bits: UInt8) {
        #expect(AuthenticationRequirements(rawValue: bits).isBonding == (bits == 1 || bits == 5))
    }

    @Test("The shortest waiting interval is not halved by quiet time, and is forgotten after twice its time")
    func quietAfterFirstFailure() {
        let peer = SecurityManagerPair.centralAddress
        for (quiet, next) in [(0, 2_000), (1_500, 2_000), (1_999, 2_000), (2_000, 1_000)] as [(Int64, Int64)] {
            var attempts = RepeatedAttempts()
            let start = NIODeadline.uptimeNanoseconds(0)
            attempts.failed(peer, now: start)
            #expect(attempts.isWaiting(peer, now: start + .milliseconds(999)))
            let now = start + .milliseconds(1_000 + quiet)
            #expect(!attempts.isWaiting(peer, now: now))
            attempts.failed(peer, now: now)
            #expect(attempts.isWaiting(peer, now: now + .milliseconds(next - 1)))
            #expect(!attempts.isWaiting(peer, now: now + .milliseconds(next)))
        }
    }
}
