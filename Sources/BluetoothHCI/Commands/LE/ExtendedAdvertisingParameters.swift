// How an extended advertising set advertises (Vol 4, Part E, 7.8.53), in two versions of the command.

public import BluetoothTypes

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
    /// The power at which the set is sent; `nil` for no preference.
    public var txPower: TransmitPower?
    /// The PHY of the primary channels.
    public var primaryPHY: PHY
    /// How many events may pass before the data is sent.
    public var secondaryMaximumSkip: UInt8
    /// The PHY of the secondary channels.
    public var secondaryPHY: PHY
    /// The set's number on the air, 0 to 15.
    public var setIdentifier: UInt8
    /// Whether scan requests are reported.
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

    /// The parameters in wire order.
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

    /// What Command Complete carries.
    public struct ReturnParameters: HCIReturnParameters {
        /// Whether the command succeeded.
        public var status: HCIErrorCode
        /// The power that the controller has chosen.
        public var selectedTxPower: TransmitPower

        /// Creates an answer.
        public init(status: HCIErrorCode = .success, selectedTxPower: TransmitPower = 0) {
            self.status = status
            self.selectedTxPower = selectedTxPower
        }

        /// The parameters in wire order.
        public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.selectedTxPower = try coder.field("Selected_TX_Power", \.selectedTxPower)
        }
    }
}

/// Creates a set or changes how it advertises [v2]: with the coding of LE Coded (Vol 4, Part E, 7.8.53).
public struct LESetExtendedAdvertisingParametersV2: HCICommand {
    /// As [v1].
    public typealias ReturnParameters = LESetExtendedAdvertisingParameters.ReturnParameters

    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x007F)

    /// The parameters of [v1].
    public var parameters: LESetExtendedAdvertisingParameters
    /// The preferred coding of LE Coded on the primary channels.
    public var primaryPHYOptions: AdvertisingPHYOptions
    /// The preferred coding of LE Coded on the secondary channels.
    public var secondaryPHYOptions: AdvertisingPHYOptions

    /// Creates the command.
    public init(
        parameters: LESetExtendedAdvertisingParameters,
        primaryPHYOptions: AdvertisingPHYOptions = .noPreference,
        secondaryPHYOptions: AdvertisingPHYOptions = .noPreference
    ) {
        self.parameters = parameters
        self.primaryPHYOptions = primaryPHYOptions
        self.secondaryPHYOptions = secondaryPHYOptions
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.parameters = try coder.group(\.parameters)
        self.primaryPHYOptions = try coder.field("Primary_Advertising_PHY_Options", \.primaryPHYOptions)
        self.secondaryPHYOptions = try coder.field("Secondary_Advertising_PHY_Options", \.secondaryPHYOptions)
    }
}
