// Phase 1 of pairing (Vol 3, Part H, 2.1, 2.3 and 3.5): the features in Pairing Request and Pairing Response, the
// association model that follows from them (2.3.5.1, tables 2.6, 2.7 and 2.8), and what the devices agree on.
//
// Both sides later confirm the octets of the features as they were sent, so reserved bits of a peer are kept and
// ignored. Features that would lead to a weaker key than this device requires are refused here.

import BluetoothTypes
import NIOCore

/// The input and output of a device (2.3.2).
public enum IOCapability: UInt8, Hashable, Sendable, CaseIterable {
    /// It can show six digits.
    case displayOnly = 0x00
    /// It can show six digits, and the user can answer yes or no.
    case displayYesNo = 0x01
    /// Six digits can be entered.
    case keyboardOnly = 0x02
    /// No output and no input.
    case noInputNoOutput = 0x03
    /// It can show six digits, and six digits can be entered.
    case keyboardDisplay = 0x04
}

/// `AuthReq`: the requirements of a device for a pairing (3.5.1).
package struct AuthenticationRequirements: OptionSet, Hashable, Sendable {
    /// The octet, with its reserved bits.
    package var rawValue: UInt8

    /// Requirements from their octet.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Bonding: the keys are stored (`Bonding_Flags` = 1).
    package static let bonding = AuthenticationRequirements(rawValue: 0x01)
    /// Protection against a man in the middle.
    package static let mitm = AuthenticationRequirements(rawValue: 0x04)
    /// LE Secure Connections.
    package static let secureConnections = AuthenticationRequirements(rawValue: 0x08)
    /// Keypress notifications while a passkey is entered.
    package static let keypress = AuthenticationRequirements(rawValue: 0x10)

    /// Whether the keys are stored: the other values of the two bits are reserved.
    var isBonding: Bool { self.rawValue & 0x03 == 0x01 }
}

/// The keys that a side distributes (3.6.1).
public struct KeyDistribution: OptionSet, Hashable, Sendable {
    /// The octet, with its reserved bits.
    public var rawValue: UInt8

    /// Keys from their octet.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The long term key, EDIV and Rand; in legacy pairing only.
    public static let encryptionKey = KeyDistribution(rawValue: 0x01)
    /// The identity resolving key and the identity address.
    public static let identityKey = KeyDistribution(rawValue: 0x02)
    /// The connection signature resolving key.
    package static let signingKey = KeyDistribution(rawValue: 0x04)

    /// The keys that this host distributes and accepts.
    static let supported: KeyDistribution = [.encryptionKey, .identityKey, .signingKey]
}

/// The parameters of Pairing Request and Pairing Response.
struct PairingFeatures: Hashable, Sendable {
    /// The input and output of the device.
    var ioCapability: IOCapability
    /// Whether it has out-of-band data of the other device.
    var hasOutOfBandData: Bool
    /// Its requirements.
    var authentication: AuthenticationRequirements
    /// The maximum encryption key size, 7 to 16 octets.
    var maximumKeySize: Int
    /// The keys that the initiator distributes.
    var initiatorKeys: KeyDistribution
    /// The keys that the responder distributes.
    var responderKeys: KeyDistribution

    /// AuthReq, OOB data flag and IO capability, as f6 takes them (2.2.8).
    var ioCapabilityOctets: [UInt8] {
        [self.authentication.rawValue, self.hasOutOfBandData ? 1 : 0, self.ioCapability.rawValue]
    }
}

extension PairingFeatures {
    /// Reads the parameters; a value out of its range is invalid.
    init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        guard let ioCapability = IOCapability(rawValue: try bytes.readLittleEndian("IO Capability")) else {
            throw MalformedBytes(.invalid, "IO Capability")
        }
        self.ioCapability = ioCapability
        switch try bytes.readLittleEndian("OOB Data Flag", as: UInt8.self) {
        case 0: self.hasOutOfBandData = false
        case 1: self.hasOutOfBandData = true
        default: throw MalformedBytes(.invalid, "OOB Data Flag")
        }
        self.authentication = AuthenticationRequirements(rawValue: try bytes.readLittleEndian("AuthReq"))
        self.maximumKeySize = Int(try bytes.readLittleEndian("Maximum Encryption Key Size", as: UInt8.self))
        guard SecurityRequirement.keySizes.contains(self.maximumKeySize) else {
            throw MalformedBytes(.invalid, "Maximum Encryption Key Size")
        }
        self.initiatorKeys = KeyDistribution(rawValue: try bytes.readLittleEndian("Initiator Key Distribution"))
        self.responderKeys = KeyDistribution(rawValue: try bytes.readLittleEndian("Responder Key Distribution"))
    }

    /// Writes the parameters.
    func encode(into bytes: inout ByteBuffer) {
        bytes.writeMultipleIntegers(
            self.ioCapability.rawValue,
            UInt8(self.hasOutOfBandData ? 1 : 0),
            self.authentication.rawValue,
            UInt8(truncatingIfNeeded: self.maximumKeySize),
            self.initiatorKeys.rawValue,
            self.responderKeys.rawValue
        )
    }
}

/// How two devices authenticate each other.
package enum AssociationModel: Hashable, Sendable {
    /// No authentication: the key does not protect against a man in the middle.
    case justWorks
    /// Both show six digits, and the users confirm that they are equal. In LE Secure Connections only.
    case numericComparison
    /// Six digits that one device shows are entered at the other, or the same six digits are entered at both.
    case passkeyEntry(PasskeyEntry)
    /// With out-of-band data.
    case outOfBand

    /// The device that shows the passkey, and the one where it is entered.
    package enum PasskeyEntry: Hashable, Sendable {
        /// The initiator shows, the responder's user enters.
        case initiatorDisplays
        /// The responder shows, the initiator's user enters.
        case responderDisplays
        /// The users enter the same passkey at both.
        case bothEnter
    }

    /// Whether the key protects against a man in the middle.
    package var isAuthenticated: Bool {
        switch self {
        case .justWorks: false
        case .numericComparison, .passkeyEntry, .outOfBand: true
        }
    }
}

extension AssociationModel {
    /// The model that follows from the request and the response.
    init(request: PairingFeatures, response: PairingFeatures) {
        let isSecureConnections = request.isSecureConnections(with: response)
        let hasOutOfBandData =
            isSecureConnections
            ? request.hasOutOfBandData || response.hasOutOfBandData
            : request.hasOutOfBandData && response.hasOutOfBandData
        if hasOutOfBandData {
            self = .outOfBand
        } else if request.authentication.union(response.authentication).contains(.mitm) {
            self.init(
                initiator: request.ioCapability,
                responder: response.ioCapability,
                isSecureConnections: isSecureConnections
            )
        } else {
            self = .justWorks
        }
    }

    /// Table 2.8.
    init(initiator: IOCapability, responder: IOCapability, isSecureConnections: Bool) {
        switch (initiator, responder) {
        case (.noInputNoOutput, _), (_, .noInputNoOutput):
            self = .justWorks
        case (.displayOnly, .displayOnly), (.displayOnly, .displayYesNo), (.displayYesNo, .displayOnly):
            self = .justWorks
        case (.displayYesNo, .displayYesNo):
            self = isSecureConnections ? .numericComparison : .justWorks
        case (.keyboardDisplay, .displayYesNo):
            self = isSecureConnections ? .numericComparison : .passkeyEntry(.responderDisplays)
        case (.displayYesNo, .keyboardDisplay), (.keyboardDisplay, .keyboardDisplay):
            self = isSecureConnections ? .numericComparison : .passkeyEntry(.initiatorDisplays)
        case (.keyboardOnly, .keyboardOnly):
            self = .passkeyEntry(.bothEnter)
        case (.keyboardOnly, .displayOnly), (.keyboardOnly, .displayYesNo), (.keyboardOnly, .keyboardDisplay),
            (.keyboardDisplay, .displayOnly):
            self = .passkeyEntry(.responderDisplays)
        case (.displayOnly, .keyboardOnly), (.displayYesNo, .keyboardOnly), (.keyboardDisplay, .keyboardOnly),
            (.displayOnly, .keyboardDisplay):
            self = .passkeyEntry(.initiatorDisplays)
        }
    }
}

extension PairingFeatures {
    /// Whether two devices pair with LE Secure Connections: if both support it.
    func isSecureConnections(with other: PairingFeatures) -> Bool {
        self.authentication.intersection(other.authentication).contains(.secureConnections)
    }
}

/// The parameters of a device for a pairing.
struct PairingParameters: Sendable {
    /// Whether this device is the central, and so the initiator.
    var isCentral: Bool
    /// The address of this device on the link.
    var localAddress: DeviceAddress
    /// The peer's address on the link.
    var peerAddress: DeviceAddress
    /// How the device pairs.
    var configuration: PairingConfiguration
    /// The least level that this pairing must reach.
    var requiredLevel: SecurityLevel
    /// The keys that the devices already share.
    var existing: Bond?
    /// The out-of-band data.
    var outOfBand: OutOfBandData

    /// The central's address.
    var initiatorAddress: DeviceAddress { self.isCentral ? self.localAddress : self.peerAddress }
    /// The peripheral's address.
    var responderAddress: DeviceAddress { self.isCentral ? self.peerAddress : self.localAddress }

    /// The AuthReq of a Security Request and of Pairing Request and Response.
    var authentication: AuthenticationRequirements {
        var result: AuthenticationRequirements = []
        if self.configuration.isBondable { result.insert(.bonding) }
        if self.configuration.prefersMITMProtection || self.leastLevel >= .authenticated { result.insert(.mitm) }
        if self.offersSecureConnections { result.insert(.secureConnections) }
        if self.configuration.usesKeypressNotifications { result.insert(.keypress) }
        return result
    }

    /// The least level that the pairing must reach, from all requirements.
    var leastLevel: SecurityLevel {
        if self.configuration.isSecureConnectionsOnly { return .secureConnections }
        return max(self.requiredLevel, self.configuration.minimumLevel)
    }

    /// Whether LE Secure Connections are offered: not if the only out-of-band data is a temporary key.
    private var offersSecureConnections: Bool {
        guard !self.configuration.isSecureConnectionsOnly else { return true }
        let hasOnlyTemporaryKey = self.outOfBand.temporaryKey != nil && self.outOfBand.peer == nil
        return self.configuration.supportsSecureConnections && !(self.isCentral && hasOnlyTemporaryKey)
    }

    /// The same parameters, with protection against a man in the middle if the level needs it.
    func preferring(_ level: SecurityLevel) -> PairingParameters {
        var result = self
        if level >= .authenticated { result.configuration.prefersMITMProtection = true }
        return result
    }

    /// The keys that this device offers or accepts.
    private func keys(_ keys: KeyDistribution, isOwn: Bool) -> KeyDistribution {
        guard self.configuration.isBondable else { return [] }
        let keys = keys.intersection(.supported)
        return isOwn && self.configuration.identity == nil ? keys.subtracting(.identityKey) : keys
    }

    /// The Pairing Request.
    var request: PairingFeatures {
        let authentication = self.authentication
        let isSecureConnections = authentication.contains(.secureConnections)
        return PairingFeatures(
            ioCapability: self.configuration.ioCapability,
            hasOutOfBandData: isSecureConnections
                ? self.outOfBand.peer != nil : self.outOfBand.temporaryKey != nil,
            authentication: authentication,
            maximumKeySize: self.configuration.maximumKeySize,
            initiatorKeys: self.keys(self.configuration.initiatorKeys, isOwn: true),
            responderKeys: self.keys(self.configuration.responderKeys, isOwn: false)
        )
    }

    /// The Pairing Response to a request, without keys that the request does not have (3.5.2).
    func response(to request: PairingFeatures) -> PairingFeatures {
        let authentication = self.authentication
        let isSecureConnections = authentication.intersection(request.authentication).contains(.secureConnections)
        var initiatorKeys = self.keys(self.configuration.initiatorKeys, isOwn: false)
            .intersection(request.initiatorKeys)
        var responderKeys = self.keys(self.configuration.responderKeys, isOwn: true)
            .intersection(request.responderKeys)
        if !request.authentication.isBonding {
            (initiatorKeys, responderKeys) = ([], [])
        } else if isSecureConnections {
            // Both sides compute the long term key.
            initiatorKeys.remove(.encryptionKey)
            responderKeys.remove(.encryptionKey)
        }
        return PairingFeatures(
            ioCapability: self.configuration.ioCapability,
            hasOutOfBandData: isSecureConnections
                ? self.outOfBand.peer != nil : self.outOfBand.temporaryKey != nil,
            authentication: authentication,
            maximumKeySize: self.configuration.maximumKeySize,
            initiatorKeys: initiatorKeys,
            responderKeys: responderKeys
        )
    }
}

/// The agreement of two devices.
struct PairingAgreement: Hashable, Sendable {
    /// The Pairing Request.
    let request: PairingFeatures
    /// The Pairing Response.
    let response: PairingFeatures
    /// The association model.
    let model: AssociationModel
    /// Whether they use LE Secure Connections.
    let isSecureConnections: Bool
    /// The size of the encryption key in octets.
    let keySize: Int

    /// Whether both store the keys.
    var isBonding: Bool { self.request.authentication.isBonding && self.response.authentication.isBonding }
    /// Whether keypress notifications are sent.
    var usesKeypressNotifications: Bool {
        self.request.authentication.intersection(self.response.authentication).contains(.keypress)
    }
    /// The keys that the initiator distributes.
    var initiatorKeys: KeyDistribution { self.distributed(self.response.initiatorKeys) }
    /// The keys that the responder distributes.
    var responderKeys: KeyDistribution { self.distributed(self.response.responderKeys) }

    private func distributed(_ keys: KeyDistribution) -> KeyDistribution {
        let keys = keys.intersection(.supported)
        return self.isSecureConnections ? keys.subtracting(.encryptionKey) : keys
    }

    /// The description of the keys.
    var key: LinkSecurity.Key {
        LinkSecurity.Key(
            isAuthenticated: self.model.isAuthenticated,
            isSecureConnections: self.isSecureConnections,
            size: self.keySize
        )
    }

    /// Checks the features of both; throws the reason if the pairing is refused.
    init(
        request: PairingFeatures,
        response: PairingFeatures,
        _ parameters: PairingParameters
    ) throws(PairingFailedReason) {
        let configuration = parameters.configuration
        // The responder sets no bit that the initiator has not set (3.5.2).
        guard response.initiatorKeys.isSubset(of: request.initiatorKeys),
            response.responderKeys.isSubset(of: request.responderKeys)
        else { throw .invalidParameters }
        self.request = request
        self.response = response
        self.model = AssociationModel(request: request, response: response)
        self.isSecureConnections = request.isSecureConnections(with: response)
        self.keySize = min(request.maximumKeySize, response.maximumKeySize)
        guard self.keySize >= configuration.minimumKeySize else { throw .encryptionKeySize }
        if parameters.leastLevel == .secureConnections {
            guard self.isSecureConnections, self.model.isAuthenticated else { throw .authenticationRequirements }
            guard self.keySize == 16 else { throw .encryptionKeySize }
        }
        guard self.key.level >= parameters.leastLevel else { throw .authenticationRequirements }
        // No request of a peer replaces a key by a weaker one: the user has to remove the bond first.
        if let existing = parameters.existing {
            try self.key.check(replacing: existing.key)
        }
        if self.model == .outOfBand { try self.checkOutOfBandData(parameters) }
    }

    /// Checks that the out-of-band data that a side claims exists.
    private func checkOutOfBandData(_ parameters: PairingParameters) throws(PairingFailedReason) {
        let data = parameters.outOfBand
        guard self.isSecureConnections else {
            guard data.temporaryKey != nil else { throw .oobNotAvailable }
            return
        }
        let (own, peer) = parameters.isCentral ? (self.request, self.response) : (self.response, self.request)
        guard !own.hasOutOfBandData || data.peer != nil, !peer.hasOutOfBandData || data.local != nil else {
            throw .oobNotAvailable
        }
    }
}

extension LinkSecurity.Key {
    /// Throws the reason if a key is weaker than the one that it would replace.
    func check(replacing existing: LinkSecurity.Key) throws(PairingFailedReason) {
        guard self.isSecureConnections || !existing.isSecureConnections,
            self.isAuthenticated || !existing.isAuthenticated
        else { throw .authenticationRequirements }
        guard self.size >= existing.size else { throw .encryptionKeySize }
    }
}
