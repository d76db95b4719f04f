// Status Parameters (Vol 4, Part E, 7.5).

public import BluetoothTypes
public import NIOCore

/// Reads how strongly a peer is received (Vol 4, Part E, 7.5.4).
public struct ReadRSSI: HCICommand {
    /// The number of the command.
    public static let opcode = HCIOpcode(.statusParameters, 0x0005)

    /// The link.
    public var handle: ConnectionHandle

    /// Creates the command.
    public init(handle: ConnectionHandle) {
        self.handle = handle
    }

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) { self.handle.write(into: &bytes) }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            handle: try bytes.readParameter("Connection_Handle")
        )
    }

    /// What Command Complete carries.
    public struct ReturnParameters: HCIReturnParameters {
        /// Whether the command succeeded.
        public var status: HCIErrorCode
        /// The link.
        public var handle: ConnectionHandle
        /// The strength in dBm; 127 where it is not known.
        public var rssi: Int8

        /// Creates an answer.
        public init(
            status: HCIErrorCode = .success,
            handle: ConnectionHandle = ConnectionHandle(rawValue: 0),
            rssi: Int8 = 0
        ) {
            self.status = status
            self.handle = handle
            self.rssi = rssi
        }

        /// Writes the answer.
        public func encode(into bytes: inout ByteBuffer) {
            bytes.writeParameters(self.status, self.handle, self.rssi)
        }

        /// Reads the answer.
        public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
            self.init(
                status: try bytes.readStatus(padding: 3),
                handle: try bytes.readParameter("Connection_Handle"),
                rssi: try bytes.readParameter("RSSI")
            )
        }
    }
}
