// The format of a characteristic's value that is one number: from the GATT Specification Supplement for characteristics
// of the Bluetooth SIG, and from Characteristic Presentation Format for every one that has this descriptor (Vol 3, Part
// G, 3.3.3.5). The value is `raw * M * 10^d * 2^b` of a unit.

import CAssignedNumbers
import Foundation

/// The format of a value that is one number with a unit.
package struct ValueFormat: Equatable, Sendable {
    /// The encoding of the raw number, little-endian (Assigned Numbers, 2.4).
    package enum Kind: Equatable, Sendable {
        case unsigned(octets: Int)
        case signed(octets: Int)
        /// IEEE 754.
        case float(octets: Int)
        /// IEEE 11073: an exponent of 4 bits in 2 octets, or of 8 bits in 4.
        case medicalFloat(octets: Int)

        /// The type with a name in the Assigned Numbers, such as `uint16`; `nil` unless it is a number of whole octets.
        package init?(name: some StringProtocol) {
            let digits = name.reversed().prefix { $0.isNumber }.reversed()
            guard let bits = Int(String(digits)), bits % 8 == 0, (1...8).contains(bits / 8) else { return nil }
            let octets = bits / 8
            switch name.dropLast(digits.count) {
            case "uint": self = .unsigned(octets: octets)
            case "sint": self = .signed(octets: octets)
            case "float" where octets == 4 || octets == 8: self = .float(octets: octets)
            case "medfloat" where octets == 2 || octets == 4: self = .medicalFloat(octets: octets)
            default: return nil
            }
        }

        /// The type with a number in Characteristic Presentation Format; `nil` unless it is a number of whole octets.
        init?(number: UInt8) {
            switch number {
            case 0x04: self = .unsigned(octets: 1)
            case 0x06: self = .unsigned(octets: 2)
            case 0x07: self = .unsigned(octets: 3)
            case 0x08: self = .unsigned(octets: 4)
            case 0x09: self = .unsigned(octets: 6)
            case 0x0A: self = .unsigned(octets: 8)
            case 0x0C: self = .signed(octets: 1)
            case 0x0E: self = .signed(octets: 2)
            case 0x0F: self = .signed(octets: 3)
            case 0x10: self = .signed(octets: 4)
            case 0x11: self = .signed(octets: 6)
            case 0x12: self = .signed(octets: 8)
            case 0x14: self = .float(octets: 4)
            case 0x15: self = .float(octets: 8)
            case 0x16: self = .medicalFloat(octets: 2)
            case 0x17: self = .medicalFloat(octets: 4)
            default: return nil
            }
        }

        /// The length in octets.
        package var octets: Int {
            switch self {
            case .unsigned(let octets), .signed(let octets), .float(let octets), .medicalFloat(let octets): octets
            }
        }
    }

    /// The encoding of the raw number.
    package var kind: Kind
    /// The UUID of the unit.
    package var unit: UInt16
    /// M.
    package var multiplier = 1
    /// d.
    package var decimalExponent = 0
    /// b.
    package var binaryExponent = 0
    /// The raw number that means that the value is not known.
    package var unknown: UInt64?
    /// The raw number that means that the value is not valid.
    package var invalid: UInt64?

    /// A format without a scale.
    package init(_ kind: Kind, unit: UInt16) {
        self.kind = kind
        self.unit = unit
    }

    /// The format of a characteristic of the Bluetooth SIG; `nil` if its value is not a number.
    package static subscript(characteristic characteristic: UInt16) -> ValueFormat? { self.formats[characteristic] }

    /// The format in a Characteristic Presentation Format: type, exponent, unit, name space and description in seven
    /// octets; `nil` if the length differs or the type is not a number.
    package init?(presentationFormat octets: some Collection<UInt8>) {
        let octets = Array(octets)
        guard octets.count == 7, let kind = Kind(number: octets[0]) else { return nil }
        self.init(kind, unit: UInt16(octets[2]) | UInt16(octets[3]) << 8)
        self.decimalExponent = Int(Int8(bitPattern: octets[1]))
    }

    /// Parses a row of the table after its UUID: `sint16 272F d=-2 unknown=8000`.
    init?(row: some StringProtocol) {
        let fields = row.split(separator: " ")
        guard fields.count >= 2, let kind = Kind(name: fields[0]), let unit = UInt16(fields[1], radix: 16) else {
            return nil
        }
        self.init(kind, unit: unit)
        for field in fields.dropFirst(2) {
            let parts = field.split(separator: "=")
            guard parts.count == 2 else { return nil }
            switch parts[0] {
            case "M": self.multiplier = Int(parts[1]) ?? 1
            case "d": self.decimalExponent = Int(parts[1]) ?? 0
            case "b": self.binaryExponent = Int(parts[1]) ?? 0
            case "unknown": self.unknown = UInt64(parts[1], radix: 16)
            case "invalid": self.invalid = UInt64(parts[1], radix: 16)
            default: return nil
            }
        }
    }

    /// The value in words: `21.5 °C`, `not known`; `nil` if there are fewer octets than the number has.
    package func text(_ octets: some Collection<UInt8>) -> String? {
        guard let raw = self.raw(octets) else { return nil }
        if raw == self.unknown { return "not known" }
        if raw == self.invalid { return "not valid" }
        guard let number = self.number(octets) else { return "not a number" }
        let text = Self.text(number)
        return self.unitText.map { "\(text) \($0)" } ?? text
    }

    /// The value as a number of ``unitText``; `nil` if it is unknown or invalid, or if octets are missing.
    package func number(_ octets: some Collection<UInt8>) -> Double? {
        guard let raw = self.raw(octets), raw != self.unknown, raw != self.invalid, let number = self.number(raw),
            number.isFinite
        else { return nil }
        return number
    }

    /// The symbol of the unit, such as `°C`; `nil` for a number without one.
    package var unitText: String? { Self.units[self.unit].flatMap { $0.isEmpty ? nil : $0 } }

    /// The raw number, little-endian; `nil` if octets are missing.
    private func raw(_ octets: some Collection<UInt8>) -> UInt64? {
        guard octets.count >= self.kind.octets else { return nil }
        return octets.prefix(self.kind.octets).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The value of a raw number; `nil` for the special values of IEEE 11073.
    private func number(_ raw: UInt64) -> Double? {
        let number: Double
        switch self.kind {
        case .unsigned: number = Double(raw)
        case .signed(let octets): number = Double(Self.signed(raw, bits: 8 * octets))
        case .float(4): number = Double(Float(bitPattern: UInt32(truncatingIfNeeded: raw)))
        case .float: number = Double(bitPattern: raw)
        case .medicalFloat(let octets):
            let bits = octets == 2 ? 12 : 24
            let mantissa = Self.signed(raw, bits: bits)
            // The greatest value, its predecessor and the lowest values are infinities, not a number, and not at this
            // resolution.
            let greatest = Int64(1) << (bits - 1) - 1
            guard mantissa < greatest - 1, mantissa > -greatest + 1 else { return nil }
            return Self.scaled(Double(mantissa), Int(Self.signed(raw >> UInt64(bits), bits: 8 * octets - bits)))
        }
        let scaled = Self.scaled(number * Double(self.multiplier), self.decimalExponent)
        return self.binaryExponent == 0 ? scaled : scaled * pow(2, Double(self.binaryExponent))
    }

    /// The lower bits of a number, sign-extended.
    private static func signed(_ raw: UInt64, bits: Int) -> Int64 {
        Int64(bitPattern: raw << UInt64(64 - bits)) >> Int64(64 - bits)
    }

    /// A number times a power of ten; dividing by a whole power keeps the decimal digits exact.
    private static func scaled(_ number: Double, _ exponent: Int) -> Double {
        exponent < 0 ? number / pow(10, Double(-exponent)) : number * pow(10, Double(exponent))
    }

    /// A number in digits: `100`, `21.5`.
    package static func text(_ number: Double) -> String {
        number == number.rounded() && abs(number) < 1e15 ? "\(Int64(number))" : "\(number)"
    }

    private static let units = AssignedTable.short(assigned_units())

    private static let formats: [UInt16: ValueFormat] = AssignedTable.short(assigned_formats())
        .compactMapValues { ValueFormat(row: $0) }
}
