// The PHYs of a link (Vol 4, Part E, 7.8.47 to 7.8.49).

public import BluetoothTypes

/// The PHYs that a host prefers (Vol 4, Part E, 7.8.48).
public struct PHYPreference: HCIParameters {
    /// `nil` for no preference.
    public var transmitter: PHYSet?
    /// `nil` for no preference.
    public var receiver: PHYSet?
    public init(transmitter: PHYSet?, receiver: PHYSet?) { (self.transmitter, self.receiver) = (transmitter, receiver) }

    /// Bit 0: no preference for transmission; bit 1: none for reception.
    private var allPHYs: UInt8 { (self.transmitter == nil ? 1 : 0) | (self.receiver == nil ? 2 : 0) }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        let allPHYs = try coder.field("ALL_PHYs", \.allPHYs)
        let transmitter = try coder.field("TX_PHYs") { $0.transmitter ?? [] }
        let receiver = try coder.field("RX_PHYs") { $0.receiver ?? [] }
        self.transmitter = allPHYs & 1 == 0 ? transmitter : nil
        self.receiver = allPHYs & 2 == 0 ? receiver : nil
    }
}

/// Reads the PHYs of a link (Vol 4, Part E, 7.8.47).
public struct LEReadPHY: HCICommandForLink {
    public static let opcode = HCIOpcode(.leController, 0x0030)
    public var handle: ConnectionHandle
    public init(handle: ConnectionHandle) { self.handle = handle }

    public struct ReturnParameters: HCIReturnParameters {
        public var status: HCIErrorCode
        public var handle: ConnectionHandle
        public var transmitter: PHY
        public var receiver: PHY

        public init(
            status: HCIErrorCode = .success,
            handle: ConnectionHandle = ConnectionHandle(rawValue: 0),
            transmitter: PHY = .le1M,
            receiver: PHY = .le1M
        ) {
            (self.status, self.handle, self.transmitter, self.receiver) = (status, handle, transmitter, receiver)
        }

        public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.handle = try coder.field("Connection_Handle", \.handle)
            self.transmitter = try coder.field("TX_PHY", \.transmitter)
            self.receiver = try coder.field("RX_PHY", \.receiver)
        }
    }
}

/// Sets the preferred PHYs of new links (Vol 4, Part E, 7.8.48).
public struct LESetDefaultPHY: HCICommand {
    public static let opcode = HCIOpcode(.leController, 0x0031)
    public var preference: PHYPreference
    public init(preference: PHYPreference) { self.preference = preference }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.preference = try coder.group(\.preference)
    }
}

/// Requests other PHYs for a link; LE PHY Update Complete follows (Vol 4, Part E, 7.8.49).
public struct LESetPHY: HCICommand {
    public typealias ReturnParameters = NoReturnParameters
    public static let opcode = HCIOpcode(.leController, 0x0032)
    public var handle: ConnectionHandle
    public var preference: PHYPreference
    /// Preferred coding if the PHY is LE Coded.
    public var options: PHYOptions

    public init(handle: ConnectionHandle, preference: PHYPreference, options: PHYOptions = .noPreference) {
        (self.handle, self.preference, self.options) = (handle, preference, options)
    }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.handle = try coder.field("Connection_Handle", \.handle)
        self.preference = try coder.group(\.preference)
        self.options = try coder.field("PHY_Options", \.options)
    }
}
