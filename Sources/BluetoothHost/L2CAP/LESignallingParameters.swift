// What the longer signalling commands carry, in the order of the specification (Vol 3, Part A, 4).

import BluetoothTypes
import NIOCore

/// Why a request cannot be followed (4.1).
enum LECommandReject: Hashable, Sendable {
    /// The command is not known here, or not allowed in this role.
    case notUnderstood
    /// The C-frame is longer than the receiver takes, which is `mtu` octets.
    case signallingMTUExceeded(mtu: UInt16)
    /// There is no such channel; the channels as the sender of the reject sees them.
    case invalidChannel(local: L2CAPChannelID, remote: L2CAPChannelID)
    /// A reason of a later specification.
    case other(UInt16)

    init(parameters: inout ByteBuffer) throws(MalformedBytes) {
        let reason: UInt16 = try parameters.readLittleEndian("Reason")
        switch reason {
        case 0x0000:
            self = .notUnderstood
        case 0x0001:
            self = .signallingMTUExceeded(mtu: try parameters.readLittleEndian("Actual MTUsig"))
        case 0x0002:
            self = .invalidChannel(
                local: try L2CAPChannelID(parsing: &parameters, "Local CID"),
                remote: try L2CAPChannelID(parsing: &parameters, "Remote CID")
            )
        default:
            parameters.moveReaderIndex(to: parameters.writerIndex)
            self = .other(reason)
        }
    }

    func encodeParameters(into bytes: inout ByteBuffer) {
        switch self {
        case .notUnderstood:
            bytes.writeLittleEndian(UInt16(0x0000))
        case .signallingMTUExceeded(let mtu):
            bytes.writeMultipleIntegers(UInt16(0x0001), mtu, endianness: .little)
        case .invalidChannel(let local, let remote):
            bytes.writeMultipleIntegers(UInt16(0x0002), local.rawValue, remote.rawValue, endianness: .little)
        case .other(let reason):
            bytes.writeLittleEndian(reason)
        }
    }
}

/// The connection parameters that a peripheral asks for (4.20).
struct LEConnectionParameterRequest: Hashable, Sendable {
    /// The shortest interval that is wanted.
    var minimumInterval: ConnectionInterval
    /// The longest interval that is wanted.
    var maximumInterval: ConnectionInterval
    /// How many connection events the peripheral may leave out in a row.
    var latency: UInt16
    /// How long the link lives in silence.
    var supervisionTimeout: SupervisionTimeout

    init(
        minimumInterval: ConnectionInterval,
        maximumInterval: ConnectionInterval,
        latency: UInt16,
        supervisionTimeout: SupervisionTimeout
    ) {
        self.minimumInterval = minimumInterval
        self.maximumInterval = maximumInterval
        self.latency = latency
        self.supervisionTimeout = supervisionTimeout
    }

    /// Whether every value is in its range and the timeout is longer than twice the time that the peripheral may be
    /// silent for: `timeout > (1 + latency) * maximum interval * 2`.
    var isValid: Bool {
        self.minimumInterval.isInRange && self.maximumInterval.isInRange
            && self.minimumInterval <= self.maximumInterval
            && self.latency <= 499 && self.supervisionTimeout.isInRange
            // In units of 1.25 ms: the timeout counts 10 ms.
            && UInt32(self.supervisionTimeout.rawValue) * 8
                > (1 + UInt32(self.latency)) * UInt32(self.maximumInterval.rawValue) * 2
    }

    init(parameters: inout ByteBuffer) throws(MalformedBytes) {
        self.minimumInterval = ConnectionInterval(rawValue: try parameters.readLittleEndian("Interval Min"))
        self.maximumInterval = ConnectionInterval(rawValue: try parameters.readLittleEndian("Interval Max"))
        self.latency = try parameters.readLittleEndian("Latency")
        self.supervisionTimeout = SupervisionTimeout(rawValue: try parameters.readLittleEndian("Timeout"))
    }

    func encodeParameters(into bytes: inout ByteBuffer) {
        bytes.writeMultipleIntegers(
            self.minimumInterval.rawValue,
            self.maximumInterval.rawValue,
            self.latency,
            self.supervisionTimeout.rawValue,
            endianness: .little
        )
    }
}

/// How a request for a channel ended (Vol 3, Part A, 4.23 and 4.26).
public struct CreditBasedConnectionResult: RawRepresentable, Hashable, Sendable {
    /// The two octets.
    public var rawValue: UInt16

    /// A result from its two octets; one of a later specification is kept.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The channel is there.
    public static let success = CreditBasedConnectionResult(rawValue: 0x0000)
    /// Nobody listens on that SPSM.
    public static let spsmNotSupported = CreditBasedConnectionResult(rawValue: 0x0002)
    /// There is no room for a channel.
    public static let noResources = CreditBasedConnectionResult(rawValue: 0x0004)
    /// The link must be authenticated first.
    public static let insufficientAuthentication = CreditBasedConnectionResult(rawValue: 0x0005)
    /// The peer is not authorised.
    public static let insufficientAuthorization = CreditBasedConnectionResult(rawValue: 0x0006)
    /// The key of the link is too short.
    public static let encryptionKeySizeTooShort = CreditBasedConnectionResult(rawValue: 0x0007)
    /// The link must be encrypted first.
    public static let insufficientEncryption = CreditBasedConnectionResult(rawValue: 0x0008)
    /// The source channel is not a dynamic one.
    public static let invalidSourceChannel = CreditBasedConnectionResult(rawValue: 0x0009)
    /// The source channel is in use already.
    public static let sourceChannelAllocated = CreditBasedConnectionResult(rawValue: 0x000A)
    /// The sizes are not allowed.
    public static let unacceptableParameters = CreditBasedConnectionResult(rawValue: 0x000B)
}

/// A request for one channel (4.22).
struct LECreditBasedConnectionRequest: Hashable, Sendable {
    /// What the channel is for.
    var spsm: UInt16
    /// The channel's name at the sender.
    var source: L2CAPChannelID
    /// The longest SDU that the sender takes.
    var mtu: UInt16
    /// The longest frame payload that the sender takes.
    var mps: UInt16
    /// The frames that may be sent to the sender at once.
    var initialCredits: UInt16

    init(spsm: UInt16, source: L2CAPChannelID, mtu: UInt16, mps: UInt16, initialCredits: UInt16) {
        self.spsm = spsm
        self.source = source
        self.mtu = mtu
        self.mps = mps
        self.initialCredits = initialCredits
    }

    init(parameters: inout ByteBuffer) throws(MalformedBytes) {
        self.spsm = try parameters.readLittleEndian("SPSM")
        self.source = try L2CAPChannelID(parsing: &parameters, "Source CID")
        self.mtu = try parameters.readLittleEndian("MTU")
        self.mps = try parameters.readLittleEndian("MPS")
        self.initialCredits = try parameters.readLittleEndian("Initial Credits")
    }

    func encodeParameters(into bytes: inout ByteBuffer) {
        bytes.writeMultipleIntegers(
            self.spsm,
            self.source.rawValue,
            self.mtu,
            self.mps,
            self.initialCredits,
            endianness: .little
        )
    }
}

/// The answer to a request for one channel (4.23).
struct LECreditBasedConnectionResponse: Hashable, Sendable {
    /// The channel's name at the sender of the answer.
    var destination: L2CAPChannelID
    /// The longest SDU that it takes.
    var mtu: UInt16
    /// The longest frame payload that it takes.
    var mps: UInt16
    /// The frames that may be sent to it at once.
    var initialCredits: UInt16
    /// Whether there is a channel; all other fields count only then.
    var result: CreditBasedConnectionResult

    init(
        destination: L2CAPChannelID,
        mtu: UInt16,
        mps: UInt16,
        initialCredits: UInt16,
        result: CreditBasedConnectionResult
    ) {
        self.destination = destination
        self.mtu = mtu
        self.mps = mps
        self.initialCredits = initialCredits
        self.result = result
    }

    /// No channel, because of `result`.
    init(refusing result: CreditBasedConnectionResult) {
        self.init(destination: L2CAPChannelID(rawValue: 0), mtu: 0, mps: 0, initialCredits: 0, result: result)
    }

    init(parameters: inout ByteBuffer) throws(MalformedBytes) {
        self.destination = try L2CAPChannelID(parsing: &parameters, "Destination CID")
        self.mtu = try parameters.readLittleEndian("MTU")
        self.mps = try parameters.readLittleEndian("MPS")
        self.initialCredits = try parameters.readLittleEndian("Initial Credits")
        self.result = CreditBasedConnectionResult(rawValue: try parameters.readLittleEndian("Result"))
    }

    func encodeParameters(into bytes: inout ByteBuffer) {
        bytes.writeMultipleIntegers(
            self.destination.rawValue,
            self.mtu,
            self.mps,
            self.initialCredits,
            self.result.rawValue,
            endianness: .little
        )
    }
}

/// A request for one to five channels (4.25).
struct CreditBasedConnectionRequest: Hashable, Sendable {
    /// What the channels are for.
    var spsm: UInt16
    /// The longest SDU that the sender takes.
    var mtu: UInt16
    /// The longest frame payload that the sender takes.
    var mps: UInt16
    /// The frames that may be sent to the sender at once, on each channel.
    var initialCredits: UInt16
    /// The channels' names at the sender, one to five.
    var sources: [L2CAPChannelID]

    init(spsm: UInt16, mtu: UInt16, mps: UInt16, initialCredits: UInt16, sources: [L2CAPChannelID]) {
        self.spsm = spsm
        self.mtu = mtu
        self.mps = mps
        self.initialCredits = initialCredits
        self.sources = sources
    }

    init(parameters: inout ByteBuffer) throws(MalformedBytes) {
        self.spsm = try parameters.readLittleEndian("SPSM")
        self.mtu = try parameters.readLittleEndian("MTU")
        self.mps = try parameters.readLittleEndian("MPS")
        self.initialCredits = try parameters.readLittleEndian("Initial Credits")
        self.sources = try parameters.readChannels("Source CID")
    }

    func encodeParameters(into bytes: inout ByteBuffer) {
        bytes.writeMultipleIntegers(self.spsm, self.mtu, self.mps, self.initialCredits, endianness: .little)
        for source in self.sources { bytes.writeLittleEndian(source.rawValue) }
    }
}

/// The answer to a request for several channels (4.26).
struct CreditBasedConnectionResponse: Hashable, Sendable {
    /// The longest SDU that the sender of the answer takes.
    var mtu: UInt16
    /// The longest frame payload that it takes.
    var mps: UInt16
    /// The frames that may be sent to it at once, on each channel.
    var initialCredits: UInt16
    /// Whether there are channels.
    var result: CreditBasedConnectionResult
    /// The channels' names at the sender of the answer, in the order of the request; 0 for one that was refused.
    var destinations: [L2CAPChannelID]

    init(
        mtu: UInt16,
        mps: UInt16,
        initialCredits: UInt16,
        result: CreditBasedConnectionResult,
        destinations: [L2CAPChannelID]
    ) {
        self.mtu = mtu
        self.mps = mps
        self.initialCredits = initialCredits
        self.result = result
        self.destinations = destinations
    }

    /// No channel of the `count` that were asked for, because of `result`.
    init(refusing result: CreditBasedConnectionResult, count: Int) {
        self.init(
            mtu: 0,
            mps: 0,
            initialCredits: 0,
            result: result,
            destinations: Array(repeating: L2CAPChannelID(rawValue: 0), count: count)
        )
    }

    init(parameters: inout ByteBuffer) throws(MalformedBytes) {
        self.mtu = try parameters.readLittleEndian("MTU")
        self.mps = try parameters.readLittleEndian("MPS")
        self.initialCredits = try parameters.readLittleEndian("Initial Credits")
        self.result = CreditBasedConnectionResult(rawValue: try parameters.readLittleEndian("Result"))
        self.destinations = try parameters.readChannels("Destination CID")
    }

    func encodeParameters(into bytes: inout ByteBuffer) {
        bytes.writeMultipleIntegers(self.mtu, self.mps, self.initialCredits, self.result.rawValue, endianness: .little)
        for destination in self.destinations { bytes.writeLittleEndian(destination.rawValue) }
    }
}

/// A request for other sizes on channels that are there (4.27).
struct CreditBasedReconfigureRequest: Hashable, Sendable {
    /// The result that says that a channel does not exist (table 4.20).
    static let invalidDestination: UInt16 = 0x0003

    /// The longest SDU that the sender takes from now on.
    var mtu: UInt16
    /// The longest frame payload that the sender takes from now on.
    var mps: UInt16
    /// The channels, by their names at the receiver.
    var destinations: [L2CAPChannelID]

    init(mtu: UInt16, mps: UInt16, destinations: [L2CAPChannelID]) {
        self.mtu = mtu
        self.mps = mps
        self.destinations = destinations
    }

    init(parameters: inout ByteBuffer) throws(MalformedBytes) {
        self.mtu = try parameters.readLittleEndian("MTU")
        self.mps = try parameters.readLittleEndian("MPS")
        self.destinations = try parameters.readChannels("Destination CID")
    }

    func encodeParameters(into bytes: inout ByteBuffer) {
        bytes.writeMultipleIntegers(self.mtu, self.mps, endianness: .little)
        for destination in self.destinations { bytes.writeLittleEndian(destination.rawValue) }
    }
}

extension ByteBuffer {
    /// Reads the channels that end a command: one to five.
    fileprivate mutating func readChannels(_ field: StaticString) throws(MalformedBytes) -> [L2CAPChannelID] {
        guard 1...5 ~= self.readableBytes / 2 else { throw MalformedBytes(.invalid, field) }
        var channels: [L2CAPChannelID] = []
        while self.readableBytes >= 2 { channels.append(try L2CAPChannelID(parsing: &self, field)) }
        return channels
    }
}
