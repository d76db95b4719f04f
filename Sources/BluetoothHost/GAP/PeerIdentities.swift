// The bonded peers as a host knows them: by their identity addresses, and by the keys that resolve their private addresses
// (Vol 3, Part C, 10.7 and 10.8). Asked for each advertisement and each link, so what was found is kept for a while.
//
// What a peer can do: use one address after the other. What is kept of them is bounded, and forgotten all at once.

import BluetoothTypes

/// The identities of bonded peers.
struct PeerIdentities {
    /// How many resolved, and unresolvable, addresses are kept.
    static let cacheCapacity = 1024

    /// The peers; a key of zero stands for none.
    let all: [IdentityInformation]
    private let withKeys: [IdentityInformation]
    private var cache: [DeviceAddress: DeviceAddress?] = [:]

    /// The identities of these peers.
    init(_ all: [IdentityInformation] = []) {
        self.all = all.map {
            IdentityInformation(identityResolvingKey: $0.identityResolvingKey, address: $0.address.withoutIdentity)
        }
        self.withKeys = self.all.filter { $0.identityResolvingKey != .zero }
    }

    /// The peers whose addresses can be resolved.
    var resolvable: [IdentityInformation] { self.withKeys }

    /// The key of a peer; `nil` for one that has none.
    func key(of identity: DeviceAddress) -> Octets16? {
        self.withKeys.first { $0.address == identity }?.identityResolvingKey
    }

    /// The identity address behind a private one; `nil` where none of the keys resolves it.
    mutating func resolve(_ address: DeviceAddress) -> DeviceAddress? {
        guard !self.withKeys.isEmpty, address.randomKind == .resolvablePrivate else { return nil }
        if let known = self.cache[address] { return known }
        let identity = self.withKeys.first { ResolvablePrivateAddress.matches(address, $0.identityResolvingKey) }?
            .address
        if self.cache.count >= Self.cacheCapacity { self.cache.removeAll(keepingCapacity: true) }
        self.cache[address] = .some(identity)
        return identity
    }
}
