// A UUID has 16 or 32 bits assigned by the Bluetooth SIG, or 128 bits that are not assigned (Vol 3, Part B, 2.5.1). The
// short forms stand for a 128-bit value on the Bluetooth Base UUID, and different forms of one value are equal.

public import NIOCore

/// A 16-, 32- or 128-bit Bluetooth UUID.
public struct BluetoothUUID: Sendable {
    /// The form of a UUID.
    public enum Form: Hashable, Sendable {
        /// 16 bits, assigned by the Bluetooth SIG.
        case short(UInt16)
        /// 32 bits, assigned by the Bluetooth SIG.
        case medium(UInt32)
        /// 128 bits: the first and the last eight octets, in written order.
        case full(UInt64, UInt64)
    }

    /// The form in which it was created; ATT sends only 16 and 128 bits.
    public let form: Form

    @usableFromInline static let baseHigh: UInt64 = 0x0000_0000_0000_1000
    @usableFromInline static let baseLow: UInt64 = 0x8000_0080_5F9B_34FB

    @inlinable
    public init(_ value: UInt16) { self.form = .short(value) }

    @inlinable
    public init(form: Form) { self.form = form }

    /// The 128 bits as two words.
    @inlinable
    package var words: (high: UInt64, low: UInt64) {
        switch self.form {
        case .short(let value): (UInt64(value) << 32 | Self.baseHigh, Self.baseLow)
        case .medium(let value): (UInt64(value) << 32 | Self.baseHigh, Self.baseLow)
        case .full(let high, let low): (high, low)
        }
    }

    /// The 16-bit form; `nil` if the UUID has none.
    @inlinable
    package var shortValue: UInt16? {
        switch self.form {
        case .short(let value): value
        case .medium(let value): UInt16(exactly: value)
        case .full(let high, let low):
            low == Self.baseLow && high & 0xFFFF_0000_FFFF_FFFF == Self.baseHigh & 0xFFFF_FFFF
                ? UInt16(truncatingIfNeeded: high >> 32) : nil
        }
    }

    /// The value as 32 bits; `nil` if it has no such form.
    package var mediumValue: UInt32? {
        let (high, low) = self.words
        guard low == Self.baseLow, UInt32(truncatingIfNeeded: high) == UInt32(Self.baseHigh) else { return nil }
        return UInt32(truncatingIfNeeded: high >> 32)
    }

    /// The same value in the shortest form that ATT can send: 16 bits if possible, else 128.
    @inlinable
    package var attForm: BluetoothUUID {
        if let short = self.shortValue { return BluetoothUUID(short) }
        let (high, low) = self.words
        return BluetoothUUID(form: .full(high, low))
    }

    /// Creates a UUID from text: 4 or 8 hexadecimal digits, or the 36 characters of a UUID; `nil` for other text.
    public init?(_ text: some StringProtocol) {
        let utf8 = Array(text.utf8)
        func digits(_ slice: some Collection<UInt8>) -> UInt64? {
            var value: UInt64 = 0
            for character in slice {
                guard let digit = Character(Unicode.Scalar(character)).hexDigitValue, character < 0x80 else {
                    return nil
                }
                value = value << 4 | UInt64(digit)
            }
            return value
        }
        switch utf8.count {
        case 4:
            guard let value = digits(utf8) else { return nil }
            self.form = .short(UInt16(value))
        case 8:
            guard let value = digits(utf8) else { return nil }
            self.form = .medium(UInt32(value))
        case 36:
            let hyphen = UInt8(ascii: "-")
            guard utf8[8] == hyphen, utf8[13] == hyphen, utf8[18] == hyphen, utf8[23] == hyphen,
                let high = digits(utf8[0..<8] + utf8[9..<13] + utf8[14..<18]),
                let low = digits(utf8[19..<23] + utf8[24..<36])
            else { return nil }
            self.form = .full(high, low)
        default:
            return nil
        }
    }

    /// Reads a little-endian UUID of 2, 4 or 16 octets.
    @inlinable
    public init(parsing bytes: inout ByteBuffer, length: Int, _ field: StaticString = "UUID") throws(MalformedBytes) {
        switch length {
        case 2: self.form = .short(try bytes.readLittleEndian(field))
        case 4: self.form = .medium(try bytes.readLittleEndian(field))
        case 16:
            let low: UInt64 = try bytes.readLittleEndian(field)
            let high: UInt64 = try bytes.readLittleEndian(field)
            self.form = .full(high, low)
        default: throw MalformedBytes(.invalid, field)
        }
    }

    /// Writes the UUID in its own form, little-endian.
    @inlinable
    package func encode(into bytes: inout ByteBuffer) {
        switch self.form {
        case .short(let value): bytes.writeLittleEndian(value)
        case .medium(let value): bytes.writeLittleEndian(value)
        case .full(let high, let low):
            bytes.writeLittleEndian(low)
            bytes.writeLittleEndian(high)
        }
    }

    /// 2, 4 or 16, depending on the form.
    @inlinable
    package var octetCount: Int {
        switch self.form {
        case .short: 2
        case .medium: 4
        case .full: 16
        }
    }
}

extension BluetoothUUID: Hashable {
    /// Two forms of one 128-bit value are equal.
    @inlinable
    public static func == (left: BluetoothUUID, right: BluetoothUUID) -> Bool {
        left.words == right.words
    }

    /// Hashes the 128-bit value, whatever the form.
    @inlinable
    public func hash(into hasher: inout Hasher) {
        let (high, low) = self.words
        hasher.combine(high)
        hasher.combine(low)
    }
}

extension BluetoothUUID: CustomStringConvertible {
    /// Upper-case hexadecimal digits in its own form, with hyphens if it has 128 bits.
    public var description: String {
        switch self.form {
        case .short(let value): return value.hexadecimalDigits
        case .medium(let value): return value.hexadecimalDigits
        case .full(let high, let low):
            var digits = high.hexadecimalDigits + low.hexadecimalDigits
            for place in [20, 16, 12, 8] { digits.insert("-", at: digits.index(digits.startIndex, offsetBy: place)) }
            return digits
        }
    }
}

extension BluetoothUUID: ExpressibleByIntegerLiteral {
    /// A 16-bit UUID from a number: `0x1800`.
    @inlinable
    public init(integerLiteral value: UInt16) { self.init(value) }
}
