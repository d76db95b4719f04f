// Extended scanning and connecting, with parameters for each PHY (Vol 4, Part E, 7.8.64 to 7.8.66).

public import BluetoothTypes
public import NIOCore

/// Sets how to scan on each PHY (Vol 4, Part E, 7.8.64).
public struct LESetExtendedScanParameters: HCICommand {
    /// How to scan on one PHY.
    public struct PHYParameters: HCIParameter {
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

        /// Reads the three parameters.
        public static func read(from bytes: inout ByteBuffer, _ field: StaticString) throws(MalformedBytes) -> Self {
            Self(
                type: try bytes.readParameter("Scan_Type"),
                interval: try bytes.readParameter("Scan_Interval"),
                window: try bytes.readParameter("Scan_Window")
            )
        }

        /// Writes the three parameters.
        public func write(into bytes: inout ByteBuffer) {
            bytes.writeParameters(self.type, self.interval, self.window)
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

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) {
        let phys: PHYSet = [self.le1M == nil ? [] : .le1M, self.leCoded == nil ? [] : .leCoded]
        bytes.writeParameters(self.ownAddressType, self.filterPolicy, phys)
        self.le1M?.write(into: &bytes)
        self.leCoded?.write(into: &bytes)
    }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.ownAddressType = try bytes.readParameter("Own_Address_Type")
        self.filterPolicy = try bytes.readParameter("Scanning_Filter_Policy")
        let phys: PHYSet = try bytes.readParameter("Scanning_PHYs")
        // Another bit would put parameters of an unknown PHY into the row.
        guard phys.isSubset(of: [.le1M, .leCoded]) else { throw MalformedBytes(.invalid, "Scanning_PHYs") }
        self.le1M = phys.contains(.le1M) ? try bytes.readParameter("Scan parameters") : nil
        self.leCoded = phys.contains(.leCoded) ? try bytes.readParameter("Scan parameters") : nil
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

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) {
        bytes.writeParameters(self.isEnabled, self.filterDuplicates, self.duration, self.period)
    }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            isEnabled: try bytes.readParameter("Enable"),
            filterDuplicates: try bytes.readParameter("Filter_Duplicates"),
            duration: try bytes.readParameter("Duration"),
            period: try bytes.readParameter("Period")
        )
    }
}

/// Connects to a device that is heard on one of several PHYs; LE Enhanced Connection Complete follows
/// (Vol 4, Part E, 7.8.66) [v1].
public struct LEExtendedCreateConnection: HCICommand {
    /// How to listen and to connect on one PHY.
    public struct PHYParameters: HCIParameter {
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

        /// Reads the eight parameters.
        public static func read(from bytes: inout ByteBuffer, _ field: StaticString) throws(MalformedBytes) -> Self {
            Self(
                scanInterval: try bytes.readParameter("Scan_Interval"),
                scanWindow: try bytes.readParameter("Scan_Window"),
                parameters: try bytes.readParameter("Connection_Interval")
            )
        }

        /// Writes the eight parameters.
        public func write(into bytes: inout ByteBuffer) {
            bytes.writeParameters(self.scanInterval, self.scanWindow, self.parameters)
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
    /// The parameters of a link on LE 2M, where nobody listens on primary channels.
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

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) {
        let phys: PHYSet = [
            self.le1M == nil ? [] : .le1M, self.le2M == nil ? [] : .le2M, self.leCoded == nil ? [] : .leCoded,
        ]
        bytes.writeParameters(self.filterPolicy, self.ownAddressType, self.peer, phys)
        self.le1M?.write(into: &bytes)
        self.le2M?.write(into: &bytes)
        self.leCoded?.write(into: &bytes)
    }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.filterPolicy = try bytes.readParameter("Initiator_Filter_Policy")
        self.ownAddressType = try bytes.readParameter("Own_Address_Type")
        self.peer = try bytes.readParameter("Peer_Address")
        let phys: PHYSet = try bytes.readParameter("Initiating_PHYs")
        guard phys.isSubset(of: [.le1M, .le2M, .leCoded]) else { throw MalformedBytes(.invalid, "Initiating_PHYs") }
        self.le1M = phys.contains(.le1M) ? try bytes.readParameter("Initiating parameters") : nil
        self.le2M = phys.contains(.le2M) ? try bytes.readParameter("Initiating parameters") : nil
        self.leCoded = phys.contains(.leCoded) ? try bytes.readParameter("Initiating parameters") : nil
    }
}
