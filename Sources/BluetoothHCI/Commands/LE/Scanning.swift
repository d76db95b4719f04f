// Legacy scanning (Vol 4, Part E, 7.8.10 and 7.8.11).

package import BluetoothTypes

/// Sets the parameters of legacy scanning (Vol 4, Part E, 7.8.10).
package struct LESetScanParameters: HCICommand {
    package static let opcode = HCIOpcode(.leController, 0x000B)
    package var type: ScanType
    package var interval: ScanInterval
    package var window: ScanInterval
    package var ownAddressType: OwnAddressType
    package var filterPolicy: ScanFilterPolicy

    package init(
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
    public static let opcode = HCIOpcode(.leController, 0x000C)
    package var isEnabled: Bool
    package var filterDuplicates: DuplicateFilter

    public init(isEnabled: Bool, filterDuplicates: DuplicateFilter = .off) {
        (self.isEnabled, self.filterDuplicates) = (isEnabled, filterDuplicates)
    }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.isEnabled = try coder.field("LE_Scan_Enable", \.isEnabled)
        self.filterDuplicates = try coder.field("Filter_Duplicates", \.filterDuplicates)
    }
}
