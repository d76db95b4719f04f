// Legacy scanning (Vol 4, Part E, 7.8.10 and 7.8.11).

public import BluetoothTypes

/// Sets how to scan (Vol 4, Part E, 7.8.10).
public struct LESetScanParameters: HCICommand {
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x000B)

    /// Whether scan responses are asked for.
    public var type: ScanType
    /// The time between the starts of two windows.
    public var interval: ScanInterval
    /// How long the radio listens in each interval.
    public var window: ScanInterval
    /// Which own address is used.
    public var ownAddressType: OwnAddressType
    /// Whose packets are taken.
    public var filterPolicy: ScanFilterPolicy

    /// Creates the command.
    public init(
        type: ScanType,
        interval: ScanInterval,
        window: ScanInterval,
        ownAddressType: OwnAddressType = .public,
        filterPolicy: ScanFilterPolicy = .all
    ) {
        self.type = type
        self.interval = interval
        self.window = window
        self.ownAddressType = ownAddressType
        self.filterPolicy = filterPolicy
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.type = try coder.field("LE_Scan_Type", \.type)
        self.interval = try coder.field("LE_Scan_Interval", \.interval)
        self.window = try coder.field("LE_Scan_Window", \.window)
        self.ownAddressType = try coder.field("Own_Address_Type", \.ownAddressType)
        self.filterPolicy = try coder.field("Scanning_Filter_Policy", \.filterPolicy)
    }
}

/// Starts or stops scanning (Vol 4, Part E, 7.8.11).
public struct LESetScanEnable: HCICommand {
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x000C)

    /// Whether to scan.
    public var isEnabled: Bool
    /// Whether repeated reports are left out.
    public var filterDuplicates: DuplicateFilter

    /// Creates the command.
    public init(isEnabled: Bool, filterDuplicates: DuplicateFilter = .off) {
        self.isEnabled = isEnabled
        self.filterDuplicates = filterDuplicates
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.isEnabled = try coder.field("LE_Scan_Enable", \.isEnabled)
        self.filterDuplicates = try coder.field("Filter_Duplicates", \.filterDuplicates)
    }
}
