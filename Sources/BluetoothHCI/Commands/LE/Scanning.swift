// Legacy scanning (Vol 4, Part E, 7.8.10 and 7.8.11).

public import BluetoothTypes
public import NIOCore

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

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) {
        bytes.writeParameters(self.type, self.interval, self.window, self.ownAddressType, self.filterPolicy)
    }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            type: try bytes.readParameter("LE_Scan_Type"),
            interval: try bytes.readParameter("LE_Scan_Interval"),
            window: try bytes.readParameter("LE_Scan_Window"),
            ownAddressType: try bytes.readParameter("Own_Address_Type"),
            filterPolicy: try bytes.readParameter("Scanning_Filter_Policy")
        )
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

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) {
        bytes.writeParameters(self.isEnabled, self.filterDuplicates)
    }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            isEnabled: try bytes.readParameter("LE_Scan_Enable"),
            filterDuplicates: try bytes.readParameter("Filter_Duplicates")
        )
    }
}
