// Making a link and changing its parameters (Vol 4, Part E, 7.8.12, 7.8.13, 7.8.18 to 7.8.21, 7.8.31 and 7.8.32).

public import BluetoothTypes

/// Connects to an advertising device; LE Connection Complete follows (Vol 4, Part E, 7.8.12).
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

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.scanInterval = try coder.field("LE_Scan_Interval", \.scanInterval)
        self.scanWindow = try coder.field("LE_Scan_Window", \.scanWindow)
        self.filterPolicy = try coder.field("Initiator_Filter_Policy", \.filterPolicy)
        self.peer = try coder.field("Peer_Address", \.peer)
        self.ownAddressType = try coder.field("Own_Address_Type", \.ownAddressType)
        self.parameters = try coder.group(\.parameters)
    }
}

/// Cancels connecting; LE Connection Complete follows (Vol 4, Part E, 7.8.13).
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

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.handle = try coder.field("Connection_Handle", \.handle)
        self.parameters = try coder.group(\.parameters)
    }
}

/// Sets which data channels may be used (Vol 4, Part E, 7.8.19).
public struct LESetHostChannelClassification: HCICommand {
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x0014)

    /// The channels.
    public var channels: ChannelMap

    /// Creates the command.
    public init(channels: ChannelMap) {
        self.channels = channels
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.channels = try coder.field("Channel_Map", \.channels)
    }
}

/// Reads the data channels that a link uses (Vol 4, Part E, 7.8.20).
public struct LEReadChannelMap: HCICommandForLink {
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x0015)

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

        /// The parameters in wire order.
        public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.handle = try coder.field("Connection_Handle", \.handle)
            self.channels = try coder.field("Channel_Map", \.channels)
        }
    }
}

/// Asks a peer for its features; LE Read Remote Features Complete follows (Vol 4, Part E, 7.8.21).
public struct LEReadRemoteFeatures: HCICommandForLink {
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
}

/// Accepts the parameters that a peer asks for (Vol 4, Part E, 7.8.31).
public struct LERemoteConnectionParameterRequestReply: HCICommand {
    /// The status and the link.
    public typealias ReturnParameters = LinkReturnParameters

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

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.handle = try coder.field("Connection_Handle", \.handle)
        self.parameters = try coder.group(\.parameters)
    }
}

/// Refuses the parameters that a peer asks for (Vol 4, Part E, 7.8.32).
public struct LERemoteConnectionParameterRequestNegativeReply: HCICommand {
    /// The status and the link.
    public typealias ReturnParameters = LinkReturnParameters

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

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.handle = try coder.field("Connection_Handle", \.handle)
        self.reason = try coder.field("Reason", \.reason)
    }
}
