// Encryption of a link (Vol 4, Part E, 7.8.24 to 7.8.26), and P-256 (7.8.36 and 7.8.37).

package import BluetoothTypes

/// Encrypts a link, or refreshes its key; an event follows (Vol 4, Part E, 7.8.24).
package struct LEEnableEncryption: HCICommand {
    package typealias ReturnParameters = NoReturnParameters
    package static let opcode = HCIOpcode(.leController, 0x0019)
    package var handle: ConnectionHandle
    /// Identifies the key; zero for LE Secure Connections.
    package var random: UInt64
    /// Identifies the key; zero for LE Secure Connections.
    package var encryptedDiversifier: UInt16
    package var longTermKey: Octets16

    package init(handle: ConnectionHandle, random: UInt64 = 0, encryptedDiversifier: UInt16 = 0, longTermKey: Octets16)
    {
        self.handle = handle
        self.random = random
        self.encryptedDiversifier = encryptedDiversifier
        self.longTermKey = longTermKey
    }

    package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.handle = try coder.field("Connection_Handle", \.handle)
        self.random = try coder.field("Random_Number", \.random)
        self.encryptedDiversifier = try coder.field("Encrypted_Diversifier", \.encryptedDiversifier)
        self.longTermKey = try coder.field("Long_Term_Key", \.longTermKey)
    }
}

/// Provides the key that LE Long Term Key Request asked for (Vol 4, Part E, 7.8.25).
package struct LELongTermKeyRequestReply: HCICommand {
    package typealias ReturnParameters = LinkReturnParameters
    package static let opcode = HCIOpcode(.leController, 0x001A)
    package var handle: ConnectionHandle
    package var longTermKey: Octets16

    package init(handle: ConnectionHandle, longTermKey: Octets16) {
        (self.handle, self.longTermKey) = (handle, longTermKey)
    }

    package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.handle = try coder.field("Connection_Handle", \.handle)
        self.longTermKey = try coder.field("Long_Term_Key", \.longTermKey)
    }
}

/// Answers LE Long Term Key Request if there is no key (Vol 4, Part E, 7.8.26).
package struct LELongTermKeyRequestNegativeReply: HCICommandForLink {
    package typealias ReturnParameters = LinkReturnParameters
    package static let opcode = HCIOpcode(.leController, 0x001B)
    package var handle: ConnectionHandle
    package init(handle: ConnectionHandle) { self.handle = handle }
}

/// Generates a key pair; an event returns the public key (Vol 4, Part E, 7.8.36).
package struct LEReadLocalP256PublicKey: HCICommandWithoutParameters {
    package typealias ReturnParameters = NoReturnParameters
    package static let opcode = HCIOpcode(.leController, 0x0025)
    package init() {}
}

/// Computes a Diffie-Hellman key from the generated private key [v1]; an event returns it (Vol 4, Part E, 7.8.37).
package struct LEGenerateDHKey: HCICommand {
    package typealias ReturnParameters = NoReturnParameters
    package static let opcode = HCIOpcode(.leController, 0x0026)
    /// X coordinate of the peer's public key.
    package var x: Octets32
    /// Y coordinate of the peer's public key.
    package var y: Octets32
    package init(x: Octets32, y: Octets32) { (self.x, self.y) = (x, y) }

    package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.x = try coder.field("Key_X_Coordinate", \.x)
        self.y = try coder.field("Key_Y_Coordinate", \.y)
    }
}

/// Computes a Diffie-Hellman key [v2]; an event returns it (Vol 4, Part E, 7.8.37).
package struct LEGenerateDHKeyV2: HCICommand {
    package typealias ReturnParameters = NoReturnParameters
    package static let opcode = HCIOpcode(.leController, 0x005E)
    /// X coordinate of the peer's public key.
    package var x: Octets32
    /// Y coordinate of the peer's public key.
    package var y: Octets32
    package var keyType: P256KeyType

    package init(x: Octets32, y: Octets32, keyType: P256KeyType = .generated) {
        (self.x, self.y, self.keyType) = (x, y, keyType)
    }

    package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.x = try coder.field("Key_X_Coordinate", \.x)
        self.y = try coder.field("Key_Y_Coordinate", \.y)
        self.keyType = try coder.field("Key_Type", \.keyType)
    }
}
