import BluetoothTypes
import Fixtures
import Testing

@testable import BluetoothHost

/// One way to pair.
struct PairingCase: CustomTestStringConvertible, Sendable {
    var central: IOCapability
    var peripheral: IOCapability
    var isSecureConnections: Bool
    /// Whether the central, the peripheral have data of the other one.
    var outOfBand: (central: Bool, peripheral: Bool) = (false, false)

    var testDescription: String {
        "\(self.central)-\(self.peripheral), \(self.isSecureConnections ? "Secure Connections" : "legacy")"
            + (self.outOfBand.central ? ", OOB at the central" : "")
            + (self.outOfBand.peripheral ? ", OOB at the peripheral" : "")
    }

    /// Every pair of IO capabilities with both kinds of pairing, and out-of-band data at one side or both.
    static let all: [PairingCase] =
        [false, true].flatMap { isSecureConnections in
            IOCapability.allCases.flatMap { central in
                IOCapability.allCases.map {
                    PairingCase(central: central, peripheral: $0, isSecureConnections: isSecureConnections)
                }
            }
        }
        + [(true, true), (true, false), (false, true)].flatMap { outOfBand in
            [false, true].map {
                PairingCase(
                    central: .noInputNoOutput,
                    peripheral: .displayOnly,
                    isSecureConnections: $0,
                    outOfBand: outOfBand
                )
            }
        }

    /// One of each association model with each kind of pairing.
    static let models: [PairingCase] =
        [
            (.noInputNoOutput, .noInputNoOutput), (.displayYesNo, .displayYesNo), (.displayOnly, .keyboardOnly),
            (.keyboardOnly, .displayOnly), (.keyboardOnly, .keyboardOnly),
        ].flatMap { central, peripheral in
            [false, true].map { PairingCase(central: central, peripheral: peripheral, isSecureConnections: $0) }
        } + Self.all.suffix(6)

    static let centralIdentity = IdentityInformation(
        identityResolvingKey: octets16("000102030405060708090A0B0C0D0E0F"),
        address: SecurityManagerPair.centralAddress
    )
    static let peripheralIdentity = IdentityInformation(
        identityResolvingKey: octets16("F0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF"),
        address: SecurityManagerPair.peripheralAddress
    )

    func configuration(_ capability: IOCapability, _ identity: IdentityInformation) -> PairingConfiguration {
        PairingConfiguration(
            ioCapability: capability,
            prefersMITMProtection: true,
            supportsSecureConnections: self.isSecureConnections,
            initiatorKeys: [.encryptionKey, .identityKey, .signingKey],
            responderKeys: [.encryptionKey, .identityKey, .signingKey],
            identity: identity
        )
    }

    func pair(seed: UInt64 = 1) -> SecurityManagerPair {
        var pair = SecurityManagerPair(
            central: self.configuration(self.central, Self.centralIdentity),
            peripheral: self.configuration(self.peripheral, Self.peripheralIdentity),
            seed: seed
        )
        var generator = SeededGenerator(seed: seed &+ 1_000)
        let (central, peripheral) = (
            LocalOutOfBandData(using: &generator), LocalOutOfBandData(using: &generator)
        )
        let temporaryKey = Octets16.random(using: &generator)
        pair.central.outOfBand.local = central
        pair.peripheral.outOfBand.local = peripheral
        if self.outOfBand.central {
            pair.central.outOfBand.temporaryKey = self.isSecureConnections ? nil : temporaryKey
            pair.central.outOfBand.peer = self.isSecureConnections ? peripheral.shared : nil
        }
        if self.outOfBand.peripheral {
            pair.peripheral.outOfBand.temporaryKey = self.isSecureConnections ? nil : temporaryKey
            pair.peripheral.outOfBand.peer = self.isSecureConnections ? central.shared : nil
        }
        return pair
    }

    /// The model of the specification's tables.
    var expectedModel: AssociationModel {
        func name(_ capability: IOCapability) -> String {
            AssociationModelTests.capabilities.first { $0.1 == capability }?.0 ?? ""
        }
        return AssociationModelTests.expected(
            initiator: (name(self.central), self.outOfBand.central, true),
            responder: (name(self.peripheral), self.outOfBand.peripheral, true),
            isSecureConnections: self.isSecureConnections
        )
    }
}

/// The kind of a pairing whose users enter a passkey, in scripts.
enum PairingKind: CaseIterable {
    case legacy
    case secureConnections

    /// AuthReq with bonding and protection; with the Keypress bit, too.
    var authReq: String { self == .legacy ? "05" : "0D" }
    var authReqWithKeypress: String { self == .legacy ? "15" : "1D" }

    /// The setting of scripts.
    var setting: String { self == .legacy ? "legacy" : "" }

    func configuration(_ ioCapability: IOCapability, usesKeypresses: Bool = false) -> PairingConfiguration {
        PairingConfiguration(
            ioCapability: ioCapability,
            prefersMITMProtection: true,
            supportsSecureConnections: self == .secureConnections,
            usesKeypressNotifications: usesKeypresses,
            initiatorKeys: [],
            responderKeys: []
        )
    }

    /// The public keys, which legacy pairing does not have.
    func keys(asCentral isCentral: Bool) -> String {
        let (own, tester) = ("< 0C \(SecurityManagerScript.ownKey)", "> 0C \(SecurityManagerScript.testerKey)")
        return self == .legacy ? "" : isCentral ? "\(own) \n \(tester)" : "\(tester) \n \(own)"
    }
}
