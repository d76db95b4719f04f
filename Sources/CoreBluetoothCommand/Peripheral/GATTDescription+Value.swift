// Values of a description: octets, text, and numbers as characteristics have them, little-endian.

import BluetoothHost
import CommandLineTool
import Foundation

extension GATTDescription {
    /// A value: one of several ways to write octets.
    struct Value: Decodable {
        var data: Data

        /// A value of octets.
        init(_ data: Data) { self.data = data }

        /// The octets that an attribute value has at most (Vol 3, Part F, 3.2.9).
        static let limit = ATT.maximumValueLength

        enum CodingKeys: String, CodingKey, CaseIterable {
            case hex
            case text
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
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            guard container.allKeys.count == 1, let key = container.allKeys.first else {
                let names = CodingKeys.allCases.map(\.rawValue).joined(separator: ", ")
                throw DecodingError.dataCorrupted(
                    .init(codingPath: decoder.codingPath, debugDescription: "a value has exactly one of \(names)")
                )
            }
            func refused(_ reason: String) -> DecodingError {
                .dataCorruptedError(forKey: key, in: container, debugDescription: reason)
            }
            func integer<Number: FixedWidthInteger & Decodable>(
                _: Number.Type,
                bits: Int = Number.bitWidth
            ) throws -> Data {
                let (least, greatest) = (Number.min >> (Number.bitWidth - bits), Number.max >> (Number.bitWidth - bits))
                guard let number = try? container.decode(Number.self, forKey: key), (least...greatest).contains(number)
                else {
                    let value = try container.decode(Double.self, forKey: key)
                    throw refused("\(SecondsText.number(value)) is no whole number from \(least) to \(greatest)")
                }
                return number.littleEndianData.prefix(bits / 8)
            }
            func medicalFloat(_ octets: Int) throws -> Data {
                let value = try container.decode(Double.self, forKey: key)
                guard let data = Self.medicalFloat(value, octets: octets) else {
                    throw refused("\(SecondsText.number(value)) has more digits than a \(key.rawValue) takes")
                }
                return data
            }
            switch key {
            case .hex:
                guard let octets = HexadecimalText.octets(try container.decode(String.self, forKey: key)) else {
                    throw refused("the digits are not hexadecimal")
                }
                data = octets
            case .text: data = Data(try container.decode(String.self, forKey: key).utf8)
            case .uint8: data = try integer(UInt8.self)
            case .uint16: data = try integer(UInt16.self)
            case .uint24: data = try integer(UInt32.self, bits: 24)
            case .uint32: data = try integer(UInt32.self)
            case .uint64: data = try integer(UInt64.self)
            case .int8: data = try integer(Int8.self)
            case .int16: data = try integer(Int16.self)
            case .int24: data = try integer(Int32.self, bits: 24)
            case .int32: data = try integer(Int32.self)
            case .int64: data = try integer(Int64.self)
            case .float32:
                let value = try container.decode(Double.self, forKey: key)
                guard Float(value).isFinite else {
                    throw refused("\(SecondsText.number(value)) is too large for a float32")
                }
                data = Float(value).bitPattern.littleEndianData
            case .float64: data = try container.decode(Double.self, forKey: key).bitPattern.littleEndianData
            case .medfloat16: data = try medicalFloat(2)
            case .medfloat32: data = try medicalFloat(4)
            }
        }

        /// A number of IEEE 11073: a mantissa of 12 or 24 bits, and an exponent of ten of 4 or 8 bits above it; `nil`
        /// where its digits do not fit.
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
    }
}
