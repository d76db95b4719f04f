// Encrypting a link with a long term key (Vol 4, Part E, 7.8.24 to 7.8.26), and P-256 (7.8.36 and 7.8.37).

public import BluetoothTypes

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

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.handle = try coder.field("Connection_Handle", \.handle)
        self.random = try coder.field("Random_Number", \.random)
        self.encryptedDiversifier = try coder.field("Encrypted_Diversifier", \.encryptedDiversifier)
        self.longTermKey = try coder.field("Long_Term_Key", \.longTermKey)
    }
}

/// Gives the key that LE Long Term Key Request asked for (Vol 4, Part E, 7.8.25).
public struct LELongTermKeyRequestReply: HCICommand {
    /// The status and the link.
    public typealias ReturnParameters = LinkReturnParameters

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

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.handle = try coder.field("Connection_Handle", \.handle)
        self.longTermKey = try coder.field("Long_Term_Key", \.longTermKey)
    }
}

/// Reports that there is no key (Vol 4, Part E, 7.8.26).
public struct LELongTermKeyRequestNegativeReply: HCICommandForLink {
    /// The status and the link.
    public typealias ReturnParameters = LinkReturnParameters

    /// The number of the command.
    public static let opcode = HCIOpcode(.leController, 0x001B)

    /// The link.
    public var handle: ConnectionHandle

    /// Creates the command.
    public init(handle: ConnectionHandle) {
        self.handle = handle
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

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.x = try coder.field("Key_X_Coordinate", \.x)
        self.y = try coder.field("Key_Y_Coordinate", \.y)
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

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.x = try coder.field("Key_X_Coordinate", \.x)
        self.y = try coder.field("Key_Y_Coordinate", \.y)
        self.keyType = try coder.field("Key_Type", \.keyType)
    }
}
