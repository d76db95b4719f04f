// Resolvable private addresses: how they are made and resolved (Vol 6, Part B, 1.3.2.2 and 1.3.2.3).

import BluetoothTypes

/// What a resolvable private address is made of: 24 random bits, of which the upper two are `01`, and their hash with an
/// identity resolving key.
enum ResolvablePrivateAddress {
    /// A new address.
    static func make(_ key: Octets16, using generator: inout some RandomNumberGenerator) -> DeviceAddress {
        .resolvablePrivate(using: &generator) { SecurityToolbox.ah(key, $0) }
    }

    /// Whether an address was made with a key; never with one of zero, which stands for none (Vol 3, Part H, 2.4.2.1).
    static func matches(_ address: DeviceAddress, _ key: Octets16) -> Bool {
        key != .zero && address.isResolvablePrivate { SecurityToolbox.ah(key, $0) }
    }
}
