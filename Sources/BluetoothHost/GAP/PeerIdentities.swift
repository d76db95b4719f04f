// Recognizes bonded peers by their identity addresses, and by the keys that resolve their private addresses (Vol 3,
// Part C, 10.7 and 10.8). Every advertisement and link is looked up here, so results are cached.
//
// A peer can use one address after the other. The cache is bounded, and cleared when it is full.

import BluetoothTypes

/// The identities of bonded peers.
struct PeerIdentities {
    /// The largest number of cached addresses, resolved or not.
    static let cacheCapacity = 1024

    /// The peers; a key of zero stands for none.
    let all: [IdentityInformation]
    private let withKeys: [IdentityInformation]
    /// The identity addresses of peers without keys, by the private addresses with which they paired.
    private let aliases: [DeviceAddress: DeviceAddress]
    private var cache: [DeviceAddress: DeviceAddress?] = [:]

    /// Creates the identities of peers.
    init(_ peers: [BondedPeer] = []) {
        self.all = peers.map(\.identity)
        self.withKeys = self.all.filter { $0.identityResolvingKey != .zero }
        let aliases = peers.compactMap { peer in
            peer.peerAddress.flatMap { $0.isIdentity ? nil : ($0, peer.identity.address) }
        }
        self.aliases = Dictionary(aliases) { first, _ in first }
    }

    /// The peers that can be recognized only when they are heard.
    var withAliases: Set<DeviceAddress> { Set(self.aliases.values) }

    /// The peers whose addresses can be resolved.
    var resolvable: [IdentityInformation] { self.withKeys }

    /// The key of a peer; `nil` if it has none.
    func key(of identity: DeviceAddress) -> Octets16? {
        self.withKeys.first { $0.address == identity }?.identityResolvingKey
    }

    /// The identity address behind a private one; `nil` if no key resolves it.
    mutating func resolve(_ address: DeviceAddress) -> DeviceAddress? {
        guard !self.withKeys.isEmpty, address.randomKind == .resolvablePrivate else { return self.aliases[address] }
        if let known = self.cache[address] { return known }
        let identity =
            self.withKeys.first { ResolvablePrivateAddress.matches(address, $0.identityResolvingKey) }?
            .address ?? self.aliases[address]
        if self.cache.count >= Self.cacheCapacity { self.cache.removeAll(keepingCapacity: true) }
        self.cache[address] = .some(identity)
        return identity
    }
}
