// Controller & Baseband commands (Vol 4, Part E, 7.3): reset, event masks, flow control from controller to host, LE
// host support, authenticated payloads.

public import BluetoothTypes

/// Chooses the events that the host wants (Vol 4, Part E, 7.3.1).
public struct SetEventMask: HCICommand {
    /// The number of the command.
    public static let opcode = HCIOpcode(.controllerAndBaseband, 0x0001)

    /// The events.
    public var mask: EventMask

    /// Creates the command.
    public init(mask: EventMask) {
        self.mask = mask
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.mask = try coder.field("Event_Mask", \.mask)
    }
}

/// Puts the controller back to where it was after power on (Vol 4, Part E, 7.3.2).
public struct Reset: HCICommandWithoutParameters {
    /// The number of the command.
    public static let opcode = HCIOpcode(.controllerAndBaseband, 0x0003)

    /// Creates the command.
    public init() {}
}

/// Reads the power at which a link sends (Vol 4, Part E, 7.3.35).
public struct ReadTransmitPowerLevel: HCICommand {
    /// The number of the command.
    public static let opcode = HCIOpcode(.controllerAndBaseband, 0x002D)

    /// The link.
    public var handle: ConnectionHandle
    /// Which level.
    public var type: TransmitPowerLevelType

    /// Creates the command.
    public init(handle: ConnectionHandle, type: TransmitPowerLevelType = .current) {
        self.handle = handle
        self.type = type
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.handle = try coder.field("Connection_Handle", \.handle)
        self.type = try coder.field("Type", \.type)
    }

    /// What Command Complete carries.
    public struct ReturnParameters: HCIReturnParameters {
        /// Whether the command succeeded.
        public var status: HCIErrorCode
        /// The link.
        public var handle: ConnectionHandle
        /// The power.
        public var level: TransmitPower

        /// Creates an answer.
        public init(
            status: HCIErrorCode = .success,
            handle: ConnectionHandle = ConnectionHandle(rawValue: 0),
            level: TransmitPower = 0
        ) {
            self.status = status
            self.handle = handle
            self.level = level
        }

        /// The parameters in wire order.
        public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.handle = try coder.field("Connection_Handle", \.handle)
            self.level = try coder.field("TX_Power_Level", \.level)
        }
    }
}

/// Chooses the packets whose completion the host reports (Vol 4, Part E, 7.3.38).
public struct SetControllerToHostFlowControl: HCICommand {
    /// The number of the command.
    public static let opcode = HCIOpcode(.controllerAndBaseband, 0x0031)

    /// The packets.
    public var mode: ControllerToHostFlowControl

    /// Creates the command.
    public init(mode: ControllerToHostFlowControl) {
        self.mode = mode
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.mode = try coder.field("Flow_Control_Enable", \.mode)
    }
}

/// Sets the sizes of the host's buffers (Vol 4, Part E, 7.3.39).
public struct HostBufferSize: HCICommand {
    /// The number of the command.
    public static let opcode = HCIOpcode(.controllerAndBaseband, 0x0033)

    /// The longest ACL data packet, in octets behind its header.
    public var aclDataPacketLength: UInt16
    /// The longest synchronous data packet.
    public var synchronousDataPacketLength: UInt8
    /// How many ACL data packets.
    public var aclDataPacketCount: UInt16
    /// How many synchronous data packets.
    public var synchronousDataPacketCount: UInt16

    /// Creates the command.
    public init(
        aclDataPacketLength: UInt16,
        synchronousDataPacketLength: UInt8 = 0,
        aclDataPacketCount: UInt16,
        synchronousDataPacketCount: UInt16 = 0
    ) {
        self.aclDataPacketLength = aclDataPacketLength
        self.synchronousDataPacketLength = synchronousDataPacketLength
        self.aclDataPacketCount = aclDataPacketCount
        self.synchronousDataPacketCount = synchronousDataPacketCount
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.aclDataPacketLength = try coder.field("Host_ACL_Data_Packet_Length", \.aclDataPacketLength)
        self.synchronousDataPacketLength = try coder.field(
            "Host_Synchronous_Data_Packet_Length",
            \.synchronousDataPacketLength
        )
        self.aclDataPacketCount = try coder.field("Host_Total_Num_ACL_Data_Packets", \.aclDataPacketCount)
        self.synchronousDataPacketCount = try coder.field(
            "Host_Total_Num_Synchronous_Data_Packets",
            \.synchronousDataPacketCount
        )
    }
}

/// Chooses the events of the second page that the host wants (Vol 4, Part E, 7.3.69).
public struct SetEventMaskPage2: HCICommand {
    /// The number of the command.
    public static let opcode = HCIOpcode(.controllerAndBaseband, 0x0063)

    /// The events.
    public var mask: EventMaskPage2

    /// Creates the command.
    public init(mask: EventMaskPage2) {
        self.mask = mask
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.mask = try coder.field("Event_Mask_Page_2", \.mask)
    }
}

/// Reads whether the host of a controller for both radios speaks LE (Vol 4, Part E, 7.3.78).
public struct ReadLEHostSupport: HCICommandWithoutParameters {
    /// The number of the command.
    public static let opcode = HCIOpcode(.controllerAndBaseband, 0x006C)

    /// Creates the command.
    public init() {}

    /// What Command Complete carries.
    public struct ReturnParameters: HCIReturnParameters {
        /// Whether the command succeeded.
        public var status: HCIErrorCode
        /// Whether the host speaks LE.
        public var isLESupported: Bool
        /// Was once simultaneous LE and BR/EDR.
        public var unused: UInt8

        /// Creates an answer.
        public init(status: HCIErrorCode = .success, isLESupported: Bool = false, unused: UInt8 = 0) {
            self.status = status
            self.isLESupported = isLESupported
            self.unused = unused
        }

        /// The parameters in wire order.
        public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.isLESupported = try coder.field("LE_Supported_Host", \.isLESupported)
            self.unused = try coder.field("Unused", \.unused)
        }
    }
}

/// Sets whether the host of a controller for both radios supports LE (Vol 4, Part E, 7.3.79).
public struct WriteLEHostSupport: HCICommand {
    /// The number of the command.
    public static let opcode = HCIOpcode(.controllerAndBaseband, 0x006D)

    /// Whether the host speaks LE.
    public var isLESupported: Bool
    /// Was once simultaneous LE and BR/EDR; zero.
    public var unused: UInt8

    /// Creates the command.
    public init(isLESupported: Bool, unused: UInt8 = 0) {
        self.isLESupported = isLESupported
        self.unused = unused
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.isLESupported = try coder.field("LE_Supported_Host", \.isLESupported)
        self.unused = try coder.field("Unused", \.unused)
    }
}

/// Reads the longest time between two authenticated packets of a link (Vol 4, Part E, 7.3.93).
public struct ReadAuthenticatedPayloadTimeout: HCICommandForLink {
    /// The number of the command.
    public static let opcode = HCIOpcode(.controllerAndBaseband, 0x007B)

    /// The link.
    public var handle: ConnectionHandle

    /// Creates the command.
    public init(handle: ConnectionHandle) {
        self.handle = handle
    }

    /// What Command Complete carries.
    public struct ReturnParameters: HCIReturnParameters {
        /// Whether the command succeeded.
        public var status: HCIErrorCode
        /// The link.
        public var handle: ConnectionHandle
        /// The time.
        public var timeout: AuthenticatedPayloadTimeout

        /// Creates an answer.
        public init(
            status: HCIErrorCode = .success,
            handle: ConnectionHandle = ConnectionHandle(rawValue: 0),
            timeout: AuthenticatedPayloadTimeout = AuthenticatedPayloadTimeout(rawValue: 0)
        ) {
            self.status = status
            self.handle = handle
            self.timeout = timeout
        }

        /// The parameters in wire order.
        public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.handle = try coder.field("Connection_Handle", \.handle)
            self.timeout = try coder.field("Authenticated_Payload_Timeout", \.timeout)
        }
    }
}

/// Sets the longest time between two authenticated packets of a link (Vol 4, Part E, 7.3.94).
public struct WriteAuthenticatedPayloadTimeout: HCICommand {
    /// The status and the link.
    public typealias ReturnParameters = LinkReturnParameters

    /// The number of the command.
    public static let opcode = HCIOpcode(.controllerAndBaseband, 0x007C)

    /// The link.
    public var handle: ConnectionHandle
    /// The time.
    public var timeout: AuthenticatedPayloadTimeout

    /// Creates the command.
    public init(handle: ConnectionHandle, timeout: AuthenticatedPayloadTimeout) {
        self.handle = handle
        self.timeout = timeout
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.handle = try coder.field("Connection_Handle", \.handle)
        self.timeout = try coder.field("Authenticated_Payload_Timeout", \.timeout)
    }
}
