// Controller & Baseband commands (Vol 4, Part E, 7.3): reset, event masks, flow control from controller to host, LE host
// support, authenticated payloads.

public import BluetoothTypes
public import NIOCore

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

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) { self.mask.write(into: &bytes) }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            mask: try bytes.readParameter("Event_Mask")
        )
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

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) { bytes.writeParameters(self.handle, self.type) }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            handle: try bytes.readParameter("Connection_Handle"),
            type: try bytes.readParameter("Type")
        )
    }

    /// What Command Complete carries.
    public struct ReturnParameters: HCIReturnParameters {
        /// Whether the command succeeded.
        public var status: HCIErrorCode
        /// The link.
        public var handle: ConnectionHandle
        /// The level in dBm.
        public var level: Int8

        /// Creates an answer.
        public init(
            status: HCIErrorCode = .success,
            handle: ConnectionHandle = ConnectionHandle(rawValue: 0),
            level: Int8 = 0
        ) {
            self.status = status
            self.handle = handle
            self.level = level
        }

        /// Writes the answer.
        public func encode(into bytes: inout ByteBuffer) {
            bytes.writeParameters(self.status, self.handle, self.level)
        }

        /// Reads the answer.
        public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
            self.init(
                status: try bytes.readStatus(padding: 3),
                handle: try bytes.readParameter("Connection_Handle"),
                level: try bytes.readParameter("TX_Power_Level")
            )
        }
    }
}

/// Chooses the packets for which the host tells what it has done (Vol 4, Part E, 7.3.38).
public struct SetControllerToHostFlowControl: HCICommand {
    /// The number of the command.
    public static let opcode = HCIOpcode(.controllerAndBaseband, 0x0031)

    /// The packets.
    public var mode: ControllerToHostFlowControl

    /// Creates the command.
    public init(mode: ControllerToHostFlowControl) {
        self.mode = mode
    }

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) { self.mode.write(into: &bytes) }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            mode: try bytes.readParameter("Flow_Control_Enable")
        )
    }
}

/// Tells the controller how much the host can hold (Vol 4, Part E, 7.3.39).
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

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) {
        bytes.writeParameters(
            self.aclDataPacketLength,
            self.synchronousDataPacketLength,
            self.aclDataPacketCount,
            self.synchronousDataPacketCount
        )
    }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            aclDataPacketLength: try bytes.readParameter("Host_ACL_Data_Packet_Length"),
            synchronousDataPacketLength: try bytes.readParameter("Host_Synchronous_Data_Packet_Length"),
            aclDataPacketCount: try bytes.readParameter("Host_Total_Num_ACL_Data_Packets"),
            synchronousDataPacketCount: try bytes.readParameter("Host_Total_Num_Synchronous_Data_Packets")
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

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) { self.mask.write(into: &bytes) }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            mask: try bytes.readParameter("Event_Mask_Page_2")
        )
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

        /// Writes the answer.
        public func encode(into bytes: inout ByteBuffer) {
            bytes.writeParameters(self.status, self.isLESupported, self.unused)
        }

        /// Reads the answer.
        public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
            self.init(
                status: try bytes.readStatus(padding: 2),
                isLESupported: try bytes.readParameter("LE_Supported_Host"),
                unused: try bytes.readParameter("Unused")
            )
        }
    }
}

/// Tells a controller for both radios that the host speaks LE (Vol 4, Part E, 7.3.79).
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

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) {
        bytes.writeParameters(self.isLESupported, self.unused)
    }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            isLESupported: try bytes.readParameter("LE_Supported_Host"),
            unused: try bytes.readParameter("Unused")
        )
    }
}

/// Reads the longest time between two authenticated packets of a link (Vol 4, Part E, 7.3.93).
public struct ReadAuthenticatedPayloadTimeout: HCICommand {
    /// The number of the command.
    public static let opcode = HCIOpcode(.controllerAndBaseband, 0x007B)

    /// The link.
    public var handle: ConnectionHandle

    /// Creates the command.
    public init(handle: ConnectionHandle) {
        self.handle = handle
    }

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) { self.handle.write(into: &bytes) }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            handle: try bytes.readParameter("Connection_Handle")
        )
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

        /// Writes the answer.
        public func encode(into bytes: inout ByteBuffer) {
            bytes.writeParameters(self.status, self.handle, self.timeout)
        }

        /// Reads the answer.
        public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
            self.init(
                status: try bytes.readStatus(padding: 4),
                handle: try bytes.readParameter("Connection_Handle"),
                timeout: try bytes.readParameter("Authenticated_Payload_Timeout")
            )
        }
    }
}

/// Sets the longest time between two authenticated packets of a link (Vol 4, Part E, 7.3.94).
public struct WriteAuthenticatedPayloadTimeout: HCICommand {
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

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) { bytes.writeParameters(self.handle, self.timeout) }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            handle: try bytes.readParameter("Connection_Handle"),
            timeout: try bytes.readParameter("Authenticated_Payload_Timeout")
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
