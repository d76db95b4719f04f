// What host and controller say of a link: its role, its parameters, its encryption.

public import BluetoothTypes
public import NIOCore

/// A device's role on a link (Vol 4, Part E, 7.7.65.1).
public struct ConnectionRole: HCICode {
    /// The number.
    public var rawValue: UInt8

    /// A code from its number.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// It made the connection.
    public static let central = ConnectionRole(rawValue: 0x00)
    /// It advertised.
    public static let peripheral = ConnectionRole(rawValue: 0x01)
}

/// The worst error of a central's sleep clock (Vol 4, Part E, 7.7.65.1).
public struct ClockAccuracy: HCICode {
    /// The number.
    public var rawValue: UInt8

    /// A code from its number.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// 500 ppm.
    public static let ppm500 = ClockAccuracy(rawValue: 0x00)
    /// 250 ppm.
    public static let ppm250 = ClockAccuracy(rawValue: 0x01)
    /// 150 ppm.
    public static let ppm150 = ClockAccuracy(rawValue: 0x02)
    /// 100 ppm.
    public static let ppm100 = ClockAccuracy(rawValue: 0x03)
    /// 75 ppm.
    public static let ppm75 = ClockAccuracy(rawValue: 0x04)
    /// 50 ppm.
    public static let ppm50 = ClockAccuracy(rawValue: 0x05)
    /// 30 ppm.
    public static let ppm30 = ClockAccuracy(rawValue: 0x06)
    /// 20 ppm.
    public static let ppm20 = ClockAccuracy(rawValue: 0x07)
}

/// Whether a link is encrypted (Vol 4, Part E, 7.7.8).
public struct EncryptionStatus: HCICode {
    /// The number.
    public var rawValue: UInt8

    /// A code from its number.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Not encrypted.
    public static let off = EncryptionStatus(rawValue: 0x00)
    /// Encrypted: AES-CCM on an LE link.
    public static let on = EncryptionStatus(rawValue: 0x01)
    /// Encrypted with AES-CCM on a BR/EDR link.
    public static let onAESCCM = EncryptionStatus(rawValue: 0x02)
}

/// Which level of power is asked for (Vol 4, Part E, 7.3.35).
public struct TransmitPowerLevelType: HCICode {
    /// The number.
    public var rawValue: UInt8

    /// A code from its number.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The level now.
    public static let current = TransmitPowerLevelType(rawValue: 0x00)
    /// The highest level.
    public static let maximum = TransmitPowerLevelType(rawValue: 0x01)
}

/// The packets whose completion the host reports to the controller (Vol 4, Part E, 7.3.38).
public struct ControllerToHostFlowControl: HCICode {
    /// The number.
    public var rawValue: UInt8

    /// A code from its number.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// None.
    public static let off = ControllerToHostFlowControl(rawValue: 0x00)
    /// ACL data.
    public static let acl = ControllerToHostFlowControl(rawValue: 0x01)
    /// Synchronous data.
    public static let synchronous = ControllerToHostFlowControl(rawValue: 0x02)
    /// Both.
    public static let aclAndSynchronous = ControllerToHostFlowControl(rawValue: 0x03)
}

/// How a link hops (Vol 6, Part B, 4.5.8).
public struct ChannelSelectionAlgorithm: HCICode {
    /// The number.
    public var rawValue: UInt8

    /// A code from its number.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Channel selection algorithm #1.
    public static let algorithm1 = ChannelSelectionAlgorithm(rawValue: 0x00)
    /// Channel selection algorithm #2.
    public static let algorithm2 = ChannelSelectionAlgorithm(rawValue: 0x01)
}

/// The preferred coding of LE Coded on a link (Vol 4, Part E, 7.8.49).
public struct PHYOptions: HCICode {
    /// The number.
    public var rawValue: UInt16

    /// A code from its number.
    @inlinable
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// No preference.
    public static let noPreference = PHYOptions(rawValue: 0x0000)
    /// S=2, 500 kb/s.
    public static let prefersS2 = PHYOptions(rawValue: 0x0001)
    /// S=8, 125 kb/s.
    public static let prefersS8 = PHYOptions(rawValue: 0x0002)
}

/// How a peer with a key in the resolving list may appear (Vol 6, Part B, 4.7).
public struct PrivacyMode: HCICode {
    /// The number.
    public var rawValue: UInt8

    /// A code from its number.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// With a private address alone.
    public static let network = PrivacyMode(rawValue: 0x00)
    /// With its identity address, too.
    public static let device = PrivacyMode(rawValue: 0x01)
}

/// Which private key makes a Diffie-Hellman key (Vol 4, Part E, 7.8.37).
public struct P256KeyType: HCICode {
    /// The number.
    public var rawValue: UInt8

    /// A code from its number.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The one that LE Read Local P-256 Public Key made.
    public static let generated = P256KeyType(rawValue: 0x00)
    /// The debug key of the specification.
    public static let debug = P256KeyType(rawValue: 0x01)
}

/// The kind of a link whose buffers overflowed (Vol 4, Part E, 7.7.26).
public struct LinkType: HCICode {
    /// The number.
    public var rawValue: UInt8

    /// A code from its number.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Synchronous.
    public static let synchronous = LinkType(rawValue: 0x00)
    /// ACL.
    public static let acl = LinkType(rawValue: 0x01)
    /// Isochronous.
    public static let isochronous = LinkType(rawValue: 0x02)
}

/// A version of the Core Specification (Assigned Numbers, 2.1).
public struct CoreVersion: HCICode {
    /// The number.
    public var rawValue: UInt8

    /// A code from its number.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// 4.0.
    public static let v4_0 = CoreVersion(rawValue: 0x06)
    /// 4.1.
    public static let v4_1 = CoreVersion(rawValue: 0x07)
    /// 4.2.
    public static let v4_2 = CoreVersion(rawValue: 0x08)
    /// 5.0.
    public static let v5_0 = CoreVersion(rawValue: 0x09)
    /// 5.1.
    public static let v5_1 = CoreVersion(rawValue: 0x0A)
    /// 5.2.
    public static let v5_2 = CoreVersion(rawValue: 0x0B)
    /// 5.3.
    public static let v5_3 = CoreVersion(rawValue: 0x0C)
    /// 5.4.
    public static let v5_4 = CoreVersion(rawValue: 0x0D)
    /// 6.0.
    public static let v6_0 = CoreVersion(rawValue: 0x0E)
    /// 6.1.
    public static let v6_1 = CoreVersion(rawValue: 0x0F)
    /// 6.2.
    public static let v6_2 = CoreVersion(rawValue: 0x10)
}

/// The parameters that a connection may have (Vol 4, Part E, 7.8.12 and 7.8.18).
public struct ConnectionParameters: HCIParameters {
    /// The shortest interval.
    public var minimumInterval: ConnectionInterval
    /// The longest interval.
    public var maximumInterval: ConnectionInterval
    /// How many connection events the peripheral may leave out, 0 to 499.
    public var latency: UInt16
    /// How long the link lives without a packet of the peer.
    public var supervisionTimeout: SupervisionTimeout
    /// The least expected length of a connection event.
    public var minimumEventLength: ConnectionEventLength
    /// The greatest expected length of a connection event.
    public var maximumEventLength: ConnectionEventLength

    /// Creates parameters.
    public init(
        minimumInterval: ConnectionInterval,
        maximumInterval: ConnectionInterval,
        latency: UInt16 = 0,
        supervisionTimeout: SupervisionTimeout,
        minimumEventLength: ConnectionEventLength = ConnectionEventLength(rawValue: 0),
        maximumEventLength: ConnectionEventLength = ConnectionEventLength(rawValue: 0)
    ) {
        self.minimumInterval = minimumInterval
        self.maximumInterval = maximumInterval
        self.latency = latency
        self.supervisionTimeout = supervisionTimeout
        self.minimumEventLength = minimumEventLength
        self.maximumEventLength = maximumEventLength
    }

    /// The numbers of connection events that the peripheral may leave out (Vol 6, Part B, 4.5.1).
    public static let latencies: ClosedRange<UInt16> = 0...499

    /// Whether each is in its range and they fit each other: the timeout is longer than twice the time between two
    /// events that the peripheral attends (Vol 6, Part B, 4.5.2).
    public var isValid: Bool {
        self.minimumInterval.isInRange && self.maximumInterval.isInRange && self.supervisionTimeout.isInRange
            && self.minimumInterval <= self.maximumInterval && Self.latencies.contains(self.latency)
            && self.minimumEventLength <= self.maximumEventLength
            && self.supervisionTimeout.timeAmount > self.maximumInterval.timeAmount * (1 + Int(self.latency)) * 2
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.minimumInterval = try coder.field("Connection_Interval_Min", \.minimumInterval)
        self.maximumInterval = try coder.field("Connection_Interval_Max", \.maximumInterval)
        self.latency = try coder.field("Max_Latency", \.latency)
        self.supervisionTimeout = try coder.field("Supervision_Timeout", \.supervisionTimeout)
        self.minimumEventLength = try coder.field("Min_CE_Length", \.minimumEventLength)
        self.maximumEventLength = try coder.field("Max_CE_Length", \.maximumEventLength)
    }
}

/// A set of the 37 data channels (Vol 4, Part E, 7.8.19): bit n is channel n.
public struct ChannelMap: RawRepresentable, HCIParameter {
    /// The 37 bits.
    public var rawValue: UInt64

    /// A map from its bits; those above 37 are dropped.
    public init(rawValue: UInt64) { self.rawValue = rawValue & 0x1F_FFFF_FFFF }

    /// All channels.
    public static let all = ChannelMap(rawValue: 0x1F_FFFF_FFFF)

    /// The bits as hexadecimal digits.
    public var description: String { hexadecimal(self.rawValue) }

    /// How many channels there are.
    public var count: Int { self.rawValue.nonzeroBitCount }

    /// Reads five octets.
    public static func read(from bytes: inout ByteBuffer, _ field: StaticString) throws(MalformedBytes) -> Self {
        guard bytes.readableBytes >= 5 else { throw MalformedBytes(.truncated, field) }
        let low: UInt32 = try bytes.readLittleEndian(field)
        let high: UInt8 = try bytes.readLittleEndian(field)
        return Self(rawValue: UInt64(high) << 32 | UInt64(low))
    }

    /// Writes five octets.
    public func write(into bytes: inout ByteBuffer) {
        bytes.writeLittleEndian(UInt32(truncatingIfNeeded: self.rawValue))
        bytes.writeInteger(UInt8(truncatingIfNeeded: self.rawValue >> 32))
    }
}
