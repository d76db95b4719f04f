// Which PHY a link uses (Vol 4, Part E, 7.8.47 to 7.8.49).

public import BluetoothTypes
public import NIOCore

/// The PHYs that a host would like; `nil` is no wish.
public struct PHYWish: HCIParameter {
    /// On sending.
    public var transmitter: PHYSet?
    /// On receiving.
    public var receiver: PHYSet?

    /// Creates a wish.
    public init(transmitter: PHYSet?, receiver: PHYSet?) {
        self.transmitter = transmitter
        self.receiver = receiver
    }

    /// Reads three octets: for which direction there is no wish, and the PHYs.
    public static func read(from bytes: inout ByteBuffer, _ field: StaticString) throws(MalformedBytes) -> Self {
        let without: UInt8 = try bytes.readParameter("ALL_PHYs")
        let transmitter: PHYSet = try bytes.readParameter("TX_PHYs")
        let receiver: PHYSet = try bytes.readParameter("RX_PHYs")
        return Self(
            transmitter: without & 1 == 0 ? transmitter : nil,
            receiver: without & 2 == 0 ? receiver : nil
        )
    }

    /// Writes three octets.
    public func write(into bytes: inout ByteBuffer) {
        let without: UInt8 = (self.transmitter == nil ? 1 : 0) | (self.receiver == nil ? 2 : 0)
        bytes.writeParameters(without, self.transmitter ?? [], self.receiver ?? [])
    }
}

/// Reads the PHYs of a link (Vol 4, Part E, 7.8.47).
public struct LEReadPHY: HCICommand {
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x0030)

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
        /// The PHY on sending.
        public var transmitter: PHY
        /// The PHY on receiving.
        public var receiver: PHY

        /// Creates an answer.
        public init(
            status: HCIErrorCode = .success,
            handle: ConnectionHandle = ConnectionHandle(rawValue: 0),
            transmitter: PHY = .none,
            receiver: PHY = .none
        ) {
            self.status = status
            self.handle = handle
            self.transmitter = transmitter
            self.receiver = receiver
        }

        /// Writes the answer.
        public func encode(into bytes: inout ByteBuffer) {
            bytes.writeParameters(self.status, self.handle, self.transmitter, self.receiver)
        }

        /// Reads the answer.
        public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
            self.init(
                status: try bytes.readStatus(padding: 4),
                handle: try bytes.readParameter("Connection_Handle"),
                transmitter: try bytes.readParameter("TX_PHY"),
                receiver: try bytes.readParameter("RX_PHY")
            )
        }
    }
}

/// Sets the PHYs that new links would like (Vol 4, Part E, 7.8.48).
public struct LESetDefaultPHY: HCICommand {
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x0031)

    /// The PHYs.
    public var wish: PHYWish

    /// Creates the command.
    public init(wish: PHYWish) {
        self.wish = wish
    }

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) { self.wish.write(into: &bytes) }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            wish: try bytes.readParameter("ALL_PHYs")
        )
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
    public var wish: PHYWish
    /// How Coded PHY is wished for.
    public var options: PHYOptions

    /// Creates the command.
    public init(handle: ConnectionHandle, wish: PHYWish, options: PHYOptions = .noPreference) {
        self.handle = handle
        self.wish = wish
        self.options = options
    }

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) {
        bytes.writeParameters(self.handle, self.wish, self.options)
    }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            handle: try bytes.readParameter("Connection_Handle"),
            wish: try bytes.readParameter("ALL_PHYs"),
            options: try bytes.readParameter("PHY_Options")
        )
    }
}
