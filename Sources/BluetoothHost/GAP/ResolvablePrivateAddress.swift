// Resolvable private addresses: how they are made and resolved (Vol 6, Part B, 1.3.2.2 and 1.3.2.3).

import BluetoothTypes

/// What a resolvable private address is made of: 24 random bits, of which the upper two are `01`, and their hash with an
/// identity resolving key.
enum ResolvablePrivateAddress {
    /// A new address.
    static func make(_ key: Octets16, using generator: inout some RandomNumberGenerator) -> DeviceAddress {
        var random = UInt32(truncatingIfNeeded: generator.next()) & 0x3F_FFFF
        // Neither all zeros nor all ones (Vol 6, Part B, 1.3.2.2).
        if random == 0 || random == 0x3F_FFFF { random = 1 }
        random |= 0x40_0000
        return DeviceAddress(UInt64(random) << 24 | UInt64(SecurityToolbox.ah(key, random)), kind: .random)
    }

    /// Whether an address was made with a key; never with one of zero, which stands for none (Vol 3, Part H, 2.4.2.1).
    static func matches(_ address: DeviceAddress, _ key: Octets16) -> Bool {
        guard address.randomKind == .resolvablePrivate, key != .zero else { return false }
        let random = UInt32(truncatingIfNeeded: address.value >> 24)
        return SecurityToolbox.ah(key, random) == UInt32(truncatingIfNeeded: address.value & 0xFF_FFFF)
    }
}
