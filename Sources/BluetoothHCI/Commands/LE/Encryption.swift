// Encryption of a link (Vol 4, Part E, 7.8.24 to 7.8.26), and P-256 (7.8.36 and 7.8.37).

public import BluetoothTypes

/// Encrypts a link, or refreshes its key; an event follows (Vol 4, Part E, 7.8.24).
public struct LEEnableEncryption: HCICommand {
    public typealias ReturnParameters = NoReturnParameters
    public static let opcode = HCIOpcode(.leController, 0x0019)
    public var handle: ConnectionHandle
    /// Identifies the key; zero for LE Secure Connections.
    public var random: UInt64
    /// Identifies the key; zero for LE Secure Connections.
    public var encryptedDiversifier: UInt16
    public var longTermKey: Octets16

    public init(handle: ConnectionHandle, random: UInt64 = 0, encryptedDiversifier: UInt16 = 0, longTermKey: Octets16) {
        self.handle = handle
        self.random = random
        self.encryptedDiversifier = encryptedDiversifier
        self.longTermKey = longTermKey
    }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.handle = try coder.field("Connection_Handle", \.handle)
        self.random = try coder.field("Random_Number", \.random)
        self.encryptedDiversifier = try coder.field("Encrypted_Diversifier", \.encryptedDiversifier)
        self.longTermKey = try coder.field("Long_Term_Key", \.longTermKey)
    }
}

/// Provides the key that LE Long Term Key Request asked for (Vol 4, Part E, 7.8.25).
public struct LELongTermKeyRequestReply: HCICommand {
    public typealias ReturnParameters = LinkReturnParameters
    public static let opcode = HCIOpcode(.leController, 0x001A)
    public var handle: ConnectionHandle
    public var longTermKey: Octets16

    public init(handle: ConnectionHandle, longTermKey: Octets16) {
        (self.handle, self.longTermKey) = (handle, longTermKey)
    }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.handle = try coder.field("Connection_Handle", \.handle)
        self.longTermKey = try coder.field("Long_Term_Key", \.longTermKey)
    }
}

/// Answers LE Long Term Key Request if there is no key (Vol 4, Part E, 7.8.26).
public struct LELongTermKeyRequestNegativeReply: HCICommandForLink {
    public typealias ReturnParameters = LinkReturnParameters
    public static let opcode = HCIOpcode(.leController, 0x001B)
    public var handle: ConnectionHandle
    public init(handle: ConnectionHandle) { self.handle = handle }
}

/// Generates a key pair; an event returns the public key (Vol 4, Part E, 7.8.36).
public struct LEReadLocalP256PublicKey: HCICommandWithoutParameters {
    public typealias ReturnParameters = NoReturnParameters
    public static let opcode = HCIOpcode(.leController, 0x0025)
    public init() {}
}

/// Computes a Diffie-Hellman key from the generated private key [v1]; an event returns it (Vol 4, Part E, 7.8.37).
public struct LEGenerateDHKey: HCICommand {
    public typealias ReturnParameters = NoReturnParameters
    public static let opcode = HCIOpcode(.leController, 0x0026)
    /// X coordinate of the peer's public key.
    public var x: Octets32
    /// Y coordinate of the peer's public key.
    public var y: Octets32
    public init(x: Octets32, y: Octets32) { (self.x, self.y) = (x, y) }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.x = try coder.field("Key_X_Coordinate", \.x)
        self.y = try coder.field("Key_Y_Coordinate", \.y)
    }
}

/// Computes a Diffie-Hellman key [v2]; an event returns it (Vol 4, Part E, 7.8.37).
public struct LEGenerateDHKeyV2: HCICommand {
    public typealias ReturnParameters = NoReturnParameters
    public static let opcode = HCIOpcode(.leController, 0x005E)
    /// X coordinate of the peer's public key.
    public var x: Octets32
    /// Y coordinate of the peer's public key.
    public var y: Octets32
    public var keyType: P256KeyType

    public init(x: Octets32, y: Octets32, keyType: P256KeyType = .generated) {
        (self.x, self.y, self.keyType) = (x, y, keyType)
    }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.x = try coder.field("Key_X_Coordinate", \.x)
        self.y = try coder.field("Key_Y_Coordinate", \.y)
        self.keyType = try coder.field("Key_Type", \.keyType)
    }
}
