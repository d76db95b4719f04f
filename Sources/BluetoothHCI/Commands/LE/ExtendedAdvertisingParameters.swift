// The parameters of an extended advertising set (Vol 4, Part E, 7.8.53), in two versions of the command.

package import BluetoothTypes

/// Creates a set or changes its parameters [v1] (Vol 4, Part E, 7.8.53).
package struct LESetExtendedAdvertisingParameters: HCICommand {
    package static let opcode = HCIOpcode(.leController, 0x0036)
    package var advertisingHandle: AdvertisingHandle
    /// Whether others may connect or send scan requests, and the kind of PDU.
    package var properties: AdvertisingEventProperties
    package var minimumInterval: ExtendedAdvertisingInterval
    package var maximumInterval: ExtendedAdvertisingInterval
    package var channels: AdvertisingChannels
    package var ownAddressType: OwnAddressType
    /// The target of directed advertising.
    package var peer: DeviceAddress
    package var filterPolicy: AdvertisingFilterPolicy
    /// `nil` for no preference.
    package var txPower: TransmitPower?
    package var primaryPHY: PHY
    /// The number of advertising events that may be skipped before the data is sent.
    package var secondaryMaximumSkip: UInt8
    package var secondaryPHY: PHY
    /// The Advertising SID, 0 to 15.
    package var setIdentifier: UInt8
    package var notifiesScanRequests: Bool

    package init(
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

    package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
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

    package struct ReturnParameters: HCIReturnParameters {
        package var status: HCIErrorCode
        /// The power chosen by the controller.
        package var selectedTxPower: TransmitPower

        package init(status: HCIErrorCode = .success, selectedTxPower: TransmitPower = 0) {
            (self.status, self.selectedTxPower) = (status, selectedTxPower)
        }

        package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.selectedTxPower = try coder.field("Selected_TX_Power", \.selectedTxPower)
        }
    }
}

/// Creates a set or changes its parameters [v2], with the coding of LE Coded (Vol 4, Part E, 7.8.53).
package struct LESetExtendedAdvertisingParametersV2: HCICommand {
    /// As [v1].
    package typealias ReturnParameters = LESetExtendedAdvertisingParameters.ReturnParameters
    package static let opcode = HCIOpcode(.leController, 0x007F)
    /// The parameters of [v1].
    package var parameters: LESetExtendedAdvertisingParameters
    /// Preferred coding if the primary PHY is LE Coded.
    package var primaryPHYOptions: AdvertisingPHYOptions
    /// Preferred coding if the secondary PHY is LE Coded.
    package var secondaryPHYOptions: AdvertisingPHYOptions

    package init(
        parameters: LESetExtendedAdvertisingParameters,
        primaryPHYOptions: AdvertisingPHYOptions = .noPreference,
        secondaryPHYOptions: AdvertisingPHYOptions = .noPreference
    ) {
        self.parameters = parameters
        self.primaryPHYOptions = primaryPHYOptions
        self.secondaryPHYOptions = secondaryPHYOptions
    }

    package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.parameters = try coder.group(\.parameters)
        self.primaryPHYOptions = try coder.field("Primary_Advertising_PHY_Options", \.primaryPHYOptions)
        self.secondaryPHYOptions = try coder.field("Secondary_Advertising_PHY_Options", \.secondaryPHYOptions)
    }
}
