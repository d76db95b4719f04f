// The 48-bit address of a Bluetooth LE device together with its kind (Vol 6, Part B, 1.3).

public import NIOCore

/// A Bluetooth LE device address: 48 bits and whether they are public or random.
public struct DeviceAddress: Hashable, Sendable {
    /// The address type of HCI (`Peer_Address_Type`, Vol 4, Part E, 7.8.12).
    public enum Kind: UInt8, Hashable, Sendable, CaseIterable {
        /// An address assigned by the IEEE.
        case `public` = 0x00
        /// A static or private random address.
        case random = 0x01
        /// A public identity address, resolved by the controller.
        case publicIdentity = 0x02
        /// A random static identity address, resolved by the controller.
        case randomIdentity = 0x03
    }

    /// The kind of a random address, from its two most significant bits (Vol 6, Part B, 1.3.2).
    package enum RandomKind: Hashable, Sendable {
        /// Stable until the device restarts.
        case `static`
        /// Rotates; resolved with an identity resolving key.
        case resolvablePrivate
        /// Rotates; cannot be resolved.
        case nonResolvablePrivate
        /// The bits `10`, reserved for future use.
        case reserved
    }

    /// The address in the low 48 bits: the first written octet (`C0` in `C0:…`) is the most significant.
    public let value: UInt64
    public let kind: Kind

    /// Creates an address from the low 48 bits of `value`.
    @inlinable
    public init(_ value: UInt64, kind: Kind) {
        self.value = value & 0xFFFF_FFFF_FFFF
        self.kind = kind
    }

    /// Parses text such as `C0:11:22:33:44:55`; `nil` if it is malformed.
    public init?(_ text: String, kind: Kind) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 6 else { return nil }
        var value: UInt64 = 0
        for part in parts {
            // `UInt8.init(_:radix:)` accepts a sign.
            guard part.utf8.count == 2, part.allSatisfy(\.isHexDigit), let octet = UInt8(part, radix: 16) else {
                return nil
            }
            value = value << 8 | UInt64(octet)
        }
        self.init(value, kind: kind)
    }

    /// A random static address from 46 random bits (Vol 6, Part B, 1.3.2.1).
    package static func randomStatic(using generator: inout some RandomNumberGenerator) -> DeviceAddress {
        var bits = generator.next() & 0x3FFF_FFFF_FFFF
        // All zeros and all ones are not allowed in the random part.
        if bits == 0 || bits == 0x3FFF_FFFF_FFFF { bits = 1 }
        return DeviceAddress(0xC000_0000_0000 | bits, kind: .random)
    }

    /// A resolvable private address from 22 random bits and their hash (Vol 6, Part B, 1.3.2.2).
    package static func resolvablePrivate(
        using generator: inout some RandomNumberGenerator,
        hash: (UInt32) -> UInt32
    ) -> DeviceAddress {
        var random = UInt32(truncatingIfNeeded: generator.next()) & 0x3F_FFFF
        // All zeros and all ones are not allowed in the random part.
        if random == 0 || random == 0x3F_FFFF { random = 1 }
        random |= 0x40_0000
        return DeviceAddress(UInt64(random) << 24 | UInt64(hash(random)), kind: .random)
    }

    /// Whether this is a resolvable private address whose hash matches its random bits (Vol 6, Part B, 1.3.2.3).
    package func isResolvablePrivate(hash: (UInt32) -> UInt32) -> Bool {
        self.randomKind == .resolvablePrivate
            && hash(UInt32(truncatingIfNeeded: self.value >> 24)) == UInt32(truncatingIfNeeded: self.value & 0xFF_FFFF)
    }

    /// The all-zero address that stands for "none" in many HCI parameters.
    public static let none = DeviceAddress(0, kind: .public)

    /// The kind of a random address; `nil` for a public one.
    package var randomKind: RandomKind? {
        guard self.isRandom else { return nil }
        return switch self.value >> 46 {
        case 0b11: .static
        case 0b01: .resolvablePrivate
        case 0b00: .nonResolvablePrivate
        default: .reserved
        }
    }

    /// Whether the kind is random or random identity.
    @inlinable
    public var isRandom: Bool { self.kind.rawValue & 1 == 1 }

    /// The address with `public` for `publicIdentity`, and `random` for `randomIdentity`.
    @inlinable
    package var withoutIdentity: DeviceAddress {
        DeviceAddress(self.value, kind: self.isRandom ? .random : .public)
    }

    @inlinable
    public init(
        parsing bytes: inout ByteBuffer,
        kind: Kind,
        _ field: StaticString = "Address"
    ) throws(MalformedBytes) {
        guard bytes.readableBytes >= 6 else { throw MalformedBytes(.truncated, field) }
        let low: UInt32 = try bytes.readLittleEndian(field)
        let high: UInt16 = try bytes.readLittleEndian(field)
        self.init(UInt64(high) << 32 | UInt64(low), kind: kind)
    }

    /// Writes the six octets, without the kind.
    @inlinable
    package func encode(into bytes: inout ByteBuffer) {
        bytes.writeLittleEndian(UInt32(truncatingIfNeeded: self.value))
        bytes.writeLittleEndian(UInt16(truncatingIfNeeded: self.value >> 32))
    }
}

extension DeviceAddress: CustomStringConvertible {
    /// Text such as `C0:11:22:33:44:55`, without the kind.
    public var description: String {
        stride(from: 40, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self.value >> $0) }
            .hexadecimalDigits(separator: ":")
    }
}
