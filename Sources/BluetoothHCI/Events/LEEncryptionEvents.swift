// Events of encryption and of the keys for it (Vol 4, Part E, 7.7.65.5, 7.7.65.8 and 7.7.65.9).

public import BluetoothTypes
public import NIOCore

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

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) {
        bytes.writeParameters(self.handle, self.random, self.encryptedDiversifier)
    }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            handle: try bytes.readParameter("Connection_Handle"),
            random: try bytes.readParameter("Random_Number"),
            encryptedDiversifier: try bytes.readParameter("Encrypted_Diversifier")
        )
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

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) {
        bytes.writeParameters(self.status, self.x, self.y)
    }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            status: try bytes.readParameter("Status"),
            x: try bytes.readParameter("Key_X_Coordinate"),
            y: try bytes.readParameter("Key_Y_Coordinate")
        )
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

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) { bytes.writeParameters(self.status, self.key) }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            status: try bytes.readParameter("Status"),
            key: try bytes.readParameter("DH_Key")
        )
    }
}
