// This device's identity resolving key, from which its private addresses are made: generated once for an identity, and
// stored with its bonds, whose peers recognize the device by it.

import BluetoothTypes

/// The stored key.
struct LocalIdentityKey: StateContent {
    static var version: Int { 1 }
    private static let name = "identity-key.json"

    private let identityResolvingKey: StoredKey

    /// The key in a storage; a new one is on disk before this returns.
    static func key(in writer: StateWriter, using generator: inout any RandomNumberGenerator) -> Octets16 {
        if let stored = writer.storage.load(Self.self, from: self.name) { return stored.identityResolvingKey.octets }
        let key = Octets16(high: generator.next(), low: generator.next())
        writer.write(self.name) { try Self(identityResolvingKey: StoredKey(key)).document() }
        writer.flush()
        return key
    }
}
