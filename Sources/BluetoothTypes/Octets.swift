// Values of 16 and 32 octets: keys, hashes and random numbers (16 octets), coordinates on the curve P-256 (32 octets).
// They are stored as words, so that they need no allocation. HCI and the Security Manager send
// them least significant octet first; ciphers take them most significant octet first.

public import NIOCore

/// A 128-bit value of 16 octets.
public struct Octets16: Hashable, Sendable {
    /// The most significant 64 bits.
    public var high: UInt64
    /// The least significant 64 bits.
    public var low: UInt64

    package static let zero = Octets16(high: 0, low: 0)

    @inlinable
    public init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

    /// `nil` unless there are 16 octets.
    public init?(mostSignificantFirst octets: some Collection<UInt8>) {
        guard octets.count == 16 else { return nil }
        self.high = octets.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        self.low = octets.dropFirst(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The order of the Security Manager's functions and of AES.
    package var mostSignificantFirst: [UInt8] {
        [self.high, self.low].flatMap { word in
            stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt64($0)) }
        }
    }

    @inlinable
    public init(parsing bytes: inout ByteBuffer, _ field: StaticString) throws(MalformedBytes) {
        guard bytes.readableBytes >= 16 else { throw MalformedBytes(.truncated, field) }
        self.low = try bytes.readLittleEndian(field)
        self.high = try bytes.readLittleEndian(field)
    }

    /// Writes the 16 octets, least significant first.
    @inlinable
    package func encode(into bytes: inout ByteBuffer) {
        bytes.writeLittleEndian(self.low)
        bytes.writeLittleEndian(self.high)
    }
}

extension Octets16: CustomStringConvertible {
    public var description: String {
        self.high.hexadecimalDigits + self.low.hexadecimalDigits
    }
}

/// A 256-bit value of 32 octets.
package struct Octets32: Hashable, Sendable {
    /// The most significant 128 bits.
    public var high: Octets16
    /// The least significant 128 bits.
    public var low: Octets16

    package static let zero = Octets32(high: .zero, low: .zero)

    @inlinable
    package init(high: Octets16, low: Octets16) { (self.high, self.low) = (high, low) }

    /// `nil` unless there are 32 octets.
    package init?(mostSignificantFirst octets: some Collection<UInt8>) {
        guard octets.count == 32,
            let high = Octets16(mostSignificantFirst: octets.prefix(16)),
            let low = Octets16(mostSignificantFirst: octets.dropFirst(16))
        else { return nil }
        self.init(high: high, low: low)
    }

    package var mostSignificantFirst: [UInt8] { self.high.mostSignificantFirst + self.low.mostSignificantFirst }

    @inlinable
    package init(parsing bytes: inout ByteBuffer, _ field: StaticString) throws(MalformedBytes) {
        guard bytes.readableBytes >= 32 else { throw MalformedBytes(.truncated, field) }
        self.low = try Octets16(parsing: &bytes, field)
        self.high = try Octets16(parsing: &bytes, field)
    }

    /// Writes the 32 octets, least significant first.
    @inlinable
    package func encode(into bytes: inout ByteBuffer) {
        self.low.encode(into: &bytes)
        self.high.encode(into: &bytes)
    }
}

extension Octets32: CustomStringConvertible {
    public var description: String { self.high.description + self.low.description }
}
