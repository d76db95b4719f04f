// Status Parameters (Vol 4, Part E, 7.5).

public import BluetoothTypes

/// Reads how strongly a peer is received (Vol 4, Part E, 7.5.4).
public struct ReadRSSI: HCICommandForLink {
    /// The number of the command.
    public static let opcode = HCIOpcode(.statusParameters, 0x0005)

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
        /// The strength; `nil` where it is not available.
        public var rssi: RSSI?

        /// Creates an answer.
        public init(
            status: HCIErrorCode = .success,
            handle: ConnectionHandle = ConnectionHandle(rawValue: 0),
            rssi: RSSI? = nil
        ) {
            self.status = status
            self.handle = handle
            self.rssi = rssi
        }

        /// The parameters in wire order.
        public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.handle = try coder.field("Connection_Handle", \.handle)
            self.rssi = try coder.field("RSSI", \.rssi, absent: .notAvailable)
        }
    }
}
