// Generates and resolves resolvable private addresses (Vol 6, Part B, 1.3.2.2 and 1.3.2.3).

import BluetoothTypes

/// A resolvable private address: 24 random bits, of which the upper two are `01`, and their hash with an identity
/// resolving key.
enum ResolvablePrivateAddress {
    /// A new address.
    static func make(_ key: Octets16, using generator: inout some RandomNumberGenerator) -> DeviceAddress {
        .resolvablePrivate(using: &generator) { SecurityToolbox.ah(key, $0) }
    }

    /// Whether an address was generated from a key; false for a key of zero, which stands for none (Vol 3, Part H,
    /// 2.4.2.1).
    static func matches(_ address: DeviceAddress, _ key: Octets16) -> Bool {
        key != .zero && address.isResolvablePrivate { SecurityToolbox.ah(key, $0) }
    }
}
