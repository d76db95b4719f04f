// Status Parameters (Vol 4, Part E, 7.5).

public import BluetoothTypes

/// Reads the received signal strength of a link (Vol 4, Part E, 7.5.4).
public struct ReadRSSI: HCICommandForLink {
    public static let opcode = HCIOpcode(.statusParameters, 0x0005)
    public var handle: ConnectionHandle
    public init(handle: ConnectionHandle) { self.handle = handle }

    public struct ReturnParameters: HCIReturnParameters {
        public var status: HCIErrorCode
        public var handle: ConnectionHandle
        /// `nil` if not available.
        public var rssi: RSSI?

        public init(
            status: HCIErrorCode = .success,
            handle: ConnectionHandle = ConnectionHandle(rawValue: 0),
            rssi: RSSI? = nil
        ) {
            (self.status, self.handle, self.rssi) = (status, handle, rssi)
        }

        public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
            self.status = try coder.field("Status", \.status)
            self.handle = try coder.field("Connection_Handle", \.handle)
            self.rssi = try coder.field("RSSI", \.rssi, absent: .notAvailable)
        }
    }
}
