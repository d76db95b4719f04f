// Events of encryption and of the keys for it (Vol 4, Part E, 7.7.65.5, 7.7.65.8 and 7.7.65.9).

public import BluetoothTypes

/// The central encrypts: the controller asks for the key (Vol 4, Part E, 7.7.65.5).
public struct LELongTermKeyRequest: LEEventPayload {
    /// The number of the subevent.
    public static let subevent = LESubeventCode.longTermKeyRequest

    /// The link.
    public var handle: ConnectionHandle
    /// The number that names the key; zero for LE Secure Connections.
    public var random: UInt64
    /// The diversifier that names the key; zero for LE Secure Connections.
    public var encryptedDiversifier: UInt16

    /// Creates the event.
    public init(handle: ConnectionHandle, random: UInt64, encryptedDiversifier: UInt16) {
        self.handle = handle
        self.random = random
        self.encryptedDiversifier = encryptedDiversifier
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.handle = try coder.field("Connection_Handle", \.handle)
        self.random = try coder.field("Random_Number", \.random)
        self.encryptedDiversifier = try coder.field("Encrypted_Diversifier", \.encryptedDiversifier)
    }
}

/// The public key that the controller made (Vol 4, Part E, 7.7.65.8).
public struct LEReadLocalP256PublicKeyComplete: LEEventPayload {
    /// The number of the subevent.
    public static let subevent = LESubeventCode.readLocalP256PublicKeyComplete

    /// Whether it succeeded.
    public var status: HCIErrorCode
    /// X.
    public var x: Octets32
    /// Y.
    public var y: Octets32

    /// Creates the event.
    public init(status: HCIErrorCode = .success, x: Octets32 = .zero, y: Octets32 = .zero) {
        self.status = status
        self.x = x
        self.y = y
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.status = try coder.field("Status", \.status)
        self.x = try coder.field("Key_X_Coordinate", \.x)
        self.y = try coder.field("Key_Y_Coordinate", \.y)
    }
}

/// The Diffie-Hellman key that the controller made (Vol 4, Part E, 7.7.65.9).
public struct LEGenerateDHKeyComplete: LEEventPayload {
    /// The number of the subevent.
    public static let subevent = LESubeventCode.generateDHKeyComplete

    /// Whether it succeeded.
    public var status: HCIErrorCode
    /// The key.
    public var key: Octets32

    /// Creates the event.
    public init(status: HCIErrorCode = .success, key: Octets32 = .zero) {
        self.status = status
        self.key = key
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.status = try coder.field("Status", \.status)
        self.key = try coder.field("DH_Key", \.key)
    }
}
