// Legacy advertising (Vol 4, Part E, 7.8.5 to 7.8.9).

public import BluetoothTypes
public import NIOCore

/// Sets the parameters of legacy advertising (Vol 4, Part E, 7.8.5).
public struct LESetAdvertisingParameters: HCICommand {
    public static let opcode = HCIOpcode(.leController, 0x0006)
    public var minimumInterval: AdvertisingInterval
    public var maximumInterval: AdvertisingInterval
    /// Whether others may connect or send scan requests.
    public var type: AdvertisingType
    public var ownAddressType: OwnAddressType
    /// The target of directed advertising.
    public var peer: DeviceAddress
    public var channels: AdvertisingChannels
    public var filterPolicy: AdvertisingFilterPolicy

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

/// Reads the transmit power of legacy advertising (Vol 4, Part E, 7.8.6).
public struct LEReadAdvertisingChannelTxPower: HCICommandWithoutParameters {
    public static let opcode = HCIOpcode(.leController, 0x0007)
    public init() {}

    public struct ReturnParameters: HCIReturnParameters {
        public var status: HCIErrorCode
        /// `nil` if the controller does not know it.
        public var level: TransmitPower?

        public init(status: HCIErrorCode = .success, level: TransmitPower? = nil) {
            (self.status, self.level) = (status, level)
        }

        public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.level = try coder.field("TX_Power_Level", \.level, absent: .notAvailable)
        }
    }
}

/// Sets the data of legacy advertising (Vol 4, Part E, 7.8.7).
public struct LESetAdvertisingData: HCICommand {
    public static let opcode = HCIOpcode(.leController, 0x0008)
    /// At most 31 octets.
    public var data: ByteBuffer
    public init(data: ByteBuffer) { self.data = data }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.data = try coder.octets("Advertising_Data", \.data, limit: 31, paddedTo: 31)
    }
}

/// Sets the scan response data of legacy advertising (Vol 4, Part E, 7.8.8).
public struct LESetScanResponseData: HCICommand {
    public static let opcode = HCIOpcode(.leController, 0x0009)
    /// At most 31 octets.
    public var data: ByteBuffer
    public init(data: ByteBuffer) { self.data = data }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.data = try coder.octets("Scan_Response_Data", \.data, limit: 31, paddedTo: 31)
    }
}

/// Starts or stops legacy advertising (Vol 4, Part E, 7.8.9).
public struct LESetAdvertisingEnable: HCICommand {
    public static let opcode = HCIOpcode(.leController, 0x000A)
    public var isEnabled: Bool
    public init(isEnabled: Bool) { self.isEnabled = isEnabled }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.isEnabled = try coder.field("Advertising_Enable", \.isEnabled)
    }
}
