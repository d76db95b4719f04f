// Establishing a link and changing its parameters (Vol 4, Part E, 7.8.12, 7.8.13, 7.8.18 to 7.8.21, 7.8.31, 7.8.32).

public import BluetoothTypes

/// Connects to an advertising device; LE Connection Complete follows (Vol 4, Part E, 7.8.12).
public struct LECreateConnection: HCICommand {
    public typealias ReturnParameters = NoReturnParameters
    public static let opcode = HCIOpcode(.leController, 0x000D)
    public var scanInterval: ScanInterval
    public var scanWindow: ScanInterval
    public var filterPolicy: InitiatorFilterPolicy
    /// Ignored if the filter accept list is used.
    public var peer: DeviceAddress
    public var ownAddressType: OwnAddressType
    public var parameters: ConnectionParameters

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
    public static let opcode = HCIOpcode(.leController, 0x000E)
    public init() {}
}

/// Changes the parameters of a link; LE Connection Update Complete follows (Vol 4, Part E, 7.8.18).
public struct LEConnectionUpdate: HCICommand {
    public typealias ReturnParameters = NoReturnParameters
    public static let opcode = HCIOpcode(.leController, 0x0013)
    public var handle: ConnectionHandle
    public var parameters: ConnectionParameters

    public init(handle: ConnectionHandle, parameters: ConnectionParameters) {
        (self.handle, self.parameters) = (handle, parameters)
    }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.handle = try coder.field("Connection_Handle", \.handle)
        self.parameters = try coder.group(\.parameters)
    }
}

/// Sets which data channels may be used (Vol 4, Part E, 7.8.19).
public struct LESetHostChannelClassification: HCICommand {
    public static let opcode = HCIOpcode(.leController, 0x0014)
    public var channels: ChannelMap
    public init(channels: ChannelMap) { self.channels = channels }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.channels = try coder.field("Channel_Map", \.channels)
    }
}

/// Reads the data channels that a link uses (Vol 4, Part E, 7.8.20).
public struct LEReadChannelMap: HCICommandForLink {
    public static let opcode = HCIOpcode(.leController, 0x0015)
    public var handle: ConnectionHandle
    public init(handle: ConnectionHandle) { self.handle = handle }

    public struct ReturnParameters: HCIReturnParameters {
        public var status: HCIErrorCode
        public var handle: ConnectionHandle
        public var channels: ChannelMap

        public init(
            status: HCIErrorCode = .success,
            handle: ConnectionHandle = ConnectionHandle(rawValue: 0),
            channels: ChannelMap = ChannelMap(rawValue: 0)
        ) {
            (self.status, self.handle, self.channels) = (status, handle, channels)
        }

        public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.handle = try coder.field("Connection_Handle", \.handle)
            self.channels = try coder.field("Channel_Map", \.channels)
        }
    }
}

/// Requests a peer's features; LE Read Remote Features Complete follows (Vol 4, Part E, 7.8.21).
public struct LEReadRemoteFeatures: HCICommandForLink {
    public typealias ReturnParameters = NoReturnParameters
    public static let opcode = HCIOpcode(.leController, 0x0016)
    public var handle: ConnectionHandle
    public init(handle: ConnectionHandle) { self.handle = handle }
}

/// Accepts the parameters that a peer requests (Vol 4, Part E, 7.8.31).
public struct LERemoteConnectionParameterRequestReply: HCICommand {
    public typealias ReturnParameters = LinkReturnParameters
    public static let opcode = HCIOpcode(.leController, 0x0020)
    public var handle: ConnectionHandle
    public var parameters: ConnectionParameters

    public init(handle: ConnectionHandle, parameters: ConnectionParameters) {
        (self.handle, self.parameters) = (handle, parameters)
    }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.handle = try coder.field("Connection_Handle", \.handle)
        self.parameters = try coder.group(\.parameters)
    }
}

/// Rejects the parameters that a peer requests (Vol 4, Part E, 7.8.32).
public struct LERemoteConnectionParameterRequestNegativeReply: HCICommand {
    public typealias ReturnParameters = LinkReturnParameters
    public static let opcode = HCIOpcode(.leController, 0x0021)
    public var handle: ConnectionHandle
    public var reason: HCIErrorCode

    public init(handle: ConnectionHandle, reason: HCIErrorCode = .unacceptableConnectionParameters) {
        (self.handle, self.reason) = (handle, reason)
    }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.handle = try coder.field("Connection_Handle", \.handle)
        self.reason = try coder.field("Reason", \.reason)
    }
}
