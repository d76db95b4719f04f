// How long the packets of a link may be (Vol 4, Part E, 7.8.33 to 7.8.35 and 7.8.46).

/// The limits of data packets on the air (Vol 6, Part B, 4.5.10).
package enum DataPacketLimits {
    /// The octets of payload that every controller can send and receive.
    package static let minimumOctets: UInt16 = 27
    /// The time of these on LE 1M, in µs.
    package static let minimumTime: UInt16 = 328
    /// The most octets of payload.
    package static let maximumOctets: UInt16 = 251
    /// The time of these on LE 1M, in µs.
    package static let maximumTimeOn1M: UInt16 = 2_120
    /// The time of these on LE Coded, in µs.
    package static let maximumTime: UInt16 = 17_040
    /// The octets of payload that may be asked for.
    package static let octets = minimumOctets...maximumOctets
    /// The times that may be asked for, in µs.
    package static let times = minimumTime...maximumTime
}

/// Suggests the length of the packets that a link sends (Vol 4, Part E, 7.8.33).
public struct LESetDataLength: HCICommand {
    /// The status and the link.
    public typealias ReturnParameters = LinkReturnParameters

    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x0022)

    /// The link.
    public var handle: ConnectionHandle
    /// Octets of payload, 27 to 251.
    public var transmitOctets: UInt16
    /// Time of a packet in µs, 328 to 17040.
    public var transmitTime: UInt16

    /// Creates the command.
    public init(handle: ConnectionHandle, transmitOctets: UInt16, transmitTime: UInt16) {
        self.handle = handle
        self.transmitOctets = transmitOctets
        self.transmitTime = transmitTime
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.handle = try coder.field("Connection_Handle", \.handle)
        self.transmitOctets = try coder.field("TX_Octets", \.transmitOctets)
        self.transmitTime = try coder.field("TX_Time", \.transmitTime)
    }
}

/// Reads the length that new links start with (Vol 4, Part E, 7.8.34).
public struct LEReadSuggestedDefaultDataLength: HCICommandWithoutParameters {
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x0023)

    /// Creates the command.
    public init() {}

    /// What Command Complete carries.
    public struct ReturnParameters: HCIReturnParameters {
        /// Whether the command succeeded.
        public var status: HCIErrorCode
        /// Octets of payload, 27 to 251.
        public var transmitOctets: UInt16
        /// Time of a packet in µs, 328 to 17040.
        public var transmitTime: UInt16

        /// Creates an answer.
        public init(
            status: HCIErrorCode = .success,
            transmitOctets: UInt16 = 0,
            transmitTime: UInt16 = 0
        ) {
            self.status = status
            self.transmitOctets = transmitOctets
            self.transmitTime = transmitTime
        }

        /// The parameters in wire order.
        public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.transmitOctets = try coder.field("TX_Octets", \.transmitOctets)
            self.transmitTime = try coder.field("TX_Time", \.transmitTime)
        }
    }
}

/// Sets the length that new links start with (Vol 4, Part E, 7.8.35).
public struct LEWriteSuggestedDefaultDataLength: HCICommand {
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x0024)

    /// Octets of payload, 27 to 251.
    public var transmitOctets: UInt16
    /// Time of a packet in µs, 328 to 17040.
    public var transmitTime: UInt16

    /// Creates the command.
    public init(transmitOctets: UInt16, transmitTime: UInt16) {
        self.transmitOctets = transmitOctets
        self.transmitTime = transmitTime
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.transmitOctets = try coder.field("TX_Octets", \.transmitOctets)
        self.transmitTime = try coder.field("TX_Time", \.transmitTime)
    }
}

/// Reads the greatest lengths that the controller can do (Vol 4, Part E, 7.8.46).
public struct LEReadMaximumDataLength: HCICommandWithoutParameters {
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x002F)

    /// Creates the command.
    public init() {}

    /// What Command Complete carries.
    public struct ReturnParameters: HCIReturnParameters {
        /// Whether the command succeeded.
        public var status: HCIErrorCode
        /// Octets of payload on sending.
        public var transmitOctets: UInt16
        /// Time of a packet on sending, in µs.
        public var transmitTime: UInt16
        /// Octets of payload on receiving.
        public var receiveOctets: UInt16
        /// Time of a packet on receiving, in µs.
        public var receiveTime: UInt16

        /// Creates an answer.
        public init(
            status: HCIErrorCode = .success,
            transmitOctets: UInt16 = 0,
            transmitTime: UInt16 = 0,
            receiveOctets: UInt16 = 0,
            receiveTime: UInt16 = 0
        ) {
            self.status = status
            self.transmitOctets = transmitOctets
            self.transmitTime = transmitTime
            self.receiveOctets = receiveOctets
            self.receiveTime = receiveTime
        }

        /// The parameters in wire order.
        public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.transmitOctets = try coder.field("Supported_Max_TX_Octets", \.transmitOctets)
            self.transmitTime = try coder.field("Supported_Max_TX_Time", \.transmitTime)
            self.receiveOctets = try coder.field("Supported_Max_RX_Octets", \.receiveOctets)
            self.receiveTime = try coder.field("Supported_Max_RX_Time", \.receiveTime)
        }
    }
}
