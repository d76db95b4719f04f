// The parameters of an extended advertising set (Vol 4, Part E, 7.8.53), in two versions of the command.

public import BluetoothTypes

/// Creates a set or changes its parameters [v1] (Vol 4, Part E, 7.8.53).
public struct LESetExtendedAdvertisingParameters: HCICommand {
    public static let opcode = HCIOpcode(.leController, 0x0036)
    public var advertisingHandle: AdvertisingHandle
    /// Whether others may connect or send scan requests, and the kind of PDU.
    public var properties: AdvertisingEventProperties
    public var minimumInterval: ExtendedAdvertisingInterval
    public var maximumInterval: ExtendedAdvertisingInterval
    public var channels: AdvertisingChannels
    public var ownAddressType: OwnAddressType
    /// The target of directed advertising.
    public var peer: DeviceAddress
    public var filterPolicy: AdvertisingFilterPolicy
    /// `nil` for no preference.
    public var txPower: TransmitPower?
    public var primaryPHY: PHY
    /// The number of advertising events that may be skipped before the data is sent.
    public var secondaryMaximumSkip: UInt8
    public var secondaryPHY: PHY
    /// The Advertising SID, 0 to 15.
    public var setIdentifier: UInt8
    public var notifiesScanRequests: Bool

    public init(
        advertisingHandle: AdvertisingHandle,
        properties: AdvertisingEventProperties,
        minimumInterval: ExtendedAdvertisingInterval,
        maximumInterval: ExtendedAdvertisingInterval,
        channels: AdvertisingChannels = .all,
        ownAddressType: OwnAddressType = .public,
        peer: DeviceAddress = .none,
        filterPolicy: AdvertisingFilterPolicy = .all,
        txPower: TransmitPower? = nil,
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

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.advertisingHandle = try coder.field("Advertising_Handle", \.advertisingHandle)
        self.properties = try coder.field("Advertising_Event_Properties", \.properties)
        self.minimumInterval = try coder.field("Primary_Advertising_Interval_Min", \.minimumInterval)
        self.maximumInterval = try coder.field("Primary_Advertising_Interval_Max", \.maximumInterval)
        self.channels = try coder.field("Primary_Advertising_Channel_Map", \.channels)
        self.ownAddressType = try coder.field("Own_Address_Type", \.ownAddressType)
        self.peer = try coder.field("Peer_Address", \.peer)
        self.filterPolicy = try coder.field("Advertising_Filter_Policy", \.filterPolicy)
        self.txPower = try coder.field("Advertising_TX_Power", \.txPower, absent: .notAvailable)
        self.primaryPHY = try coder.field("Primary_Advertising_PHY", \.primaryPHY)
        self.secondaryMaximumSkip = try coder.field("Secondary_Advertising_Max_Skip", \.secondaryMaximumSkip)
        self.secondaryPHY = try coder.field("Secondary_Advertising_PHY", \.secondaryPHY)
        self.setIdentifier = try coder.field("Advertising_SID", \.setIdentifier)
        self.notifiesScanRequests = try coder.field("Scan_Request_Notification_Enable", \.notifiesScanRequests)
    }

    public struct ReturnParameters: HCIReturnParameters {
        public var status: HCIErrorCode
        /// The power chosen by the controller.
        public var selectedTxPower: TransmitPower

        public init(status: HCIErrorCode = .success, selectedTxPower: TransmitPower = 0) {
            (self.status, self.selectedTxPower) = (status, selectedTxPower)
        }

        public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.selectedTxPower = try coder.field("Selected_TX_Power", \.selectedTxPower)
        }
    }
}

/// Creates a set or changes its parameters [v2], with the coding of LE Coded (Vol 4, Part E, 7.8.53).
public struct LESetExtendedAdvertisingParametersV2: HCICommand {
    /// As [v1].
    public typealias ReturnParameters = LESetExtendedAdvertisingParameters.ReturnParameters
    public static let opcode = HCIOpcode(.leController, 0x007F)
    /// The parameters of [v1].
    public var parameters: LESetExtendedAdvertisingParameters
    /// Preferred coding if the primary PHY is LE Coded.
    public var primaryPHYOptions: AdvertisingPHYOptions
    /// Preferred coding if the secondary PHY is LE Coded.
    public var secondaryPHYOptions: AdvertisingPHYOptions

    public init(
        parameters: LESetExtendedAdvertisingParameters,
        primaryPHYOptions: AdvertisingPHYOptions = .noPreference,
        secondaryPHYOptions: AdvertisingPHYOptions = .noPreference
    ) {
        self.parameters = parameters
        self.primaryPHYOptions = primaryPHYOptions
        self.secondaryPHYOptions = secondaryPHYOptions
    }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.parameters = try coder.group(\.parameters)
        self.primaryPHYOptions = try coder.field("Primary_Advertising_PHY_Options", \.primaryPHYOptions)
        self.secondaryPHYOptions = try coder.field("Secondary_Advertising_PHY_Options", \.secondaryPHYOptions)
    }
}
