// Whom a device knows when a peer says who it is, at the end of a pairing (Vol 3, Part H, 3.6.4 and 3.6.5). Nothing proves
// that an identity address is the peer's own, so a claim may not take what belongs to another one.

import BluetoothTypes

/// The identity of this device and those of its bonded peers.
struct KnownIdentities: Sendable {
    /// What is to be thought of an identity that a peer claims.
    enum Claim: Hashable, Sendable {
        /// Nobody else has it.
        case free
        /// Another bond has the address: the user decides whether it is replaced.
        case bonded
        /// It is this device's own, or the key is that of another peer, whose addresses would be taken for this one's.
        case taken
    }

    /// The identity address of this device.
    var address: DeviceAddress?
    /// The identity resolving key of this device.
    var key: Octets16?
    /// The bonded peers; a key of zero stands for none.
    var peers: [IdentityInformation] = []

    /// What is to be thought of an identity that a peer claims.
    /// - Parameter existing: The bond that the peer had when the pairing began, whose replacement the user was asked for
    ///   by then.
    func claim(of identity: IdentityInformation, existing: Bond?) -> Claim {
        let address = identity.address.withoutIdentity
        guard address != self.address else { return .taken }
        if identity.identityResolvingKey != .zero {
            let others = self.peers.filter { $0.address != address }.map(\.identityResolvingKey)
            guard identity.identityResolvingKey != self.key, !others.contains(identity.identityResolvingKey) else {
                return .taken
            }
        }
        if address == existing?.identityAddress.withoutIdentity { return .free }
        return self.peers.contains { $0.address == address } ? .bonded : .free
    }
}
