// Data that two devices exchange out of band before they pair (Vol 3, Part H, 2.3.5.4 and 2.3.5.6.4): a temporary key
// for legacy pairing, and for LE Secure Connections a random number of each side with a confirmation of its public key.

public import BluetoothTypes

/// Out-of-band data of one device for LE Secure Connections, as another one receives it.
public struct SecureConnectionsOutOfBandData: Hashable, Sendable {
    /// The confirmation of the public key (C).
    package var confirm: Octets16
    /// The random number (r).
    package var random: Octets16

    /// Creates the data of a peer.
    package init(confirm: Octets16, random: Octets16) {
        self.confirm = confirm
        self.random = random
    }

    /// Whether the confirmation matches a public key.
    func confirms(_ key: PublicKey) -> Bool {
        SecurityToolbox.f4(key.x, key.x, self.random, 0) == self.confirm
    }
}

/// Out-of-band data of this device, with its key pair.
public struct LocalOutOfBandData: Sendable {
    /// The part for the peer.
    package let shared: SecureConnectionsOutOfBandData
    let keyPair: KeyPair

    /// Creates data for one pairing.
    public init(using generator: inout some RandomNumberGenerator) {
        let keyPair = KeyPair(using: &generator)
        let random = Octets16.random(using: &generator)
        let x = keyPair.publicKey.x
        self.keyPair = keyPair
        self.shared = SecureConnectionsOutOfBandData(
            confirm: SecurityToolbox.f4(x, x, random, 0),
            random: random
        )
    }
}

/// All out-of-band data for a pairing.
public struct OutOfBandData: Sendable {
    /// The temporary key of legacy pairing, the same on both sides.
    package var temporaryKey: Octets16?
    /// The data of the peer.
    package var peer: SecureConnectionsOutOfBandData?
    /// The data that the peer may have received.
    package var local: LocalOutOfBandData?

    /// Data.
    public init(
        temporaryKey: Octets16? = nil,
        peer: SecureConnectionsOutOfBandData? = nil,
        local: LocalOutOfBandData? = nil
    ) {
        self.temporaryKey = temporaryKey
        self.peer = peer
        self.local = local
    }

    /// Whether there is any.
    var isPresent: Bool { self.temporaryKey != nil || self.peer != nil || self.local != nil }
}
