// Events of encryption and of the keys for it (Vol 4, Part E, 7.7.65.5, 7.7.65.8 and 7.7.65.9).

package import BluetoothTypes

/// The central starts encryption, and the controller requests the key (Vol 4, Part E, 7.7.65.5).
public struct LELongTermKeyRequest: LEEventPayload {
    package static let subevent = LESubeventCode.longTermKeyRequest
    package var handle: ConnectionHandle
    /// Identifies the key; zero for LE Secure Connections.
    package var random: UInt64
    /// Identifies the key; zero for LE Secure Connections.
    package var encryptedDiversifier: UInt16

    package init(handle: ConnectionHandle, random: UInt64, encryptedDiversifier: UInt16) {
        (self.handle, self.random, self.encryptedDiversifier) = (handle, random, encryptedDiversifier)
    }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.handle = try coder.field("Connection_Handle", \.handle)
        self.random = try coder.field("Random_Number", \.random)
        self.encryptedDiversifier = try coder.field("Encrypted_Diversifier", \.encryptedDiversifier)
    }
}

/// The public key that the controller generated (Vol 4, Part E, 7.7.65.8).
public struct LEReadLocalP256PublicKeyComplete: LEEventPayload {
    package static let subevent = LESubeventCode.readLocalP256PublicKeyComplete
    package var status: HCIErrorCode
    package var x: Octets32
    package var y: Octets32

    package init(status: HCIErrorCode = .success, x: Octets32 = .zero, y: Octets32 = .zero) {
        (self.status, self.x, self.y) = (status, x, y)
    }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.status = try coder.field("Status", \.status)
        self.x = try coder.field("Key_X_Coordinate", \.x)
        self.y = try coder.field("Key_Y_Coordinate", \.y)
    }
}

/// The Diffie-Hellman key that the controller computed (Vol 4, Part E, 7.7.65.9).
public struct LEGenerateDHKeyComplete: LEEventPayload {
    package static let subevent = LESubeventCode.generateDHKeyComplete
    package var status: HCIErrorCode
    package var key: Octets32
    package init(status: HCIErrorCode = .success, key: Octets32 = .zero) { (self.status, self.key) = (status, key) }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.status = try coder.field("Status", \.status)
        self.key = try coder.field("DH_Key", \.key)
    }
}
