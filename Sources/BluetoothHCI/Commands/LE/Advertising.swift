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

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) {
        bytes.writeParameters(
            self.minimumInterval,
            self.maximumInterval,
            self.type,
            self.ownAddressType,
            self.peer,
            self.channels,
            self.filterPolicy
        )
    }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            minimumInterval: try bytes.readParameter("Advertising_Interval_Min"),
            maximumInterval: try bytes.readParameter("Advertising_Interval_Max"),
            type: try bytes.readParameter("Advertising_Type"),
            ownAddressType: try bytes.readParameter("Own_Address_Type"),
            peer: try bytes.readParameter("Peer_Address"),
            channels: try bytes.readParameter("Advertising_Channel_Map"),
            filterPolicy: try bytes.readParameter("Advertising_Filter_Policy")
        )
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
        /// The level in dBm.
        public var level: Int8

        /// Creates an answer.
        public init(status: HCIErrorCode = .success, level: Int8 = 0) {
            self.status = status
            self.level = level
        }

        /// Writes the answer.
        public func encode(into bytes: inout ByteBuffer) { bytes.writeParameters(self.status, self.level) }

        /// Reads the answer.
        public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
            self.init(
                status: try bytes.readStatus(padding: 1),
                level: try bytes.readParameter("TX_Power_Level")
            )
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

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) {
        bytes.writeCounted(self.data, limit: 31, paddedTo: 31)
    }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            data: try bytes.readCounted(limit: 31, "Advertising_Data")
        )
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

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) {
        bytes.writeCounted(self.data, limit: 31, paddedTo: 31)
    }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            data: try bytes.readCounted(limit: 31, "Scan_Response_Data")
        )
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

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) { self.isEnabled.write(into: &bytes) }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            isEnabled: try bytes.readParameter("Advertising_Enable")
        )
    }
}
