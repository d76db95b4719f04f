// Controller & Baseband commands (Vol 4, Part E, 7.3): reset, event masks, flow control from controller to host, LE
// host support, authenticated payloads.

public import BluetoothTypes

/// Sets the events that the host wants (Vol 4, Part E, 7.3.1).
public struct SetEventMask: HCICommand {
    public static let opcode = HCIOpcode(.controllerAndBaseband, 0x0001)
    public var mask: EventMask
    public init(mask: EventMask) { self.mask = mask }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.mask = try coder.field("Event_Mask", \.mask)
    }
}

/// Resets the controller to its state after power on (Vol 4, Part E, 7.3.2).
public struct Reset: HCICommandWithoutParameters {
    public static let opcode = HCIOpcode(.controllerAndBaseband, 0x0003)
    public init() {}
}

/// Reads the transmit power of a link (Vol 4, Part E, 7.3.35).
public struct ReadTransmitPowerLevel: HCICommand {
    public static let opcode = HCIOpcode(.controllerAndBaseband, 0x002D)
    public var handle: ConnectionHandle
    public var type: TransmitPowerLevelType

    public init(handle: ConnectionHandle, type: TransmitPowerLevelType = .current) {
        (self.handle, self.type) = (handle, type)
    }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.handle = try coder.field("Connection_Handle", \.handle)
        self.type = try coder.field("Type", \.type)
    }

    public struct ReturnParameters: HCIReturnParameters {
        public var status: HCIErrorCode
        public var handle: ConnectionHandle
        public var level: TransmitPower

        public init(
            status: HCIErrorCode = .success,
            handle: ConnectionHandle = ConnectionHandle(rawValue: 0),
            level: TransmitPower = 0
        ) {
            (self.status, self.handle, self.level) = (status, handle, level)
        }

        public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.handle = try coder.field("Connection_Handle", \.handle)
            self.level = try coder.field("TX_Power_Level", \.level)
        }
    }
}

/// Turns flow control from controller to host on or off (Vol 4, Part E, 7.3.38).
public struct SetControllerToHostFlowControl: HCICommand {
    public static let opcode = HCIOpcode(.controllerAndBaseband, 0x0031)
    public var mode: ControllerToHostFlowControl
    public init(mode: ControllerToHostFlowControl) { self.mode = mode }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.mode = try coder.field("Flow_Control_Enable", \.mode)
    }
}

/// Sets the sizes of the host's buffers (Vol 4, Part E, 7.3.39).
public struct HostBufferSize: HCICommand {
    public static let opcode = HCIOpcode(.controllerAndBaseband, 0x0033)
    /// Octets of payload, without the header.
    public var aclDataPacketLength: UInt16
    public var synchronousDataPacketLength: UInt8
    public var aclDataPacketCount: UInt16
    public var synchronousDataPacketCount: UInt16

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

/// Sets the events of the second page that the host wants (Vol 4, Part E, 7.3.69).
public struct SetEventMaskPage2: HCICommand {
    public static let opcode = HCIOpcode(.controllerAndBaseband, 0x0063)
    public var mask: EventMaskPage2
    public init(mask: EventMaskPage2) { self.mask = mask }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.mask = try coder.field("Event_Mask_Page_2", \.mask)
    }
}

/// Reads whether the host of a dual-mode controller supports LE (Vol 4, Part E, 7.3.78).
public struct ReadLEHostSupport: HCICommandWithoutParameters {
    public static let opcode = HCIOpcode(.controllerAndBaseband, 0x006C)
    public init() {}

    public struct ReturnParameters: HCIReturnParameters {
        public var status: HCIErrorCode
        public var isLESupported: Bool
        /// Formerly Simultaneous LE and BR/EDR.
        public var unused: UInt8

        public init(status: HCIErrorCode = .success, isLESupported: Bool = false, unused: UInt8 = 0) {
            (self.status, self.isLESupported, self.unused) = (status, isLESupported, unused)
        }

        public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.isLESupported = try coder.field("LE_Supported_Host", \.isLESupported)
            self.unused = try coder.field("Unused", \.unused)
        }
    }
}

/// Sets whether the host of a dual-mode controller supports LE (Vol 4, Part E, 7.3.79).
public struct WriteLEHostSupport: HCICommand {
    public static let opcode = HCIOpcode(.controllerAndBaseband, 0x006D)
    public var isLESupported: Bool
    /// Formerly Simultaneous LE and BR/EDR; zero.
    public var unused: UInt8
    public init(isLESupported: Bool, unused: UInt8 = 0) { (self.isLESupported, self.unused) = (isLESupported, unused) }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.isLESupported = try coder.field("LE_Supported_Host", \.isLESupported)
        self.unused = try coder.field("Unused", \.unused)
    }
}

/// Reads the maximum time between two authenticated packets of a link (Vol 4, Part E, 7.3.93).
public struct ReadAuthenticatedPayloadTimeout: HCICommandForLink {
    public static let opcode = HCIOpcode(.controllerAndBaseband, 0x007B)
    public var handle: ConnectionHandle
    public init(handle: ConnectionHandle) { self.handle = handle }

    public struct ReturnParameters: HCIReturnParameters {
        public var status: HCIErrorCode
        public var handle: ConnectionHandle
        public var timeout: AuthenticatedPayloadTimeout

        public init(
            status: HCIErrorCode = .success,
            handle: ConnectionHandle = ConnectionHandle(rawValue: 0),
            timeout: AuthenticatedPayloadTimeout = AuthenticatedPayloadTimeout(rawValue: 0)
        ) {
            (self.status, self.handle, self.timeout) = (status, handle, timeout)
        }

        public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.handle = try coder.field("Connection_Handle", \.handle)
            self.timeout = try coder.field("Authenticated_Payload_Timeout", \.timeout)
        }
    }
}

/// Sets the maximum time between two authenticated packets of a link (Vol 4, Part E, 7.3.94).
public struct WriteAuthenticatedPayloadTimeout: HCICommand {
    public typealias ReturnParameters = LinkReturnParameters
    public static let opcode = HCIOpcode(.controllerAndBaseband, 0x007C)
    public var handle: ConnectionHandle
    public var timeout: AuthenticatedPayloadTimeout

    public init(handle: ConnectionHandle, timeout: AuthenticatedPayloadTimeout) {
        (self.handle, self.timeout) = (handle, timeout)
    }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.handle = try coder.field("Connection_Handle", \.handle)
        self.timeout = try coder.field("Authenticated_Payload_Timeout", \.timeout)
    }
}
