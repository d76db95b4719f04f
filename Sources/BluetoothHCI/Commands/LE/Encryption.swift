// Encrypting a link with a long term key (Vol 4, Part E, 7.8.24 to 7.8.26), and P-256 (7.8.36 and 7.8.37).

public import BluetoothTypes
public import NIOCore

/// Encrypts a link, or refreshes its key; an event follows (Vol 4, Part E, 7.8.24).
public struct LEEnableEncryption: HCICommand {
    /// Answered by Command Status.
    public typealias ReturnParameters = NoReturnParameters

    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x0019)

    /// The link.
    public var handle: ConnectionHandle
    /// The number that names the key; zero for LE Secure Connections.
    public var random: UInt64
    /// The diversifier that names the key; zero for LE Secure Connections.
    public var encryptedDiversifier: UInt16
    /// The key.
    public var longTermKey: Octets16

    /// Creates the command.
    public init(
        handle: ConnectionHandle,
        random: UInt64 = 0,
        encryptedDiversifier: UInt16 = 0,
        longTermKey: Octets16
    ) {
        self.handle = handle
        self.random = random
        self.encryptedDiversifier = encryptedDiversifier
        self.longTermKey = longTermKey
    }

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) {
        bytes.writeParameters(self.handle, self.random, self.encryptedDiversifier, self.longTermKey)
    }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            handle: try bytes.readParameter("Connection_Handle"),
            random: try bytes.readParameter("Random_Number"),
            encryptedDiversifier: try bytes.readParameter("Encrypted_Diversifier"),
            longTermKey: try bytes.readParameter("Long_Term_Key")
        )
    }
}

/// Gives the key that LE Long Term Key Request asked for (Vol 4, Part E, 7.8.25).
public struct LELongTermKeyRequestReply: HCICommand {
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x001A)

    /// The link.
    public var handle: ConnectionHandle
    /// The key.
    public var longTermKey: Octets16

    /// Creates the command.
    public init(handle: ConnectionHandle, longTermKey: Octets16) {
        self.handle = handle
        self.longTermKey = longTermKey
    }

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) {
        bytes.writeParameters(self.handle, self.longTermKey)
    }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            handle: try bytes.readParameter("Connection_Handle"),
            longTermKey: try bytes.readParameter("Long_Term_Key")
        )
    }

    /// What Command Complete carries.
    public struct ReturnParameters: HCIReturnParameters {
        /// Whether the command succeeded.
        public var status: HCIErrorCode
        /// The link.
        public var handle: ConnectionHandle

        /// Creates an answer.
        public init(
            status: HCIErrorCode = .success,
            handle: ConnectionHandle = ConnectionHandle(rawValue: 0)
        ) {
            self.status = status
            self.handle = handle
        }

        /// Writes the answer.
        public func encode(into bytes: inout ByteBuffer) { bytes.writeParameters(self.status, self.handle) }

        /// Reads the answer.
        public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
            self.init(
                status: try bytes.readStatus(padding: 2),
                handle: try bytes.readParameter("Connection_Handle")
            )
        }
    }
}

/// Says that there is no key (Vol 4, Part E, 7.8.26).
public struct LELongTermKeyRequestNegativeReply: HCICommand {
    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x001B)

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

        /// Creates an answer.
        public init(
            status: HCIErrorCode = .success,
            handle: ConnectionHandle = ConnectionHandle(rawValue: 0)
        ) {
            self.status = status
            self.handle = handle
        }

        /// Writes the answer.
        public func encode(into bytes: inout ByteBuffer) { bytes.writeParameters(self.status, self.handle) }

        /// Reads the answer.
        public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
            self.init(
                status: try bytes.readStatus(padding: 2),
                handle: try bytes.readParameter("Connection_Handle")
            )
        }
    }
}

/// Makes a pair of keys; an event brings the public one (Vol 4, Part E, 7.8.36).
public struct LEReadLocalP256PublicKey: HCICommandWithoutParameters {
    /// Answered by Command Status.
    public typealias ReturnParameters = NoReturnParameters

    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x0025)

    /// Creates the command.
    public init() {}
}

/// Makes a Diffie-Hellman key with the generated private key [v1]; an event brings it (Vol 4, Part E, 7.8.37).
public struct LEGenerateDHKey: HCICommand {
    /// Answered by Command Status.
    public typealias ReturnParameters = NoReturnParameters

    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x0026)

    /// The peer's public key, X.
    public var x: Octets32
    /// The peer's public key, Y.
    public var y: Octets32

    /// Creates the command.
    public init(x: Octets32, y: Octets32) {
        self.x = x
        self.y = y
    }

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) { bytes.writeParameters(self.x, self.y) }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            x: try bytes.readParameter("Key_X_Coordinate"),
            y: try bytes.readParameter("Key_Y_Coordinate")
        )
    }
}

/// Makes a Diffie-Hellman key [v2]; an event brings it (Vol 4, Part E, 7.8.37).
public struct LEGenerateDHKeyV2: HCICommand {
    /// Answered by Command Status.
    public typealias ReturnParameters = NoReturnParameters

    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x005E)

    /// The peer's public key, X.
    public var x: Octets32
    /// The peer's public key, Y.
    public var y: Octets32
    /// Which private key.
    public var keyType: P256KeyType

    /// Creates the command.
    public init(x: Octets32, y: Octets32, keyType: P256KeyType = .generated) {
        self.x = x
        self.y = y
        self.keyType = keyType
    }

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) {
        bytes.writeParameters(self.x, self.y, self.keyType)
    }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            x: try bytes.readParameter("Key_X_Coordinate"),
            y: try bytes.readParameter("Key_Y_Coordinate"),
            keyType: try bytes.readParameter("Key_Type")
        )
    }
}
