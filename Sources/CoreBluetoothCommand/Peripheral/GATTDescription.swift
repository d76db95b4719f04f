// A peripheral as a JSON file describes it: services, characteristics, values and how they change.
//
//     {
//       "name": "Thermometer",
//       "services": [
//         { "uuid": "Environmental Sensing",
//           "characteristics": [
//             { "uuid": "2A6E", "properties": ["read", "notify"], "notifyEvery": 1,
//               "values": [ { "int16": 2150 }, { "int16": 2175 } ] } ] } ]
//     }

import ArgumentParser
import CommandLineTool
import CoreBluetooth
import Foundation

/// A described peripheral.
struct GATTDescription: Decodable {
    /// A value: one of several ways to write octets.
    struct Value: Decodable {
        var data: Data

        private enum Key: String, CodingKey, CaseIterable {
            case hex
            case text
            case uint8
            case uint16
            case uint32
            case int8
            case int16
            case int32
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            func octets<Number: FixedWidthInteger & Decodable>(_ key: Key, _: Number.Type) throws -> Data {
                try container.decode(Number.self, forKey: key).littleEndianData
            }
            guard container.allKeys.count == 1, let key = container.allKeys.first else {
                let names = Key.allCases.map(\.rawValue).joined(separator: ", ")
                throw DecodingError.dataCorrupted(
                    .init(codingPath: decoder.codingPath, debugDescription: "a value has exactly one of \(names)")
                )
            }
            switch key {
            case .hex:
                guard let octets = Hexadecimal.octets(try container.decode(String.self, forKey: .hex)) else {
                    throw DecodingError.dataCorruptedError(
                        forKey: .hex,
                        in: container,
                        debugDescription: "the digits are not hexadecimal"
                    )
                }
                data = octets
            case .text: data = Data(try container.decode(String.self, forKey: .text).utf8)
            case .uint8: data = try octets(.uint8, UInt8.self)
            case .uint16: data = try octets(.uint16, UInt16.self)
            case .uint32: data = try octets(.uint32, UInt32.self)
            case .int8: data = try octets(.int8, Int8.self)
            case .int16: data = try octets(.int16, Int16.self)
            case .int32: data = try octets(.int32, Int32.self)
            }
        }
    }

    /// A UUID in digits, or an assigned name.
    struct Identifier: Decodable {
        var uuid: CBUUID

        init(from decoder: any Decoder) throws {
            let text = try decoder.singleValueContainer().decode(String.self)
            do {
                uuid = try Arguments.uuid(text)
            } catch {
                throw DecodingError.dataCorrupted(
                    .init(
                        codingPath: decoder.codingPath,
                        debugDescription: "\"\(text)\" is no UUID and no assigned name"
                    )
                )
            }
        }
    }

    /// What a characteristic can do.
    enum Property: String, Decodable, CaseIterable {
        case read
        case write
        case writeWithoutResponse
        case notify
        case indicate

        init(from decoder: any Decoder) throws {
            let text = try decoder.singleValueContainer().decode(String.self)
            guard let property = Property(rawValue: text) else {
                let names = Property.allCases.map(\.rawValue).joined(separator: ", ")
                throw DecodingError.dataCorrupted(
                    .init(codingPath: decoder.codingPath, debugDescription: "\"\(text)\" is none of \(names)")
                )
            }
            self = property
        }
    }

    /// A characteristic.
    struct Characteristic: Decodable {
        var uuid: Identifier
        var properties: [Property]
        /// The value at the start.
        var value: Value?
        /// Values that are notified one after the other, again and again; the first is the value at the start.
        var values: [Value]?
        /// How often, in seconds, subscribers get a value.
        var notifyEvery: Double?
        /// Characteristic User Description.
        var description: String?
    }

    /// A service.
    struct Service: Decodable {
        var uuid: Identifier
        /// Whether it is a primary one; true where it is not said.
        var primary: Bool?
        /// Whether it is advertised; true where it is not said.
        var advertise: Bool?
        var characteristics: [Characteristic]?
    }

    /// The advertised name.
    var name: String?
    var services: [Service]

    /// Reads a file.
    static func read(_ path: String) throws -> GATTDescription {
        let data: Data
        do {
            data = try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw Failure("cannot read \(path): \(String(cString: strerror(errno)))")
        }
        return try GATTDescription(json: data, from: path)
    }

    /// Reads the content of a file.
    init(json: Data, from path: String) throws {
        do {
            self = try JSONDecoder().decode(GATTDescription.self, from: json)
        } catch let error as DecodingError {
            throw Failure("\(path): \(Self.words(for: error)); see the example in docs/corebluetooth.md")
        }
        if let problem { throw Failure("\(path): \(problem)") }
    }

    /// What cannot be, though each part can.
    private var problem: String? {
        for (index, service) in services.enumerated() {
            for (number, characteristic) in (service.characteristics ?? []).enumerated() {
                let place = "services[\(index)].characteristics[\(number)]"
                let canNotify = characteristic.properties.contains { $0 == .notify || $0 == .indicate }
                if characteristic.properties.isEmpty { return "\(place).properties is empty" }
                if let every = characteristic.notifyEvery {
                    guard canNotify else { return "\(place).notifyEvery needs the property notify or indicate" }
                    guard every > 0, every <= 86_400 else {
                        return "\(place).notifyEvery is a number of seconds above 0"
                    }
                }
                if characteristic.value != nil, characteristic.values != nil {
                    return "\(place) has both value and values; one of them is enough"
                }
                if characteristic.values?.isEmpty == true { return "\(place).values is empty" }
            }
        }
        return nil
    }

    private static func words(for error: DecodingError) -> String {
        func place(_ path: [any CodingKey]) -> String {
            path.reduce("") { text, key in
                if let index = key.intValue { return text + "[\(index)]" }
                return text.isEmpty ? key.stringValue : text + "." + key.stringValue
            }
        }
        func at(_ path: [any CodingKey]) -> String { path.isEmpty ? "" : place(path) + ": " }
        switch error {
        case .keyNotFound(let key, let context): return at(context.codingPath) + "\"\(key.stringValue)\" is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            return at(context.codingPath) + "this is not what belongs here"
        case .dataCorrupted(let context):
            return context.codingPath.isEmpty ? "this is not JSON" : at(context.codingPath) + context.debugDescription
        @unknown default: return "this cannot be read"
        }
    }
}
