// Making a link and changing its parameters (Vol 4, Part E, 7.8.12, 7.8.13, 7.8.18 to 7.8.21, 7.8.31 and 7.8.32).

public import BluetoothTypes
public import NIOCore

/// Connects to a device that is heard advertising; LE Connection Complete follows (Vol 4, Part E, 7.8.12).
public struct LECreateConnection: HCICommand {
    /// Answered by Command Status.
    public typealias ReturnParameters = NoReturnParameters

    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x000D)

    /// The time between the starts of two windows.
    public var scanInterval: ScanInterval
    /// How long the radio listens in each interval.
    public var scanWindow: ScanInterval
    /// With whom.
    public var filterPolicy: InitiatorFilterPolicy
    /// The device; ignored where the filter accept list is used.
    public var peer: DeviceAddress
    /// Which own address is used.
    public var ownAddressType: OwnAddressType
    /// The parameters of the link.
    public var parameters: ConnectionParameters

    /// Creates the command.
    public init(
        scanInterval: ScanInterval,
        scanWindow: ScanInterval,
        filterPolicy: InitiatorFilterPolicy = .peer,
        peer: DeviceAddress = .none,
        ownAddressType: OwnAddressType = .public,
        parameters: ConnectionParameters
    ) {
        self.scanInterval = scanInterval
        self.scanWindow = scanWindow
        self.filterPolicy = filterPolicy
        self.peer = peer
        self.ownAddressType = ownAddressType
        self.parameters = parameters
    }

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) {
        bytes.writeParameters(
            self.scanInterval,
            self.scanWindow,
            self.filterPolicy,
            self.peer,
            self.ownAddressType,
            self.parameters
        )
    }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            scanInterval: try bytes.readParameter("LE_Scan_Interval"),
            scanWindow: try bytes.readParameter("LE_Scan_Window"),
            filterPolicy: try bytes.readParameter("Initiator_Filter_Policy"),
            peer: try bytes.readParameter("Peer_Address"),
            ownAddressType: try bytes.readParameter("Own_Address_Type"),
            parameters: try bytes.readParameter("Connection_Interval")
        )
    }
}

/// Gives up connecting; LE Connection Complete follows (Vol 4, Part E, 7.8.13).
public struct LECreateConnectionCancel: HCICommandWithoutParameters {
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x000E)

    /// Creates the command.
    public init() {}
}

/// Changes the parameters of a link; LE Connection Update Complete follows (Vol 4, Part E, 7.8.18).
public struct LEConnectionUpdate: HCICommand {
    /// Answered by Command Status.
    public typealias ReturnParameters = NoReturnParameters

    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x0013)

    /// The link.
    public var handle: ConnectionHandle
    /// The parameters of the link.
    public var parameters: ConnectionParameters

    /// Creates the command.
    public init(handle: ConnectionHandle, parameters: ConnectionParameters) {
        self.handle = handle
        self.parameters = parameters
    }

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) {
        bytes.writeParameters(self.handle, self.parameters)
    }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            handle: try bytes.readParameter("Connection_Handle"),
            parameters: try bytes.readParameter("Connection_Interval")
        )
    }
}

/// Tells which data channels are not bad (Vol 4, Part E, 7.8.19).
public struct LESetHostChannelClassification: HCICommand {
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x0014)

    /// The channels.
    public var channels: ChannelMap

    /// Creates the command.
    public init(channels: ChannelMap) {
        self.channels = channels
    }

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) { self.channels.write(into: &bytes) }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            channels: try bytes.readParameter("Channel_Map")
        )
    }
}

/// Reads the data channels that a link uses (Vol 4, Part E, 7.8.20).
public struct LEReadChannelMap: HCICommand {
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x0015)

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
        /// The channels.
        public var channels: ChannelMap

        /// Creates an answer.
        public init(
            status: HCIErrorCode = .success,
            handle: ConnectionHandle = ConnectionHandle(rawValue: 0),
            channels: ChannelMap = ChannelMap(rawValue: 0)
        ) {
            self.status = status
            self.handle = handle
            self.channels = channels
        }

        /// Writes the answer.
        public func encode(into bytes: inout ByteBuffer) {
            bytes.writeParameters(self.status, self.handle, self.channels)
        }

        /// Reads the answer.
        public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
            self.init(
                status: try bytes.readStatus(padding: 7),
                handle: try bytes.readParameter("Connection_Handle"),
                channels: try bytes.readParameter("Channel_Map")
            )
        }
    }
}

/// Asks a peer for its features; LE Read Remote Features Complete follows (Vol 4, Part E, 7.8.21).
public struct LEReadRemoteFeatures: HCICommand {
    /// Answered by Command Status.
    public typealias ReturnParameters = NoReturnParameters

    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x0016)

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
}

/// Accepts the parameters that a peer asks for (Vol 4, Part E, 7.8.31).
public struct LERemoteConnectionParameterRequestReply: HCICommand {
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x0020)

    /// The link.
    public var handle: ConnectionHandle
    /// The parameters of the link.
    public var parameters: ConnectionParameters

    /// Creates the command.
    public init(handle: ConnectionHandle, parameters: ConnectionParameters) {
        self.handle = handle
        self.parameters = parameters
    }

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) {
        bytes.writeParameters(self.handle, self.parameters)
    }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            handle: try bytes.readParameter("Connection_Handle"),
            parameters: try bytes.readParameter("Connection_Interval")
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

/// Refuses the parameters that a peer asks for (Vol 4, Part E, 7.8.32).
public struct LERemoteConnectionParameterRequestNegativeReply: HCICommand {
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x0021)

    /// The link.
    public var handle: ConnectionHandle
    /// Why.
    public var reason: HCIErrorCode

    /// Creates the command.
    public init(
        handle: ConnectionHandle,
        reason: HCIErrorCode = .unacceptableConnectionParameters
    ) {
        self.handle = handle
        self.reason = reason
    }

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) { bytes.writeParameters(self.handle, self.reason) }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            handle: try bytes.readParameter("Connection_Handle"),
            reason: try bytes.readParameter("Reason")
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
