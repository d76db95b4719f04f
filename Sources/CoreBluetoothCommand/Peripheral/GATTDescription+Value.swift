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

        typealias CodingKeys = ValueType

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            guard container.allKeys.count == 1, let key = container.allKeys.first else {
                let names = CodingKeys.allCases.map(\.rawValue).joined(separator: ", ")
                throw DecodingError.dataCorrupted(
                    .init(codingPath: decoder.codingPath, debugDescription: "a value has exactly one of \(names)")
                )
            }
            let text = try Self.text(container, key)
            do throws(Failure) { data = try key.octets(of: text) } catch {
                throw DecodingError.dataCorruptedError(forKey: key, in: container, debugDescription: error.line)
            }
        }

        /// A text, or the digits of a number.
        private static func text(_ container: KeyedDecodingContainer<ValueType>, _ key: ValueType) throws -> String {
            switch key {
            case .hex, .text, .base64: try container.decode(String.self, forKey: key)
            default:
                if let number = try? container.decode(UInt64.self, forKey: key) {
                    "\(number)"
                } else if let number = try? container.decode(Int64.self, forKey: key) {
                    "\(number)"
                } else {
                    SecondsText.number(try container.decode(Double.self, forKey: key))
                }
            }
        }
    }
}
