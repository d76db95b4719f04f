// Extended scanning and connecting, with parameters for each PHY (Vol 4, Part E, 7.8.64 to 7.8.66).

package import BluetoothTypes

/// Sets the parameters of extended scanning on each PHY (Vol 4, Part E, 7.8.64).
package struct LESetExtendedScanParameters: HCICommand {
    /// The parameters of one PHY.
    package struct PHYParameters: HCIParameters {
        package var type: ScanType
        package var interval: ExtendedScanInterval
        package var window: ExtendedScanInterval

        package init(type: ScanType, interval: ExtendedScanInterval, window: ExtendedScanInterval) {
            (self.type, self.interval, self.window) = (type, interval, window)
        }

        package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.type = try coder.field("Scan_Type", \.type)
            self.interval = try coder.field("Scan_Interval", \.interval)
            self.window = try coder.field("Scan_Window", \.window)
        }
    }

    package static let opcode = HCIOpcode(.leController, 0x0041)
    package var ownAddressType: OwnAddressType
    package var filterPolicy: ScanFilterPolicy
    /// `nil` to not scan on LE 1M.
    package var le1M: PHYParameters?
    /// `nil` to not scan on LE Coded.
    package var leCoded: PHYParameters?

    package init(
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
    package var phys: PHYSet { [self.le1M == nil ? [] : .le1M, self.leCoded == nil ? [] : .leCoded] }

    package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.ownAddressType = try coder.field("Own_Address_Type", \.ownAddressType)
        self.filterPolicy = try coder.field("Scanning_Filter_Policy", \.filterPolicy)
        let phys = try coder.field("Scanning_PHYs", \.phys)
        // An unknown bit would add parameters for an unknown PHY.
        try coder.require(phys.isSubset(of: [.le1M, .leCoded]), "Scanning_PHYs")
        self.le1M = try coder.group(\.le1M, isPresent: phys.contains(.le1M))
        self.leCoded = try coder.group(\.leCoded, isPresent: phys.contains(.leCoded))
    }
}

/// Starts or stops extended scanning (Vol 4, Part E, 7.8.65).
package struct LESetExtendedScanEnable: HCICommand {
    package static let opcode = HCIOpcode(.leController, 0x0042)
    package var isEnabled: Bool
    package var filterDuplicates: DuplicateFilter
    /// 0 for no limit.
    package var duration: AdvertisingDuration
    /// The time between the starts of two scans; 0 for a single scan.
    package var period: ScanPeriod

    package init(
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

    package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.isEnabled = try coder.field("Enable", \.isEnabled)
        self.filterDuplicates = try coder.field("Filter_Duplicates", \.filterDuplicates)
        self.duration = try coder.field("Duration", \.duration)
        self.period = try coder.field("Period", \.period)
    }
}

/// Connects to a device that advertises on one of several PHYs; LE Enhanced Connection Complete follows
/// (Vol 4, Part E, 7.8.66) [v1].
package struct LEExtendedCreateConnection: HCICommand {
    /// The parameters of one PHY.
    package struct PHYParameters: HCIParameters {
        package var scanInterval: ExtendedScanInterval
        package var scanWindow: ExtendedScanInterval
        package var parameters: ConnectionParameters

        package init(
            scanInterval: ExtendedScanInterval,
            scanWindow: ExtendedScanInterval,
            parameters: ConnectionParameters
        ) {
            (self.scanInterval, self.scanWindow, self.parameters) = (scanInterval, scanWindow, parameters)
        }

        package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.scanInterval = try coder.field("Scan_Interval", \.scanInterval)
            self.scanWindow = try coder.field("Scan_Window", \.scanWindow)
            self.parameters = try coder.group(\.parameters)
        }
    }

    package typealias ReturnParameters = NoReturnParameters
    package static let opcode = HCIOpcode(.leController, 0x0043)
    package var filterPolicy: InitiatorFilterPolicy
    package var ownAddressType: OwnAddressType
    /// Ignored if the filter accept list is used.
    package var peer: DeviceAddress
    /// `nil` to not listen on LE 1M.
    package var le1M: PHYParameters?
    /// Connection parameters on LE 2M, which has no primary channels.
    package var le2M: PHYParameters?
    /// `nil` to not listen on LE Coded.
    package var leCoded: PHYParameters?

    package init(
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
    package var phys: PHYSet {
        [self.le1M == nil ? [] : .le1M, self.le2M == nil ? [] : .le2M, self.leCoded == nil ? [] : .leCoded]
    }

    package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
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
