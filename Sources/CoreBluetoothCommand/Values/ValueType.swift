// The types of values as a person writes and reads them: on the command line, and in the description of a peripheral.
// Numbers are little-endian, as characteristics have them.

import ArgumentParser
import AssignedNumbers
import CommandLineTool
import Foundation

/// The type of a value.
enum ValueType: String, CaseIterable, CodingKey, ExpressibleByArgument {
    case hex
    case text
    case base64
    case uint8
    case uint16
    case uint24
    case uint32
    case uint64
    case int8
    case int16
    case int24
    case int32
    case int64
    case float32
    case float64
    case medfloat16
    case medfloat32

    /// The format of a number; `nil` for the other types.
    private var number: ValueFormat.Kind? {
        // The Assigned Numbers say "sint" for a signed integer.
        ValueFormat.Kind(name: rawValue.hasPrefix("int") ? "s" + rawValue : rawValue)
    }

    // MARK: Writing

    /// The octets of a value.
    ///
    /// - Throws: ``Failure`` if the text is not of this type.
    func octets(of text: String) throws(Failure) -> Data {
        func refused(_ reason: String) -> Failure { Failure("\(PrintableText.text(text)) \(reason)") }
        guard let number else {
            if self == .text { return Data(text.utf8) }
            if let data = self == .hex ? HexadecimalText.octets(text) : Data(base64Encoded: text) { return data }
            let hint = self == .hex ? "hexadecimal: write pairs of digits such as 0A1B" : "base64"
            throw Failure("\(PrintableText.quoted(text)) is not \(hint)")
        }
        switch number {
        case .unsigned(let octets):
            let greatest = UInt64.max >> UInt64(64 - 8 * octets)
            let value = text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) : UInt64(text)
            guard let value, value <= greatest else { throw refused("is no whole number from 0 to \(greatest)") }
            return value.littleEndianData.prefix(octets)
        case .signed(let octets):
            let greatest = Int64.max >> Int64(64 - 8 * octets)
            guard let value = Int64(text), (~greatest...greatest).contains(value) else {
                throw refused("is no whole number from \(~greatest) to \(greatest)")
            }
            return value.littleEndianData.prefix(octets)
        case .float(let octets):
            guard let value = Double(text), value.isFinite else { throw refused("is no number") }
            guard octets == 4 else { return value.bitPattern.littleEndianData }
            guard Float(value).isFinite else { throw refused("is too large for a float32") }
            return Float(value).bitPattern.littleEndianData
        case .medicalFloat(let octets):
            guard let value = Double(text), value.isFinite else { throw refused("is no number") }
            guard let data = Self.medicalFloat(value, octets: octets) else {
                throw refused("has more digits than a \(rawValue) takes")
            }
            return data
        }
    }

    /// A number of IEEE 11073: a mantissa of 12 or 24 bits, and an exponent of ten of 4 or 8 bits above it; `nil` if
    /// its digits do not fit.
    static func medicalFloat(_ value: Double, octets: Int) -> Data? {
        let mantissaBits = octets == 2 ? 12 : 24
        let exponents = octets == 2 ? -8...7 : -128...127
        // The two greatest and the three least mantissas stand for no number.
        let greatest = Double(1 << (mantissaBits - 1) - 3)
        // As few digits behind the point as there are; else as few zeros in front of it.
        for exponent in Array((exponents.lowerBound...0).reversed()) + Array(1...exponents.upperBound) {
            let scale = pow(10, Double(abs(exponent)))
            let mantissa = (exponent < 0 ? value * scale : value / scale).rounded()
            guard abs(mantissa) <= greatest else { continue }
            let again = exponent < 0 ? mantissa / scale : mantissa * scale
            guard abs(again - value) <= abs(value) * 1e-12 else { continue }
            let mask = 1 << mantissaBits - 1
            let raw = UInt32(truncatingIfNeeded: Int(mantissa) & mask | exponent << mantissaBits)
            return raw.littleEndianData.prefix(octets)
        }
        return nil
    }

    // MARK: Reading

    /// The values that octets are, one after the other; `nil` if they are no whole number of values.
    func texts(of data: Data) -> [String]? {
        guard let number else {
            if self == .text { return [PrintableText.text(String(decoding: data, as: UTF8.self))] }
            return [self == .hex ? HexadecimalText.digits(data) : data.base64EncodedString()]
        }
        guard !data.isEmpty, data.count.isMultiple(of: number.octets) else { return nil }
        return stride(from: 0, to: data.count, by: number.octets).map { offset in
            Self.digits(data.dropFirst(offset).prefix(number.octets), number)
        }
    }

    private static func digits(_ octets: Data, _ number: ValueFormat.Kind) -> String {
        let raw = UInt64(littleEndianData: octets)
        switch number {
        case .unsigned: return "\(raw)"
        case .signed(let count): return "\(Int64(bitPattern: raw << UInt64(64 - 8 * count)) >> Int64(64 - 8 * count))"
        // As few digits as tell it from other numbers of four octets.
        case .float(4): return ValueFormat.text(Double("\(Float(bitPattern: UInt32(raw)))") ?? .nan)
        case .float, .medicalFloat: return ValueFormat(number, unit: 0).text(octets) ?? ""
        }
    }

    /// The value in JSON: a number, a text, or a list of several numbers; `null` if the octets are no whole number of
    /// values.
    func json(of data: Data) -> JSONValue {
        guard let texts = texts(of: data) else { return .null }
        let values = texts.map { text -> JSONValue in
            guard number != nil else { return .string(text) }
            return Int(text).map { .integer($0) } ?? Double(text).map { .number($0) } ?? .null
        }
        return values.count == 1 ? values[0] : .array(values)
    }
}
