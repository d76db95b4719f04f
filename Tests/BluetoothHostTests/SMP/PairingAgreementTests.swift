// Phase 1 of pairing (Vol 3, Part H, 2.3 and 3.5): what a device offers, what it answers, and what of two features is
// refused.

import BluetoothTypes
import Fixtures
import Testing

@testable import BluetoothHost

@Suite("Pairing: agreement")
struct PairingAgreementTests {
    private static let just = PairingConfiguration()

    /// Why two features give no pairing; `nil` where they do.
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

    // MARK: What is offered

    @Test("A pairing has to give what is asked for and what the device wants of all, whichever is more")
    func leastLevel() {
        let levels: [SecurityLevel] = [.none, .encrypted, .authenticated, .secureConnections]
        for (index, required) in levels.enumerated() {
            for (otherIndex, minimum) in levels.enumerated() {
                var configuration = Self.just
                configuration.minimumLevel = minimum
                let parameters = PairingParameters(configuration, requiredLevel: required)
                #expect(parameters.leastLevel == levels[max(index, otherIndex)])
                #expect(parameters.authentication.contains(.mitm) == (max(index, otherIndex) >= 2))
            }
        }
    }

    @Test("Secure Connections Only mode asks for Secure Connections and for protection, whatever else is configured")
    func secureConnectionsOnly() {
        var configuration = Self.just
        configuration.isSecureConnectionsOnly = true
        configuration.supportsSecureConnections = false
        let outOfBand = OutOfBandData(temporaryKey: Octets16(high: 0, low: 1))
        let parameters = PairingParameters(configuration, isCentral: true, outOfBand: outOfBand)
        #expect(parameters.leastLevel == .secureConnections)
        #expect(parameters.authentication.rawValue == 0x0D)
    }

    @Test("Each bit of AuthReq has a cause of its own")
    func authentication() {
        var configuration = Self.just
        configuration.isBondable = false
        configuration.supportsSecureConnections = false
        #expect(PairingParameters(configuration).authentication.rawValue == 0x00)
        configuration.usesKeypressNotifications = true
        #expect(PairingParameters(configuration).authentication.rawValue == 0x10)
        configuration.prefersMITMProtection = true
        #expect(PairingParameters(configuration).authentication.rawValue == 0x14)
        configuration.supportsSecureConnections = true
        #expect(PairingParameters(configuration).authentication.rawValue == 0x1C)
        configuration.isBondable = true
        #expect(PairingParameters(configuration).authentication.rawValue == 0x1D)
    }

    @Test("A wish of the peer for protection is followed, one for encryption alone changes nothing")
    func preferring() {
        let parameters = PairingParameters(Self.just)
        #expect(parameters.preferring(.encrypted).authentication == parameters.authentication)
        for level in [SecurityLevel.authenticated, .secureConnections] {
            let preferred = parameters.preferring(level)
            #expect(preferred.authentication.rawValue == 0x0D)
            #expect(preferred.leastLevel == .encrypted)
        }
    }

    @Test("An initiator that has a temporary key and no other data of the peer offers legacy pairing")
    func temporaryKeyAlone() {
        let key = "tk E1609DF73F647D7BA2523110AE904951"
        let data = "oob 2CBC9EFDB71D980A759A40DD74D39866 376CFCD7AA12B82DE15EEC1F2301088E"
        for (lines, request) in [
            (key, "01 03 01 01 10 01 03"), ("\(key) \n \(data)", "01 03 01 09 10 01 03"),
            (data, "01 03 01 09 10 01 03"), ("cancel", "01 03 00 09 10 01 03"),
        ] {
            SecurityManagerScript.run(isCentral: true, Self.just, "\(lines) \n pair encrypted \n < \(request)")
        }
    }

    @Test("A responder that has a temporary key answers each kind of pairing with the flag of the data for it")
    func temporaryKeyOfResponder() {
        let key = "tk E1609DF73F647D7BA2523110AE904951"
        for (request, response) in [
            ("01 03 00 09 10 00 00", "02 03 00 09 10 00 00"), ("01 03 01 01 10 00 00", "02 03 01 09 10 00 00"),
        ] {
            SecurityManagerScript.run(isCentral: false, Self.just, "\(key) \n > \(request) \n < \(response)")
        }
    }

    @Test("A responder distributes no identity that it does not have, and takes that of the initiator")
    func noIdentity() {
        var configuration = Self.just
        configuration.supportsSecureConnections = false
        SecurityManagerScript.run(
            isCentral: false,
            configuration,
            """
            > 01 03 00 01 10 0F 0F
            < 02 03 00 01 10 03 01
            """
        )
        configuration.identity = PairingCase.peripheralIdentity
        SecurityManagerScript.run(
            isCentral: false,
            configuration,
            """
            > 01 03 00 01 10 0F 0F
            < 02 03 00 01 10 03 03
            """
        )
    }

    // MARK: What is agreed on

    @Test(
        "A response with a key that the request does not have is refused, of either side",
        arguments: ["02 00", "01 04"]
    )
    func keysThatWereNotAskedFor(keys: String) {
        SecurityManagerScript.run(
            isCentral: true,
            Self.just,
            """
            pair encrypted
            < 01 03 00 09 10 01 03
            > 02 03 00 09 10 \(keys)
            < 05 0A
            ? failed 0A
            """
        )
    }

    @Test("The keys of Secure Connections hold no long term key, and no kind of pairing a link key")
    func distributedKeys() throws {
        for isSecureConnections in [false, true] {
            var request = AssociationModelTests.features(
                .noInputNoOutput,
                oob: false,
                mitm: false,
                secureConnections: isSecureConnections
            )
            request.initiatorKeys = KeyDistribution(rawValue: 0x0F)
            request.responderKeys = KeyDistribution(rawValue: 0x0D)
            let agreement = try PairingAgreement(request: request, response: request, PairingParameters(Self.just))
            #expect(agreement.initiatorKeys.rawValue == (isSecureConnections ? 0x06 : 0x07))
            #expect(agreement.responderKeys.rawValue == (isSecureConnections ? 0x04 : 0x05))
        }
    }

    @Test("Out-of-band data that the responder says it has of an initiator which has given none")
    func outOfBandNotAvailable() {
        SecurityManagerScript.run(
            isCentral: true,
            Self.just,
            """
            pair encrypted
            < 01 03 00 09 10 01 03
            > 02 03 01 09 10 00 00
            < 05 02
            ? failed 02
            """
        )
    }

    @Test("An initiator that has data for Secure Connections alone has none for a responder without them")
    func outOfBandOfTheOtherKind() {
        SecurityManagerScript.run(
            isCentral: true,
            Self.just,
            """
            oob 2CBC9EFDB71D980A759A40DD74D39866 376CFCD7AA12B82DE15EEC1F2301088E
            pair encrypted
            < 01 03 01 09 10 01 03
            > 02 03 01 01 10 00 00
            < 05 02
            ? failed 02
            """
        )
    }

    @Test("Keys are replaced by others that are no weaker in anything", arguments: 0..<16)
    func weakerKeys(bits: Int) {
        let bit = { (index: Int) in bits >> index & 1 == 1 }
        var existing = SecurityManagerTests.bond(.encrypted)
        existing.isSecureConnections = bit(0)
        existing.isAuthenticated = bit(1)
        // DisplayOnly and KeyboardOnly: Passkey Entry where it is asked for, Just Works elsewhere.
        let request = AssociationModelTests.features(.displayOnly, oob: false, mitm: bit(3), secureConnections: bit(2))
        let response = AssociationModelTests.features(
            .keyboardOnly,
            oob: false,
            mitm: false,
            secureConnections: bit(2)
        )
        let isWeaker = bit(0) && !bit(2) || bit(1) && !bit(3)
        let reason: PairingFailedReason? = isWeaker ? .authenticationRequirements : nil
        #expect(Self.refusal(request, response, PairingParameters(Self.just, existing: existing)) == reason)
    }

    @Test("A key is not replaced by a shorter one", arguments: [(7, 7), (7, 8), (8, 7), (15, 16), (16, 15), (16, 16)])
    func shorterKeys(existing: Int, size: Int) {
        var configuration = Self.just
        configuration.minimumKeySize = 7
        var features = AssociationModelTests.features(
            .noInputNoOutput,
            oob: false,
            mitm: false,
            secureConnections: true
        )
        features.maximumKeySize = size
        let parameters = PairingParameters(
            configuration,
            existing: SecurityManagerTests.bond(.encrypted, keySize: existing)
        )
        let reason: PairingFailedReason? = size < existing ? .encryptionKeySize : nil
        #expect(Self.refusal(features, features, parameters) == reason)
    }

    @Test("Level 4 needs Secure Connections, protection and 16 octets")
    func levelFour() {
        var configuration = Self.just
        configuration.minimumKeySize = 7
        let parameters = PairingParameters(configuration, requiredLevel: .secureConnections)
        for (isSecureConnections, mitm, size, reason) in [
            (true, true, 16, nil), (true, true, 15, .encryptionKeySize), (true, false, 16, .authenticationRequirements),
            (false, true, 16, .authenticationRequirements),
        ] as [(Bool, Bool, Int, PairingFailedReason?)] {
            var features = AssociationModelTests.features(
                .keyboardOnly,
                oob: false,
                mitm: mitm,
                secureConnections: isSecureConnections
            )
            features.maximumKeySize = size
            #expect(Self.refusal(features, features, parameters) == reason)
        }
    }

    @Test("Level 3 needs protection, and takes any size that the device takes")
    func levelThree() {
        var configuration = Self.just
        configuration.minimumKeySize = 7
        let parameters = PairingParameters(configuration, requiredLevel: .authenticated)
        for (mitm, size, reason) in [
            (true, 7, nil), (true, 16, nil), (false, 16, .authenticationRequirements),
        ] as [(Bool, Int, PairingFailedReason?)] {
            var features = AssociationModelTests.features(
                .keyboardOnly,
                oob: false,
                mitm: mitm,
                secureConnections: false
            )
            features.maximumKeySize = size
            #expect(Self.refusal(features, features, parameters) == reason)
        }
    }
}
