// Extended scanning and connecting, with parameters for each PHY (Vol 4, Part E, 7.8.64 to 7.8.66).

public import BluetoothTypes

/// Sets how to scan on each PHY (Vol 4, Part E, 7.8.64).
public struct LESetExtendedScanParameters: HCICommand {
    /// How to scan on one PHY.
    public struct PHYParameters: HCIParameters {
        /// Whether scan responses are asked for.
        public var type: ScanType
        /// The time between the starts of two windows.
        public var interval: ExtendedScanInterval
        /// How long the radio listens in each interval.
        public var window: ExtendedScanInterval

        /// Creates the parameters of one PHY.
        public init(type: ScanType, interval: ExtendedScanInterval, window: ExtendedScanInterval) {
            self.type = type
            self.interval = interval
            self.window = window
        }

        /// The parameters in wire order.
        public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.type = try coder.field("Scan_Type", \.type)
            self.interval = try coder.field("Scan_Interval", \.interval)
            self.window = try coder.field("Scan_Window", \.window)
        }
    }

    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x0041)

    /// Which own address is used.
    public var ownAddressType: OwnAddressType
    /// Whose packets are taken.
    public var filterPolicy: ScanFilterPolicy
    /// How to scan on LE 1M; `nil` for not at all.
    public var le1M: PHYParameters?
    /// How to scan on LE Coded; `nil` for not at all.
    public var leCoded: PHYParameters?

    /// Creates the command.
    public init(
        ownAddressType: OwnAddressType = .public,
        filterPolicy: ScanFilterPolicy = .all,
        le1M: PHYParameters?,
        leCoded: PHYParameters? = nil
    ) {
        self.ownAddressType = ownAddressType
        self.filterPolicy = filterPolicy
        self.le1M = le1M
        self.leCoded = leCoded
    }

    /// The PHYs that have parameters.
    public var phys: PHYSet { [self.le1M == nil ? [] : .le1M, self.leCoded == nil ? [] : .leCoded] }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.ownAddressType = try coder.field("Own_Address_Type", \.ownAddressType)
        self.filterPolicy = try coder.field("Scanning_Filter_Policy", \.filterPolicy)
        let phys = try coder.field("Scanning_PHYs", \.phys)
        // Another bit would put parameters of an unknown PHY into the array.
        try coder.require(phys.isSubset(of: [.le1M, .leCoded]), "Scanning_PHYs")
        self.le1M = try coder.group(\.le1M, isPresent: phys.contains(.le1M))
        self.leCoded = try coder.group(\.leCoded, isPresent: phys.contains(.leCoded))
    }
}

/// Starts or stops extended scanning (Vol 4, Part E, 7.8.65).
public struct LESetExtendedScanEnable: HCICommand {
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x0042)

    /// Whether to scan.
    public var isEnabled: Bool
    /// Whether repeated reports are left out.
    public var filterDuplicates: DuplicateFilter
    /// How long to scan; 0 is without end.
    public var duration: AdvertisingDuration
    /// The time between two scans of that duration; 0 is once.
    public var period: ScanPeriod

    /// Creates the command.
    public init(
        isEnabled: Bool,
        filterDuplicates: DuplicateFilter = .off,
        duration: AdvertisingDuration = AdvertisingDuration(rawValue: 0),
        period: ScanPeriod = ScanPeriod(rawValue: 0)
    ) {
        self.isEnabled = isEnabled
        self.filterDuplicates = filterDuplicates
        self.duration = duration
        self.period = period
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.isEnabled = try coder.field("Enable", \.isEnabled)
        self.filterDuplicates = try coder.field("Filter_Duplicates", \.filterDuplicates)
        self.duration = try coder.field("Duration", \.duration)
        self.period = try coder.field("Period", \.period)
    }
}

/// Connects to a device that advertises on one of several PHYs; LE Enhanced Connection Complete follows
/// (Vol 4, Part E, 7.8.66) [v1].
public struct LEExtendedCreateConnection: HCICommand {
    /// How to listen and to connect on one PHY.
    public struct PHYParameters: HCIParameters {
        /// The time between the starts of two windows.
        public var scanInterval: ExtendedScanInterval
        /// How long the radio listens in each interval.
        public var scanWindow: ExtendedScanInterval
        /// The parameters of the link.
        public var parameters: ConnectionParameters

        /// Creates the parameters of one PHY.
        public init(
            scanInterval: ExtendedScanInterval,
            scanWindow: ExtendedScanInterval,
            parameters: ConnectionParameters
        ) {
            self.scanInterval = scanInterval
            self.scanWindow = scanWindow
            self.parameters = parameters
        }

        /// The parameters in wire order.
        public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.scanInterval = try coder.field("Scan_Interval", \.scanInterval)
            self.scanWindow = try coder.field("Scan_Window", \.scanWindow)
            self.parameters = try coder.group(\.parameters)
        }
    }

    /// Answered by Command Status.
    public typealias ReturnParameters = NoReturnParameters

    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x0043)

    /// With whom.
    public var filterPolicy: InitiatorFilterPolicy
    /// Which own address is used.
    public var ownAddressType: OwnAddressType
    /// The device; ignored where the filter accept list is used.
    public var peer: DeviceAddress
    /// How to listen on LE 1M; `nil` for not at all.
    public var le1M: PHYParameters?
    /// The parameters of a link on LE 2M, which has no primary channels.
    public var le2M: PHYParameters?
    /// How to listen on LE Coded; `nil` for not at all.
    public var leCoded: PHYParameters?

    /// Creates the command.
    public init(
        filterPolicy: InitiatorFilterPolicy = .peer,
        ownAddressType: OwnAddressType = .public,
        peer: DeviceAddress = .none,
        le1M: PHYParameters?,
        le2M: PHYParameters? = nil,
        leCoded: PHYParameters? = nil
    ) {
        self.filterPolicy = filterPolicy
        self.ownAddressType = ownAddressType
        self.peer = peer
        self.le1M = le1M
        self.le2M = le2M
        self.leCoded = leCoded
    }

    /// The PHYs that have parameters.
    public var phys: PHYSet {
        [self.le1M == nil ? [] : .le1M, self.le2M == nil ? [] : .le2M, self.leCoded == nil ? [] : .leCoded]
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.filterPolicy = try coder.field("Initiator_Filter_Policy", \.filterPolicy)
        self.ownAddressType = try coder.field("Own_Address_Type", \.ownAddressType)
        self.peer = try coder.field("Peer_Address", \.peer)
        let phys = try coder.field("Initiating_PHYs", \.phys)
        try coder.require(phys.isSubset(of: [.le1M, .le2M, .leCoded]), "Initiating_PHYs")
        self.le1M = try coder.group(\.le1M, isPresent: phys.contains(.le1M))
        self.le2M = try coder.group(\.le2M, isPresent: phys.contains(.le2M))
        self.leCoded = try coder.group(\.leCoded, isPresent: phys.contains(.leCoded))
    }
}
