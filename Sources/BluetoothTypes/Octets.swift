// Fixed runs of octets that are one value to Bluetooth: keys, hashes, random numbers (16 octets) and coordinates on the
// curve P-256 (32 octets). Kept in words, so that they need no memory of their own. HCI and the Security Manager send
// them least significant octet first; ciphers take them most significant octet first.

public import NIOCore

/// Sixteen octets that are one 128-bit value.
public struct Octets16: Hashable, Sendable {
    /// The upper 64 bits.
    public var high: UInt64
    /// The lower 64 bits.
    public var low: UInt64

    /// All zeros.
    public static let zero = Octets16(high: 0, low: 0)

    /// A value from two words.
    @inlinable
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// A value from 16 octets, most significant first; `nil` for another count.
    public init?(mostSignificantFirst octets: some Collection<UInt8>) {
        guard octets.count == 16 else { return nil }
        self.high = octets.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        self.low = octets.dropFirst(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The 16 octets, most significant first: the order of the Security Manager's functions and of AES.
    public var mostSignificantFirst: [UInt8] {
        [self.high, self.low].flatMap { word in
            stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt64($0)) }
        }
    }

    /// Reads 16 octets, least significant first.
    @inlinable
    public init(parsing bytes: inout ByteBuffer, _ field: StaticString) throws(MalformedBytes) {
        guard bytes.readableBytes >= 16 else { throw MalformedBytes(.truncated, field) }
        self.low = try bytes.readLittleEndian(field)
        self.high = try bytes.readLittleEndian(field)
    }

    /// Writes the 16 octets, least significant first.
    @inlinable
    public func encode(into bytes: inout ByteBuffer) {
        bytes.writeLittleEndian(self.low)
        bytes.writeLittleEndian(self.high)
    }
}

extension Octets16: CustomStringConvertible {
    /// 32 hexadecimal digits, most significant first.
    public var description: String {
        self.high.hexadecimalDigits + self.low.hexadecimalDigits
    }
}

/// Thirty-two octets that are one 256-bit value.
public struct Octets32: Hashable, Sendable {
    /// The upper 128 bits.
    public var high: Octets16
    /// The lower 128 bits.
    public var low: Octets16

    /// All zeros.
    public static let zero = Octets32(high: .zero, low: .zero)

    /// A value from two halves.
    @inlinable
    public init(high: Octets16, low: Octets16) {
        self.high = high
        self.low = low
    }

    /// A value from 32 octets, most significant first; `nil` for another count.
    public init?(mostSignificantFirst octets: some Collection<UInt8>) {
        guard octets.count == 32,
            let high = Octets16(mostSignificantFirst: octets.prefix(16)),
            let low = Octets16(mostSignificantFirst: octets.dropFirst(16))
        else { return nil }
        self.init(high: high, low: low)
    }

    /// The 32 octets, most significant first.
    public var mostSignificantFirst: [UInt8] { self.high.mostSignificantFirst + self.low.mostSignificantFirst }

    /// Reads 32 octets, least significant first.
    @inlinable
    public init(parsing bytes: inout ByteBuffer, _ field: StaticString) throws(MalformedBytes) {
        guard bytes.readableBytes >= 32 else { throw MalformedBytes(.truncated, field) }
        self.low = try Octets16(parsing: &bytes, field)
        self.high = try Octets16(parsing: &bytes, field)
    }

    /// Writes the 32 octets, least significant first.
    @inlinable
    public func encode(into bytes: inout ByteBuffer) {
        self.low.encode(into: &bytes)
        self.high.encode(into: &bytes)
    }
}

extension Octets32: CustomStringConvertible {
    /// 64 hexadecimal digits, most significant first.
    public var description: String { self.high.description + self.low.description }
}
