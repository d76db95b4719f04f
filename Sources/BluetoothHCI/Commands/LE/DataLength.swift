// How long the packets of a link may be (Vol 4, Part E, 7.8.33 to 7.8.35 and 7.8.46).

public import BluetoothTypes
public import NIOCore

/// Suggests the length of the packets that a link sends (Vol 4, Part E, 7.8.33).
public struct LESetDataLength: HCICommand {
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

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) {
        bytes.writeParameters(self.handle, self.transmitOctets, self.transmitTime)
    }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            handle: try bytes.readParameter("Connection_Handle"),
            transmitOctets: try bytes.readParameter("TX_Octets"),
            transmitTime: try bytes.readParameter("TX_Time")
        )
    }

    /// What Command Complete carries.
    public struct ReturnParameters: HCIReturnParameters {
        /// Whether the command succeeded.
        public var status: HCIErrorCode
        /// The link.
        public var handle: ConnectionHandle

        /// Creates an answer.
        public init(
            status: HCIErrorCode = .success,
            handle: ConnectionHandle = ConnectionHandle(rawValue: 0)
        ) {
            self.status = status
            self.handle = handle
        }

        /// Writes the answer.
        public func encode(into bytes: inout ByteBuffer) { bytes.writeParameters(self.status, self.handle) }

        /// Reads the answer.
        public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
            self.init(
                status: try bytes.readStatus(padding: 2),
                handle: try bytes.readParameter("Connection_Handle")
            )
        }
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

        /// Writes the answer.
        public func encode(into bytes: inout ByteBuffer) {
            bytes.writeParameters(self.status, self.transmitOctets, self.transmitTime)
        }

        /// Reads the answer.
        public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
            self.init(
                status: try bytes.readStatus(padding: 4),
                transmitOctets: try bytes.readParameter("TX_Octets"),
                transmitTime: try bytes.readParameter("TX_Time")
            )
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

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) {
        bytes.writeParameters(self.transmitOctets, self.transmitTime)
    }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            transmitOctets: try bytes.readParameter("TX_Octets"),
            transmitTime: try bytes.readParameter("TX_Time")
        )
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

        /// Writes the answer.
        public func encode(into bytes: inout ByteBuffer) {
            bytes.writeParameters(
                self.status,
                self.transmitOctets,
                self.transmitTime,
                self.receiveOctets,
                self.receiveTime
            )
        }

        /// Reads the answer.
        public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
            self.init(
                status: try bytes.readStatus(padding: 8),
                transmitOctets: try bytes.readParameter("Supported_Max_TX_Octets"),
                transmitTime: try bytes.readParameter("Supported_Max_TX_Time"),
                receiveOctets: try bytes.readParameter("Supported_Max_RX_Octets"),
                receiveTime: try bytes.readParameter("Supported_Max_RX_Time")
            )
        }
    }
}
