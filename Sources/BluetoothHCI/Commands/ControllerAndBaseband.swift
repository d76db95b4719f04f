// Controller & Baseband commands (Vol 4, Part E, 7.3): reset, event masks, flow control from controller to host, LE
// host support, authenticated payloads.

package import BluetoothTypes

/// Sets the events that the host wants (Vol 4, Part E, 7.3.1).
public struct SetEventMask: HCICommand {
    public static let opcode = HCIOpcode(.controllerAndBaseband, 0x0001)
    package var mask: EventMask
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
package struct ReadTransmitPowerLevel: HCICommand {
    package static let opcode = HCIOpcode(.controllerAndBaseband, 0x002D)
    package var handle: ConnectionHandle
    package var type: TransmitPowerLevelType

    package init(handle: ConnectionHandle, type: TransmitPowerLevelType = .current) {
        (self.handle, self.type) = (handle, type)
    }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.handle = try coder.field("Connection_Handle", \.handle)
        self.type = try coder.field("Type", \.type)
    }

    package struct ReturnParameters: HCIReturnParameters {
        package var status: HCIErrorCode
        package var handle: ConnectionHandle
        package var level: TransmitPower

        package init(
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
package struct SetControllerToHostFlowControl: HCICommand {
    package static let opcode = HCIOpcode(.controllerAndBaseband, 0x0031)
    package var mode: ControllerToHostFlowControl
    package init(mode: ControllerToHostFlowControl) { self.mode = mode }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.mode = try coder.field("Flow_Control_Enable", \.mode)
    }
}

/// Sets the sizes of the host's buffers (Vol 4, Part E, 7.3.39).
package struct HostBufferSize: HCICommand {
    package static let opcode = HCIOpcode(.controllerAndBaseband, 0x0033)
    /// Octets of payload, without the header.
    package var aclDataPacketLength: UInt16
    package var synchronousDataPacketLength: UInt8
    package var aclDataPacketCount: UInt16
    package var synchronousDataPacketCount: UInt16

    package init(
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
package struct SetEventMaskPage2: HCICommand {
    package static let opcode = HCIOpcode(.controllerAndBaseband, 0x0063)
    package var mask: EventMaskPage2
    package init(mask: EventMaskPage2) { self.mask = mask }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.mask = try coder.field("Event_Mask_Page_2", \.mask)
    }
}

/// Reads whether the host of a dual-mode controller supports LE (Vol 4, Part E, 7.3.78).
package struct ReadLEHostSupport: HCICommandWithoutParameters {
    package static let opcode = HCIOpcode(.controllerAndBaseband, 0x006C)
    package init() {}

    package struct ReturnParameters: HCIReturnParameters {
        package var status: HCIErrorCode
        package var isLESupported: Bool
        /// Formerly Simultaneous LE and BR/EDR.
        package var unused: UInt8

        package init(status: HCIErrorCode = .success, isLESupported: Bool = false, unused: UInt8 = 0) {
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
package struct WriteLEHostSupport: HCICommand {
    package static let opcode = HCIOpcode(.controllerAndBaseband, 0x006D)
    package var isLESupported: Bool
    /// Formerly Simultaneous LE and BR/EDR; zero.
    package var unused: UInt8
    package init(isLESupported: Bool, unused: UInt8 = 0) { (self.isLESupported, self.unused) = (isLESupported, unused) }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.isLESupported = try coder.field("LE_Supported_Host", \.isLESupported)
        self.unused = try coder.field("Unused", \.unused)
    }
}

/// Reads the maximum time between two authenticated packets of a link (Vol 4, Part E, 7.3.93).
package struct ReadAuthenticatedPayloadTimeout: HCICommandForLink {
    package static let opcode = HCIOpcode(.controllerAndBaseband, 0x007B)
    package var handle: ConnectionHandle
    package init(handle: ConnectionHandle) { self.handle = handle }

    package struct ReturnParameters: HCIReturnParameters {
        package var status: HCIErrorCode
        package var handle: ConnectionHandle
        package var timeout: AuthenticatedPayloadTimeout

        package init(
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
package struct WriteAuthenticatedPayloadTimeout: HCICommand {
    package typealias ReturnParameters = LinkReturnParameters
    package static let opcode = HCIOpcode(.controllerAndBaseband, 0x007C)
    package var handle: ConnectionHandle
    package var timeout: AuthenticatedPayloadTimeout

    package init(handle: ConnectionHandle, timeout: AuthenticatedPayloadTimeout) {
        (self.handle, self.timeout) = (handle, timeout)
    }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.handle = try coder.field("Connection_Handle", \.handle)
        self.timeout = try coder.field("Authenticated_Payload_Timeout", \.timeout)
    }
}
