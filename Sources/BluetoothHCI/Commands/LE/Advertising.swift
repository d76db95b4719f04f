// Legacy advertising (Vol 4, Part E, 7.8.5 to 7.8.9).

public import BluetoothTypes
public import NIOCore

/// Sets how to advertise (Vol 4, Part E, 7.8.5).
public struct LESetAdvertisingParameters: HCICommand {
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x0006)

    /// The shortest interval.
    public var minimumInterval: AdvertisingInterval
    /// The longest interval.
    public var maximumInterval: AdvertisingInterval
    /// How others may use the advertiser.
    public var type: AdvertisingType
    /// Which own address is used.
    public var ownAddressType: OwnAddressType
    /// The device that directed advertising is meant for.
    public var peer: DeviceAddress
    /// The channels.
    public var channels: AdvertisingChannels
    /// From whom requests are taken.
    public var filterPolicy: AdvertisingFilterPolicy

    /// Creates the command.
    public init(
        minimumInterval: AdvertisingInterval,
        maximumInterval: AdvertisingInterval,
        type: AdvertisingType = .connectableUndirected,
        ownAddressType: OwnAddressType = .public,
        peer: DeviceAddress = .none,
        channels: AdvertisingChannels = .all,
        filterPolicy: AdvertisingFilterPolicy = .all
    ) {
        self.minimumInterval = minimumInterval
        self.maximumInterval = maximumInterval
        self.type = type
        self.ownAddressType = ownAddressType
        self.peer = peer
        self.channels = channels
        self.filterPolicy = filterPolicy
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.minimumInterval = try coder.field("Advertising_Interval_Min", \.minimumInterval)
        self.maximumInterval = try coder.field("Advertising_Interval_Max", \.maximumInterval)
        self.type = try coder.field("Advertising_Type", \.type)
        self.ownAddressType = try coder.field("Own_Address_Type", \.ownAddressType)
        self.peer = try coder.field("Peer_Address", \.peer)
        self.channels = try coder.field("Advertising_Channel_Map", \.channels)
        self.filterPolicy = try coder.field("Advertising_Filter_Policy", \.filterPolicy)
    }
}

/// Reads the power of legacy advertising (Vol 4, Part E, 7.8.6).
public struct LEReadAdvertisingChannelTxPower: HCICommandWithoutParameters {
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x0007)

    /// Creates the command.
    public init() {}

    /// What Command Complete carries.
    public struct ReturnParameters: HCIReturnParameters {
        /// Whether the command succeeded.
        public var status: HCIErrorCode
        /// The power; `nil` where the controller does not know it.
        public var level: TransmitPower?

        /// Creates an answer.
        public init(status: HCIErrorCode = .success, level: TransmitPower? = nil) {
            self.status = status
            self.level = level
        }

        /// The parameters in wire order.
        public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.level = try coder.field("TX_Power_Level", \.level, absent: .notAvailable)
        }
    }
}

/// Sets the data of legacy advertising (Vol 4, Part E, 7.8.7).
public struct LESetAdvertisingData: HCICommand {
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x0008)

    /// At most 31 octets.
    public var data: ByteBuffer

    /// Creates the command.
    public init(data: ByteBuffer) {
        self.data = data
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.data = try coder.octets("Advertising_Data", \.data, limit: 31, paddedTo: 31)
    }
}

/// Sets the data that a scanner may ask for (Vol 4, Part E, 7.8.8).
public struct LESetScanResponseData: HCICommand {
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x0009)

    /// At most 31 octets.
    public var data: ByteBuffer

    /// Creates the command.
    public init(data: ByteBuffer) {
        self.data = data
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.data = try coder.octets("Scan_Response_Data", \.data, limit: 31, paddedTo: 31)
    }
}

/// Starts or stops legacy advertising (Vol 4, Part E, 7.8.9).
public struct LESetAdvertisingEnable: HCICommand {
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x000A)

    /// Whether to advertise.
    public var isEnabled: Bool

    /// Creates the command.
    public init(isEnabled: Bool) {
        self.isEnabled = isEnabled
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.isEnabled = try coder.field("Advertising_Enable", \.isEnabled)
    }
}
