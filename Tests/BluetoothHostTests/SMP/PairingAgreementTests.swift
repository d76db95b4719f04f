// Phase 1 of pairing (Vol 3, Part H, 2.3 and 3.5): the features that a device offers and answers, and those that it
// rejects.

import BluetoothTypes
import Fixtures
import Testing

@testable import BluetoothHost

@Suite("Pairing: agreement")
struct PairingAgreementTests {
    private static let just = PairingConfiguration()

    private static func features(
        mitm: Bool = false,
        secureConnections: Bool = false,
        size: Int = 16
    ) -> PairingFeatures {
        AssociationModelTests.features(.keyboardOnly, mitm: mitm, secureConnections: secureConnections, keySize: size)
    }

    /// Why a pairing with two features is refused; `nil` if it is not.
    private static func refusal(
        _ request: PairingFeatures,
        _ response: PairingFeatures,
        _ parameters: PairingParameters
    ) -> PairingFailedReason? {
        do throws(PairingFailedReason) {
            _ = try PairingAgreement(request: request, response: response, parameters)
            return nil
        } catch {
            return error
        }
    }

    // MARK: Offering

    @Test("requires the higher one of the requested and the configured minimum level")
    func leastLevel() {
        let levels = SecurityLevel.allCases
        for (index, required) in levels.enumerated() {
            for (otherIndex, minimum) in levels.enumerated() {
                let configuration = PairingConfiguration(minimumLevel: minimum)
                let parameters = PairingParameters(configuration, requiredLevel: required)
                #expect(parameters.leastLevel == levels[max(index, otherIndex)])
                #expect(parameters.authentication.contains(.mitm) == (parameters.leastLevel >= .authenticated))
            }
        }
    }

    @Test("requires Secure Connections and protection in Secure Connections Only mode, whatever else is configured")
    func secureConnectionsOnly() {
        let configuration = PairingConfiguration(supportsSecureConnections: false, isSecureConnectionsOnly: true)
        let outOfBand = OutOfBandData(temporaryKey: Octets16(high: 0, low: 1))
        let parameters = PairingParameters(configuration, isCentral: true, outOfBand: outOfBand)
        #expect(parameters.leastLevel == .secureConnections)
        #expect(parameters.authentication.rawValue == 0x0D)
    }

    @Test(
        "sets each bit of AuthReq for its own reason",
        arguments: [
            (\.isBondable, 0x01), (\.prefersMITMProtection, 0x04), (\.supportsSecureConnections, 0x08),
            (\.usesKeypressNotifications, 0x10),
        ] as [(WritableKeyPath<PairingConfiguration, Bool> & Sendable, UInt8)]
    )
    func authentication(cause: WritableKeyPath<PairingConfiguration, Bool> & Sendable, octet: UInt8) {
        var configuration = PairingConfiguration(isBondable: false, supportsSecureConnections: false)
        #expect(PairingParameters(configuration).authentication.rawValue == 0x00)
        configuration[keyPath: cause] = true
        #expect(PairingParameters(configuration).authentication.rawValue == octet)
    }

    @Test("offers protection at the peer's request, without requiring it")
    func preferring() {
        let parameters = PairingParameters(Self.just)
        #expect(parameters.preferring(.encrypted).authentication == parameters.authentication)
        for level in [SecurityLevel.authenticated, .secureConnections] {
            let preferred = parameters.preferring(level)
            #expect(preferred.authentication.rawValue == 0x0D && preferred.leastLevel == .encrypted)
        }
    }

    @Test("reads bonding from the two bits of AuthReq (3.5.1)", arguments: 0..<8 as Range<UInt8>)
    func bonding(bits: UInt8) {
        #expect(AuthenticationRequirements(rawValue: bits).isBonding == (bits == 1 || bits == 5))
    }

    private static let temporaryKey = "tk E1609DF73F647D7BA2523110AE904951"
    private static let peersData = SecurityManagerCentralTests.testersData

    @Test(
        "offers and answers with features that the device has and the other side accepts",
        arguments: [
            // An initiator with only a temporary key offers legacy pairing.
            ("central", "\(temporaryKey) \n pair encrypted \n < 01 03 01 01 10 01 03"),
            ("central", "\(temporaryKey) \n \(peersData) \n pair encrypted \n < 01 03 01 09 10 01 03"),
            ("central", "\(peersData) \n pair encrypted \n < 01 03 01 09 10 01 03"),
            // A responder sets the flag of the out-of-band data for the kind of pairing.
            ("peripheral", "\(temporaryKey) \n > 01 03 00 09 10 00 00 \n < 02 03 00 09 10 00 00"),
            ("peripheral", "\(temporaryKey) \n > 01 03 01 01 10 00 00 \n < 02 03 01 09 10 00 00"),
            // Without an identity there is none to distribute.
            ("peripheral legacy", "> 01 03 00 01 10 0F 0F \n < 02 03 00 01 10 03 01"),
            ("peripheral legacy identity", "> 01 03 00 01 10 0F 0F \n < 02 03 00 01 10 03 03"),
            // A side without bonding, which includes reserved values, neither sends nor requests keys.
            ("peripheral identity", "> 01 03 00 08 10 0F 0F \n < 02 03 00 09 10 00 00"),
            ("peripheral identity", "> 01 03 00 00 10 0F 0F \n < 02 03 00 09 10 00 00"),
            ("peripheral identity", "> 01 03 00 03 10 0F 0F \n < 02 03 00 09 10 00 00"),
            // A BR/EDR link key is neither offered nor derived.
            ("peripheral", "> 01 03 00 29 10 0F 0F \n < 02 03 00 09 10 02 00"),
            ("central keys=98", "pair encrypted \n < 01 03 00 09 10 01 00"),
        ] as [(String, String)]
    )
    func features(settings: String, steps: String) { runSecurityManager(settings, steps) }

    private static let request = "pair encrypted \n < 01 03 00 09 10 01 03 \n > 02 03"

    @Test(
        "rejects features that contradict the request or the available data",
        arguments: [
            // A key that the request does not have.
            ("central", "\(request) 00 09 10 02 00 \n < 05 0A \n ? failed 0A"),
            ("central", "\(request) 00 09 10 01 04 \n < 05 0A \n ? failed 0A"),
            ("central", "\(request) 00 09 10 09 00 \n < 05 0A \n ? failed 0A"),
            // Out-of-band data that was not given, or that the other kind of pairing needs.
            ("central", "\(request) 01 09 10 00 00 \n < 05 02 \n ? failed 02"),
            ("peripheral", "> 01 03 01 09 10 00 00 \n < 05 02 \n ? failed 02"),
            (
                "central",
                """
                \(peersData)
                pair encrypted
                < 01 03 01 09 10 01 03
                > 02 03 01 01 10 00 00
                < 05 02
                ? failed 02
                """
            ),
        ] as [(String, String)]
    )
    func contradictions(settings: String, steps: String) { runSecurityManager(settings, steps) }

    // MARK: Agreeing

    @Test("distributes no long term key with Secure Connections, and no link key", arguments: [false, true])
    func distributedKeys(isSecureConnections: Bool) throws {
        var request = AssociationModelTests.features(secureConnections: isSecureConnections)
        request.initiatorKeys = KeyDistribution(rawValue: 0x0F)
        request.responderKeys = KeyDistribution(rawValue: 0x0D)
        let agreement = try PairingAgreement(request: request, response: request, PairingParameters(Self.just))
        #expect(agreement.initiatorKeys.rawValue == (isSecureConnections ? 0x06 : 0x07))
        #expect(agreement.responderKeys.rawValue == (isSecureConnections ? 0x04 : 0x05))
    }

    @Test("replaces keys only by others that are not weaker in any respect", arguments: 0..<16)
    func weakerKeys(bits: Int) {
        let bit = { (index: Int) in bits >> index & 1 == 1 }
        var existing = SecurityManagerTests.bond(.encrypted)
        existing.isSecureConnections = bit(0)
        existing.isAuthenticated = bit(1)
        // DisplayOnly and KeyboardOnly: Passkey Entry if protection is requested, otherwise Just Works.
        let request = AssociationModelTests.features(.displayOnly, mitm: bit(3), secureConnections: bit(2))
        let isWeaker = bit(0) && !bit(2) || bit(1) && !bit(3)
        let reason: PairingFailedReason? = isWeaker ? .authenticationRequirements : nil
        let parameters = PairingParameters(Self.just, existing: existing)
        #expect(Self.refusal(request, Self.features(secureConnections: bit(2)), parameters) == reason)
    }

    @Test("replaces no key by a shorter one", arguments: [(7, 7), (7, 8), (8, 7), (15, 16), (16, 15), (16, 16)])
    func shorterKeys(existing: Int, size: Int) {
        let features = Self.features(secureConnections: true, size: size)
        let parameters = PairingParameters(
            PairingConfiguration(minimumKeySize: 7),
            existing: SecurityManagerTests.bond(.encrypted, keySize: existing)
        )
        #expect(Self.refusal(features, features, parameters) == (size < existing ? .encryptionKeySize : nil))
    }

    @Test(
        "reaches level 4 with Secure Connections, protection and 16 octets, level 3 with protection",
        arguments: [
            (.secureConnections, true, true, 16, nil), (.secureConnections, true, true, 15, .encryptionKeySize),
            (.secureConnections, true, false, 16, .authenticationRequirements),
            (.secureConnections, false, true, 16, .authenticationRequirements),
            (.authenticated, false, true, 7, nil), (.authenticated, false, true, 16, nil),
            (.authenticated, false, false, 16, .authenticationRequirements),
        ] as [(SecurityLevel, Bool, Bool, Int, PairingFailedReason?)]
    )
    func levels(level: SecurityLevel, isSecure: Bool, mitm: Bool, size: Int, reason: PairingFailedReason?) {
        let features = Self.features(mitm: mitm, secureConnections: isSecure, size: size)
        let parameters = PairingParameters(PairingConfiguration(minimumKeySize: 7), requiredLevel: level)
        #expect(Self.refusal(features, features, parameters) == reason)
    }
}
