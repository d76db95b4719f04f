// What two devices say of themselves before they pair: the parameters of Pairing Request and Pairing Response
// (Vol 3, Part H, 3.5.1 and 3.5.2). The octets as they travelled are part of what both sides confirm later, so that
// reserved bits of a peer are kept, and mean nothing.

import BluetoothTypes
import NIOCore

/// What a device can show to its user and take from it (2.3.2).
public enum IOCapability: UInt8, Hashable, Sendable, CaseIterable {
    /// It can show six digits.
    case displayOnly = 0x00
    /// It can show six digits, and be answered with yes or no.
    case displayYesNo = 0x01
    /// Six digits can be entered.
    case keyboardOnly = 0x02
    /// It can neither show nor be answered.
    case noInputNoOutput = 0x03
    /// It can show six digits, and six digits can be entered.
    case keyboardDisplay = 0x04
}

/// `AuthReq`: what a device wants of a pairing (3.5.1).
public struct AuthenticationRequirements: OptionSet, Hashable, Sendable {
    /// The octet, with its reserved bits.
    public var rawValue: UInt8

    /// Requirements from their octet.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The keys are kept (`Bonding_Flags` = 1).
    public static let bonding = AuthenticationRequirements(rawValue: 0x01)
    /// Protection against a man in the middle.
    public static let mitm = AuthenticationRequirements(rawValue: 0x04)
    /// LE Secure Connections.
    public static let secureConnections = AuthenticationRequirements(rawValue: 0x08)
    /// Keypress notifications while a passkey is entered.
    public static let keypress = AuthenticationRequirements(rawValue: 0x10)

    /// Whether the keys are kept: the other values of the two bits are reserved.
    var isBonding: Bool { self.rawValue & 0x03 == 0x01 }
}

/// Which keys a side distributes (3.6.1).
public struct KeyDistribution: OptionSet, Hashable, Sendable {
    /// The octet, with its reserved bits.
    public var rawValue: UInt8

    /// Keys from their octet.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The long term key, EDIV and Rand; of legacy pairing alone.
    public static let encryptionKey = KeyDistribution(rawValue: 0x01)
    /// The identity resolving key and the identity address.
    public static let identityKey = KeyDistribution(rawValue: 0x02)
    /// The connection signature resolving key.
    public static let signingKey = KeyDistribution(rawValue: 0x04)

    /// What this host distributes and accepts.
    static let supported: KeyDistribution = [.encryptionKey, .identityKey, .signingKey]
}

/// The parameters of Pairing Request and Pairing Response.
struct PairingFeatures: Hashable, Sendable {
    /// What the device shows and takes.
    var ioCapability: IOCapability
    /// Whether it has out-of-band data of the other device.
    var hasOutOfBandData: Bool
    /// What it wants.
    var authentication: AuthenticationRequirements
    /// The longest encryption key that it supports, 7 to 16 octets.
    var maximumKeySize: Int
    /// The keys of the initiator.
    var initiatorKeys: KeyDistribution
    /// The keys of the responder.
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
