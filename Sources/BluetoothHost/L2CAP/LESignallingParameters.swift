// The parameters of the signalling commands of every link (Vol 3, Part A, 4.1 and 4.20). Those for credit-based
// channels are in CreditBasedParameters.swift.

import BluetoothHCI
import BluetoothTypes
import NIOCore

/// Why a request is rejected (4.1).
enum LECommandReject: Hashable, Sendable {
    /// The command is unknown, or not allowed in this role.
    case notUnderstood
    /// The C-frame is longer than the receiver's limit, `mtu` octets.
    case signallingMTUExceeded(mtu: UInt16)
    /// There is no such channel; the CIDs from the side of the rejecting device.
    case invalidCID(local: CID, remote: CID)
    /// A reason of a later specification.
    case other(UInt16)

    init(parsing parameters: inout ByteBuffer) throws(MalformedBytes) {
        let reason: UInt16 = try parameters.readLittleEndian("Reason")
        switch reason {
        case 0x0000:
            self = .notUnderstood
        case 0x0001:
            self = .signallingMTUExceeded(mtu: try parameters.readLittleEndian("Actual MTUsig"))
        case 0x0002:
            self = .invalidCID(
                local: try CID.read(from: &parameters, "Local CID"),
                remote: try CID.read(from: &parameters, "Remote CID")
            )
        default:
            parameters.moveReaderIndex(to: parameters.writerIndex)
            self = .other(reason)
        }
    }

    func encode(into bytes: inout ByteBuffer) {
        switch self {
        case .notUnderstood:
            bytes.writeLittleEndian(UInt16(0x0000))
        case .signallingMTUExceeded(let mtu):
            bytes.writeMultipleIntegers(UInt16(0x0001), mtu, endianness: .little)
        case .invalidCID(let local, let remote):
            bytes.writeMultipleIntegers(UInt16(0x0002), local.rawValue, remote.rawValue, endianness: .little)
        case .other(let reason):
            bytes.writeLittleEndian(reason)
        }
    }
}

/// The connection parameters that a peripheral requests (4.20).
struct LEConnectionParameterRequest: HCIParameters {
    /// The shortest wanted interval.
    var minimumInterval: ConnectionInterval
    /// The longest wanted interval.
    var maximumInterval: ConnectionInterval
    /// The number of consecutive connection events that the peripheral may skip.
    var latency: UInt16
    /// How long the link lasts without a packet.
    var supervisionTimeout: SupervisionTimeout

    /// Whether the parameters are valid.
    var isValid: Bool {
        ConnectionParameters(
            minimumInterval: self.minimumInterval,
            maximumInterval: self.maximumInterval,
            latency: self.latency,
            supervisionTimeout: self.supervisionTimeout
        ).isValid
    }
}

extension LEConnectionParameterRequest {
    init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.minimumInterval = try coder.field("Interval Min", \.minimumInterval)
        self.maximumInterval = try coder.field("Interval Max", \.maximumInterval)
        self.latency = try coder.field("Latency", \.latency)
        self.supervisionTimeout = try coder.field("Timeout", \.supervisionTimeout)
    }
}
