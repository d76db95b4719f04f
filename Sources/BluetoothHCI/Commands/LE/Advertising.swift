// Legacy advertising (Vol 4, Part E, 7.8.5 to 7.8.9).

public import BluetoothTypes
public import NIOCore

/// Sets the parameters of legacy advertising (Vol 4, Part E, 7.8.5).
public struct LESetAdvertisingParameters: HCICommand {
    public static let opcode = HCIOpcode(.leController, 0x0006)
    package var minimumInterval: AdvertisingInterval
    package var maximumInterval: AdvertisingInterval
    /// Whether others may connect or send scan requests.
    package var type: AdvertisingType
    package var ownAddressType: OwnAddressType
    /// The target of directed advertising.
    package var peer: DeviceAddress
    package var channels: AdvertisingChannels
    package var filterPolicy: AdvertisingFilterPolicy

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
package struct LEReadAdvertisingChannelTxPower: HCICommandWithoutParameters {
    package static let opcode = HCIOpcode(.leController, 0x0007)
    package init() {}

    package struct ReturnParameters: HCIReturnParameters {
        package var status: HCIErrorCode
        /// `nil` if the controller does not know it.
        package var level: TransmitPower?

        package init(status: HCIErrorCode = .success, level: TransmitPower? = nil) {
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
    package var data: ByteBuffer
    public init(data: ByteBuffer) { self.data = data }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.data = try coder.octets("Advertising_Data", \.data, limit: 31, paddedTo: 31)
    }
}

/// Sets the scan response data of legacy advertising (Vol 4, Part E, 7.8.8).
package struct LESetScanResponseData: HCICommand {
    package static let opcode = HCIOpcode(.leController, 0x0009)
    /// At most 31 octets.
    package var data: ByteBuffer
    package init(data: ByteBuffer) { self.data = data }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.data = try coder.octets("Scan_Response_Data", \.data, limit: 31, paddedTo: 31)
    }
}

/// Starts or stops legacy advertising (Vol 4, Part E, 7.8.9).
public struct LESetAdvertisingEnable: HCICommand {
    public static let opcode = HCIOpcode(.leController, 0x000A)
    package var isEnabled: Bool
    public init(isEnabled: Bool) { self.isEnabled = isEnabled }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.isEnabled = try coder.field("Advertising_Enable", \.isEnabled)
    }
}
