// The commands of the Security Manager Protocol (Vol 3, Part H, 3.3 to 3.6): a code, and parameters of a fixed length.
// One octet more or less makes a command invalid.

import BluetoothTypes
import NIOCore

/// The code of a command (Vol 3, Part H, table 3.3).
struct SMPCode: RawRepresentable, Hashable, Sendable {
    /// The octet.
    var rawValue: UInt8

    /// A code from its octet.
    init(rawValue: UInt8) { self.rawValue = rawValue }

    static let pairingRequest = SMPCode(rawValue: 0x01)
    static let pairingResponse = SMPCode(rawValue: 0x02)
    static let pairingConfirm = SMPCode(rawValue: 0x03)
    static let pairingRandom = SMPCode(rawValue: 0x04)
    static let pairingFailed = SMPCode(rawValue: 0x05)
    static let encryptionInformation = SMPCode(rawValue: 0x06)
    static let centralIdentification = SMPCode(rawValue: 0x07)
    static let identityInformation = SMPCode(rawValue: 0x08)
    static let identityAddressInformation = SMPCode(rawValue: 0x09)
    static let signingInformation = SMPCode(rawValue: 0x0A)
    static let securityRequest = SMPCode(rawValue: 0x0B)
    static let pairingPublicKey = SMPCode(rawValue: 0x0C)
    static let pairingDHKeyCheck = SMPCode(rawValue: 0x0D)
    static let pairingKeypressNotification = SMPCode(rawValue: 0x0E)
}

/// A command and its parameters.
enum SMPCommand: Hashable, Sendable {
    /// A central requests a pairing (3.5.1).
    case pairingRequest(PairingFeatures)
    /// The peripheral agrees (3.5.2).
    case pairingResponse(PairingFeatures)
    /// The confirm value of a random value (3.5.3).
    case pairingConfirm(Octets16)
    /// The random value (3.5.4).
    case pairingRandom(Octets16)
    /// The pairing is over (3.5.5).
    case pairingFailed(PairingFailedReason)
    /// A long term key (3.6.2).
    case encryptionInformation(Octets16)
    /// The EDIV and Rand of that key (3.6.3).
    case centralIdentification(encryptedDiversifier: UInt16, random: UInt64)
    /// An identity resolving key (3.6.4).
    case identityInformation(Octets16)
    /// The identity address of that key (3.6.5).
    case identityAddressInformation(DeviceAddress)
    /// A connection signature resolving key (3.6.6).
    case signingInformation(Octets16)
    /// A peripheral requests an encrypted link (3.6.7).
    case securityRequest(AuthenticationRequirements)
    /// A point of P-256 (3.5.6).
    case pairingPublicKey(PublicKey)
    /// Proof that both sides have the same key (3.5.7).
    case pairingDHKeyCheck(Octets16)
    /// A passkey is being entered (3.5.8).
    case pairingKeypressNotification(KeypressNotification)
    /// A reserved code, which is ignored (3.3).
    case unknown(SMPCode)

    /// The command's code.
    var code: SMPCode {
        switch self {
        case .pairingRequest: .pairingRequest
        case .pairingResponse: .pairingResponse
        case .pairingConfirm: .pairingConfirm
        case .pairingRandom: .pairingRandom
        case .pairingFailed: .pairingFailed
        case .encryptionInformation: .encryptionInformation
        case .centralIdentification: .centralIdentification
        case .identityInformation: .identityInformation
        case .identityAddressInformation: .identityAddressInformation
        case .signingInformation: .signingInformation
        case .securityRequest: .securityRequest
        case .pairingPublicKey: .pairingPublicKey
        case .pairingDHKeyCheck: .pairingDHKeyCheck
        case .pairingKeypressNotification: .pairingKeypressNotification
        case .unknown(let code): code
        }
    }

    /// Reads a command, which takes all octets.
    init(parsing bytes: ByteBuffer) throws(MalformedBytes) {
        var bytes = bytes
        let code = SMPCode(rawValue: try bytes.readLittleEndian("Code"))
        switch code {
        case .pairingRequest:
            self = .pairingRequest(try PairingFeatures(parsing: &bytes))
        case .pairingResponse:
            self = .pairingResponse(try PairingFeatures(parsing: &bytes))
        case .pairingConfirm:
            self = .pairingConfirm(try Octets16(parsing: &bytes, "Confirm Value"))
        case .pairingRandom:
            self = .pairingRandom(try Octets16(parsing: &bytes, "Random Value"))
        case .pairingFailed:
            self = .pairingFailed(PairingFailedReason(rawValue: try bytes.readLittleEndian("Reason")))
        case .encryptionInformation:
            self = .encryptionInformation(try Octets16(parsing: &bytes, "Long Term Key"))
        case .centralIdentification:
            self = .centralIdentification(
                encryptedDiversifier: try bytes.readLittleEndian("EDIV"),
                random: try bytes.readLittleEndian("Rand")
            )
        case .identityInformation:
            self = .identityInformation(try Octets16(parsing: &bytes, "Identity Resolving Key"))
        case .identityAddressInformation:
            self = .identityAddressInformation(try Self.identityAddress(parsing: &bytes))
        case .signingInformation:
            self = .signingInformation(try Octets16(parsing: &bytes, "Signature Key"))
        case .securityRequest:
            self = .securityRequest(AuthenticationRequirements(rawValue: try bytes.readLittleEndian("AuthReq")))
        case .pairingPublicKey:
            self = .pairingPublicKey(
                PublicKey(x: try Octets32(parsing: &bytes, "X"), y: try Octets32(parsing: &bytes, "Y"))
            )
        case .pairingDHKeyCheck:
            self = .pairingDHKeyCheck(try Octets16(parsing: &bytes, "DHKey Check"))
        case .pairingKeypressNotification:
            guard let type = KeypressNotification(rawValue: try bytes.readLittleEndian("Notification Type")) else {
                throw MalformedBytes(.invalid, "Notification Type")
            }
            self = .pairingKeypressNotification(type)
        default:
            self = .unknown(code)
            return
        }
        try bytes.requireEnd("Data")
    }

    /// Reads a public or static random address: no other address is an identity.
    private static func identityAddress(parsing bytes: inout ByteBuffer) throws(MalformedBytes) -> DeviceAddress {
        let kind: DeviceAddress.Kind
        switch try bytes.readLittleEndian("AddrType", as: UInt8.self) {
        case 0: kind = .public
        case 1: kind = .random
        default: throw MalformedBytes(.invalid, "AddrType")
        }
        let address = try DeviceAddress(parsing: &bytes, kind: kind, "BD_ADDR")
        guard !address.isRandom || address.randomKind == .static else { throw MalformedBytes(.invalid, "BD_ADDR") }
        return address
    }

    /// The whole PDU, with headroom for the layers below.
    func encoded() -> ByteBuffer {
        var bytes = PDUBuffer.make(capacity: 65)
        bytes.writeInteger(self.code.rawValue)
        self.encodeParameters(into: &bytes)
        return bytes
    }

    private func encodeParameters(into bytes: inout ByteBuffer) {
        switch self {
        case .pairingRequest(let features), .pairingResponse(let features):
            features.encode(into: &bytes)
        case .pairingConfirm(let value), .pairingRandom(let value), .encryptionInformation(let value),
            .identityInformation(let value), .signingInformation(let value), .pairingDHKeyCheck(let value):
            value.encode(into: &bytes)
        case .pairingFailed(let reason):
            bytes.writeInteger(reason.rawValue)
        case .centralIdentification(let encryptedDiversifier, let random):
            bytes.writeLittleEndian(encryptedDiversifier)
            bytes.writeLittleEndian(random)
        case .identityAddressInformation(let address):
            bytes.writeInteger(UInt8(address.isRandom ? 1 : 0))
            address.encode(into: &bytes)
        case .securityRequest(let authentication):
            bytes.writeInteger(authentication.rawValue)
        case .pairingPublicKey(let key):
            key.x.encode(into: &bytes)
            key.y.encode(into: &bytes)
        case .pairingKeypressNotification(let type):
            bytes.writeInteger(type.rawValue)
        case .unknown:
            break
        }
    }
}
