// Which PHY a link uses (Vol 4, Part E, 7.8.47 to 7.8.49).

public import BluetoothTypes

/// The PHYs that a host prefers; `nil` is no preference.
public struct PHYPreference: HCIParameters {
    /// For transmission.
    public var transmitter: PHYSet?
    /// For reception.
    public var receiver: PHYSet?

    /// Creates a preference.
    public init(transmitter: PHYSet?, receiver: PHYSet?) {
        self.transmitter = transmitter
        self.receiver = receiver
    }

    /// Bit 0: no preference for transmission; bit 1: none for reception.
    private var allPHYs: UInt8 { (self.transmitter == nil ? 1 : 0) | (self.receiver == nil ? 2 : 0) }

    /// The parameters in wire order.
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
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x0030)

    /// The link.
    public var handle: ConnectionHandle

    /// Creates the command.
    public init(handle: ConnectionHandle) {
        self.handle = handle
    }

    /// What Command Complete carries.
    public struct ReturnParameters: HCIReturnParameters {
        /// Whether the command succeeded.
        public var status: HCIErrorCode
        /// The link.
        public var handle: ConnectionHandle
        /// The PHY on sending.
        public var transmitter: PHY
        /// The PHY on receiving.
        public var receiver: PHY

        /// Creates an answer.
        public init(
            status: HCIErrorCode = .success,
            handle: ConnectionHandle = ConnectionHandle(rawValue: 0),
            transmitter: PHY = .le1M,
            receiver: PHY = .le1M
        ) {
            self.status = status
            self.handle = handle
            self.transmitter = transmitter
            self.receiver = receiver
        }

        /// The parameters in wire order.
        public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.handle = try coder.field("Connection_Handle", \.handle)
            self.transmitter = try coder.field("TX_PHY", \.transmitter)
            self.receiver = try coder.field("RX_PHY", \.receiver)
        }
    }
}

/// Sets the PHYs that new links prefer (Vol 4, Part E, 7.8.48).
public struct LESetDefaultPHY: HCICommand {
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x0031)

    /// The PHYs.
    public var preference: PHYPreference

    /// Creates the command.
    public init(preference: PHYPreference) {
        self.preference = preference
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.preference = try coder.group(\.preference)
    }
}

/// Asks for other PHYs on a link; LE PHY Update Complete follows (Vol 4, Part E, 7.8.49).
public struct LESetPHY: HCICommand {
    /// Answered by Command Status.
    public typealias ReturnParameters = NoReturnParameters

    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x0032)

    /// The link.
    public var handle: ConnectionHandle
    /// The PHYs.
    public var preference: PHYPreference
    /// The preferred coding of LE Coded.
    public var options: PHYOptions

    /// Creates the command.
    public init(handle: ConnectionHandle, preference: PHYPreference, options: PHYOptions = .noPreference) {
        self.handle = handle
        self.preference = preference
        self.options = options
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.handle = try coder.field("Connection_Handle", \.handle)
        self.preference = try coder.group(\.preference)
        self.options = try coder.field("PHY_Options", \.options)
    }
}
