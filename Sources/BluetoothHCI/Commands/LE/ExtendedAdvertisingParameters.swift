// How an extended advertising set advertises (Vol 4, Part E, 7.8.53), in two versions of the command.

public import BluetoothTypes
public import NIOCore

/// Creates a set or changes how it advertises [v1] (Vol 4, Part E, 7.8.53).
public struct LESetExtendedAdvertisingParameters: HCICommand {
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x0036)

    /// The advertising set.
    public var advertisingHandle: AdvertisingHandle
    /// How others may use the set.
    public var properties: AdvertisingEventProperties
    /// The shortest interval.
    public var minimumInterval: ExtendedAdvertisingInterval
    /// The longest interval.
    public var maximumInterval: ExtendedAdvertisingInterval
    /// The primary channels.
    public var channels: AdvertisingChannels
    /// Which own address is used.
    public var ownAddressType: OwnAddressType
    /// The device that directed advertising is meant for.
    public var peer: DeviceAddress
    /// From whom requests are taken.
    public var filterPolicy: AdvertisingFilterPolicy
    /// The power of sending in dBm; 127 for no wish.
    public var txPower: Int8
    /// The PHY of the primary channels.
    public var primaryPHY: PHY
    /// How many events may pass before the data is sent.
    public var secondaryMaximumSkip: UInt8
    /// The PHY of the secondary channels.
    public var secondaryPHY: PHY
    /// The set's number on the air, 0 to 15.
    public var setIdentifier: UInt8
    /// Whether scan requests are told.
    public var notifiesScanRequests: Bool

    /// Creates the command.
    public init(
        advertisingHandle: AdvertisingHandle,
        properties: AdvertisingEventProperties,
        minimumInterval: ExtendedAdvertisingInterval,
        maximumInterval: ExtendedAdvertisingInterval,
        channels: AdvertisingChannels = .all,
        ownAddressType: OwnAddressType = .public,
        peer: DeviceAddress = .none,
        filterPolicy: AdvertisingFilterPolicy = .all,
        txPower: Int8 = 127,
        primaryPHY: PHY = .le1M,
        secondaryMaximumSkip: UInt8 = 0,
        secondaryPHY: PHY = .le1M,
        setIdentifier: UInt8 = 0,
        notifiesScanRequests: Bool = false
    ) {
        self.advertisingHandle = advertisingHandle
        self.properties = properties
        self.minimumInterval = minimumInterval
        self.maximumInterval = maximumInterval
        self.channels = channels
        self.ownAddressType = ownAddressType
        self.peer = peer
        self.filterPolicy = filterPolicy
        self.txPower = txPower
        self.primaryPHY = primaryPHY
        self.secondaryMaximumSkip = secondaryMaximumSkip
        self.secondaryPHY = secondaryPHY
        self.setIdentifier = setIdentifier
        self.notifiesScanRequests = notifiesScanRequests
    }

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) {
        bytes.writeParameters(
            self.advertisingHandle,
            self.properties,
            self.minimumInterval,
            self.maximumInterval,
            self.channels,
            self.ownAddressType,
            self.peer,
            self.filterPolicy,
            self.txPower,
            self.primaryPHY,
            self.secondaryMaximumSkip,
            self.secondaryPHY,
            self.setIdentifier,
            self.notifiesScanRequests
        )
    }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            advertisingHandle: try bytes.readParameter("Advertising_Handle"),
            properties: try bytes.readParameter("Advertising_Event_Properties"),
            minimumInterval: try bytes.readParameter("Primary_Advertising_Interval_Min"),
            maximumInterval: try bytes.readParameter("Primary_Advertising_Interval_Max"),
            channels: try bytes.readParameter("Primary_Advertising_Channel_Map"),
            ownAddressType: try bytes.readParameter("Own_Address_Type"),
            peer: try bytes.readParameter("Peer_Address"),
            filterPolicy: try bytes.readParameter("Advertising_Filter_Policy"),
            txPower: try bytes.readParameter("Advertising_TX_Power"),
            primaryPHY: try bytes.readParameter("Primary_Advertising_PHY"),
            secondaryMaximumSkip: try bytes.readParameter("Secondary_Advertising_Max_Skip"),
            secondaryPHY: try bytes.readParameter("Secondary_Advertising_PHY"),
            setIdentifier: try bytes.readParameter("Advertising_SID"),
            notifiesScanRequests: try bytes.readParameter("Scan_Request_Notification_Enable")
        )
    }

    /// What Command Complete carries.
    public struct ReturnParameters: HCIReturnParameters {
        /// Whether the command succeeded.
        public var status: HCIErrorCode
        /// The power of sending in dBm.
        public var selectedTxPower: Int8

        /// Creates an answer.
        public init(status: HCIErrorCode = .success, selectedTxPower: Int8 = 0) {
            self.status = status
            self.selectedTxPower = selectedTxPower
        }

        /// Writes the answer.
        public func encode(into bytes: inout ByteBuffer) {
            bytes.writeParameters(self.status, self.selectedTxPower)
        }

        /// Reads the answer.
        public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
            self.init(
                status: try bytes.readStatus(padding: 1),
                selectedTxPower: try bytes.readParameter("Selected_TX_Power")
            )
        }
    }
}

/// Creates a set or changes how it advertises [v2] (Vol 4, Part E, 7.8.53).
public struct LESetExtendedAdvertisingParametersV2: HCICommand {
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x007F)

    /// The advertising set.
    public var advertisingHandle: AdvertisingHandle
    /// How others may use the set.
    public var properties: AdvertisingEventProperties
    /// The shortest interval.
    public var minimumInterval: ExtendedAdvertisingInterval
    /// The longest interval.
    public var maximumInterval: ExtendedAdvertisingInterval
    /// The primary channels.
    public var channels: AdvertisingChannels
    /// Which own address is used.
    public var ownAddressType: OwnAddressType
    /// The device that directed advertising is meant for.
    public var peer: DeviceAddress
    /// From whom requests are taken.
    public var filterPolicy: AdvertisingFilterPolicy
    /// The power of sending in dBm; 127 for no wish.
    public var txPower: Int8
    /// The PHY of the primary channels.
    public var primaryPHY: PHY
    /// How many events may pass before the data is sent.
    public var secondaryMaximumSkip: UInt8
    /// The PHY of the secondary channels.
    public var secondaryPHY: PHY
    /// The set's number on the air, 0 to 15.
    public var setIdentifier: UInt8
    /// Whether scan requests are told.
    public var notifiesScanRequests: Bool
    /// How Coded PHY is wished for on the primary channels.
    public var primaryPHYOptions: AdvertisingPHYOptions
    /// How Coded PHY is wished for on the secondary channels.
    public var secondaryPHYOptions: AdvertisingPHYOptions

    /// Creates the command.
    public init(
        advertisingHandle: AdvertisingHandle,
        properties: AdvertisingEventProperties,
        minimumInterval: ExtendedAdvertisingInterval,
        maximumInterval: ExtendedAdvertisingInterval,
        channels: AdvertisingChannels = .all,
        ownAddressType: OwnAddressType = .public,
        peer: DeviceAddress = .none,
        filterPolicy: AdvertisingFilterPolicy = .all,
        txPower: Int8 = 127,
        primaryPHY: PHY = .le1M,
        secondaryMaximumSkip: UInt8 = 0,
        secondaryPHY: PHY = .le1M,
        setIdentifier: UInt8 = 0,
        notifiesScanRequests: Bool = false,
        primaryPHYOptions: AdvertisingPHYOptions = .noPreference,
        secondaryPHYOptions: AdvertisingPHYOptions = .noPreference
    ) {
        self.advertisingHandle = advertisingHandle
        self.properties = properties
        self.minimumInterval = minimumInterval
        self.maximumInterval = maximumInterval
        self.channels = channels
        self.ownAddressType = ownAddressType
        self.peer = peer
        self.filterPolicy = filterPolicy
        self.txPower = txPower
        self.primaryPHY = primaryPHY
        self.secondaryMaximumSkip = secondaryMaximumSkip
        self.secondaryPHY = secondaryPHY
        self.setIdentifier = setIdentifier
        self.notifiesScanRequests = notifiesScanRequests
        self.primaryPHYOptions = primaryPHYOptions
        self.secondaryPHYOptions = secondaryPHYOptions
    }

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) {
        bytes.writeParameters(
            self.advertisingHandle,
            self.properties,
            self.minimumInterval,
            self.maximumInterval,
            self.channels,
            self.ownAddressType,
            self.peer,
            self.filterPolicy,
            self.txPower,
            self.primaryPHY,
            self.secondaryMaximumSkip,
            self.secondaryPHY,
            self.setIdentifier,
            self.notifiesScanRequests,
            self.primaryPHYOptions,
            self.secondaryPHYOptions
        )
    }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            advertisingHandle: try bytes.readParameter("Advertising_Handle"),
            properties: try bytes.readParameter("Advertising_Event_Properties"),
            minimumInterval: try bytes.readParameter("Primary_Advertising_Interval_Min"),
            maximumInterval: try bytes.readParameter("Primary_Advertising_Interval_Max"),
            channels: try bytes.readParameter("Primary_Advertising_Channel_Map"),
            ownAddressType: try bytes.readParameter("Own_Address_Type"),
            peer: try bytes.readParameter("Peer_Address"),
            filterPolicy: try bytes.readParameter("Advertising_Filter_Policy"),
            txPower: try bytes.readParameter("Advertising_TX_Power"),
            primaryPHY: try bytes.readParameter("Primary_Advertising_PHY"),
            secondaryMaximumSkip: try bytes.readParameter("Secondary_Advertising_Max_Skip"),
            secondaryPHY: try bytes.readParameter("Secondary_Advertising_PHY"),
            setIdentifier: try bytes.readParameter("Advertising_SID"),
            notifiesScanRequests: try bytes.readParameter("Scan_Request_Notification_Enable"),
            primaryPHYOptions: try bytes.readParameter("Primary_Advertising_PHY_Options"),
            secondaryPHYOptions: try bytes.readParameter("Secondary_Advertising_PHY_Options")
        )
    }

    /// What Command Complete carries.
    public struct ReturnParameters: HCIReturnParameters {
        /// Whether the command succeeded.
        public var status: HCIErrorCode
        /// The power of sending in dBm.
        public var selectedTxPower: Int8

        /// Creates an answer.
        public init(status: HCIErrorCode = .success, selectedTxPower: Int8 = 0) {
            self.status = status
            self.selectedTxPower = selectedTxPower
        }

        /// Writes the answer.
        public func encode(into bytes: inout ByteBuffer) {
            bytes.writeParameters(self.status, self.selectedTxPower)
        }

        /// Reads the answer.
        public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
            self.init(
                status: try bytes.readStatus(padding: 1),
                selectedTxPower: try bytes.readParameter("Selected_TX_Power")
            )
        }
    }
}
