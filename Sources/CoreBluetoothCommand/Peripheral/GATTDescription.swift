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

        /// A value of octets.
        init(_ data: Data) { self.data = data }

        /// The octets that an attribute value has at most (Vol 3, Part F, 3.2.9).
        static let limit = 512

        fileprivate enum Key: String, CodingKey, CaseIterable {
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
            func octets<Number: FixedWidthInteger>(_ key: Key, _: Number.Type) throws -> Data {
                let value = try container.decode(Double.self, forKey: key)
                guard let number = Number(exactly: value) else {
                    throw DecodingError.dataCorruptedError(
                        forKey: key,
                        in: container,
                        debugDescription:
                            "\(value.formatted()) is no whole number from \(Number.min) to \(Number.max)"
                    )
                }
                return number.littleEndianData
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

        init(uuid: CBUUID) { self.uuid = uuid }

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
    enum Property: String, NamedValue {
        case read
        case write
        case writeWithoutResponse
        case notify
        case indicate
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
        /// Characteristic Presentation Format.
        var format: Value?
        /// What it demands of a connection.
        var security: Security?
        /// What reads get, one after the other; then the value that it has.
        var reads: [Value]?
        /// What it sends after a subscription.
        var notifications: [Timed]?
        /// What may be written, and what becomes of it; all that is not there is refused.
        var answers: [Reply]?
        /// Whether a read without a recorded value is refused; so it is where the description comes out of a capture.
        var isStrict = false

        fileprivate enum CodingKeys: String, CodingKey, CaseIterable {
            case uuid
            case properties
            case value
            case values
            case notifyEvery
            case description
            case format
            case security
            case reads
            case notifications
            case answers
        }
    }

    /// A service.
    struct Service: Decodable {
        var uuid: Identifier
        /// Whether it is a primary one; true where it is not said.
        var primary: Bool?
        /// Whether it is advertised; true where it is not said.
        var advertise: Bool?
        /// The services that it includes; they stand in the description, too.
        var includes: [Identifier]?
        var characteristics: [Characteristic]?

        fileprivate enum CodingKeys: String, CodingKey, CaseIterable {
            case uuid
            case primary
            case advertise
            case includes
            case characteristics
        }
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case name
        case services
        case channels
    }

    /// A file, as it is shown in the help.
    static let example = """
        { "name": "Thermometer",
          "services": [
            { "uuid": "Environmental Sensing",
              "characteristics": [
                { "uuid": "Temperature", "properties": ["read", "notify"], "notifyEvery": 0.5,
                  "values": [ { "int16": 2150 }, { "int16": 2175 } ] } ] },
            { "uuid": "FFF0", "advertise": false, "primary": true,
              "characteristics": [
                { "uuid": "FFF1", "properties": ["read", "write", "writeWithoutResponse", "indicate"],
                  "description": "A text", "value": { "text": "Hello" } },
                { "uuid": "FFF2", "properties": ["read", "write"], "value": { "uint8": 1 },
                  "security": { "read": "encrypted", "write": "authenticated" } } ] } ],
          "channels": [ { "security": "encrypted" } ] }
        """

    /// The advertised name.
    var name: String?
    var services: [Service]
    /// L2CAP channels that centrals may open.
    var channels: [Channel]?

    /// Reads a file.
    static func read(_ path: String) throws -> GATTDescription {
        try GATTDescription(json: InputFile.read(path), from: path)
    }

    /// Reads the content of a file.
    init(json: Data, from path: String) throws {
        let hint = "corebluetooth advertise --help has an example"
        if let problem = Self.syntaxError(in: json) ?? Self.unknownKey(in: json) {
            throw Failure("\(path): \(problem); \(hint)")
        }
        do {
            self = try JSONDecoder().decode(GATTDescription.self, from: json)
        } catch let error as DecodingError {
            throw Failure("\(path): \(Self.words(for: error)); \(hint)")
        }
        if let problem { throw Failure("\(path): \(problem)") }
    }

    /// What cannot be, though each part can.
    private var problem: String? {
        let uuids = services.map(\.uuid.uuid)
        for (index, service) in services.enumerated() {
            for included in service.includes ?? [] where !uuids.prefix(index).contains(included.uuid) {
                return "services[\(index)].includes: \(included.uuid) has to stand before it"
            }
            for (number, characteristic) in (service.characteristics ?? []).enumerated() {
                let place = "services[\(index)].characteristics[\(number)]"
                let canNotify = characteristic.properties.contains { $0 == .notify || $0 == .indicate }
                if characteristic.properties.isEmpty { return "\(place).properties is empty" }
                if characteristic.notifications?.isEmpty == false, !canNotify {
                    return "\(place).notifications needs the property notify or indicate"
                }
                if let problem = characteristic.recordingProblem(place) { return problem }
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
                for value in [characteristic.value].compactMap(\.self) + (characteristic.values ?? [])
                where value.data.count > Value.limit {
                    return "\(place) has a value of \(value.data.count) octets; \(Value.limit) are the limit"
                }
            }
        }
        return nil
    }

    /// Where and why the octets are no JSON; `nil` where they are.
    private static func syntaxError(in json: Data) -> String? {
        do {
            _ = try JSONSerialization.jsonObject(with: json, options: .fragmentsAllowed)
            return nil
        } catch {
            // Such as "Invalid value around character 12.", which counts octets.
            let text = (error as NSError).userInfo[NSDebugDescriptionErrorKey] as? String ?? ""
            let parts = text.components(separatedBy: " around character ")
            guard parts.count == 2, let offset = Int(parts[1].prefix { $0.isNumber }) else {
                return "this is not JSON: it ends in line \(Self.place(json.count, in: json)), where more has to come"
            }
            return "this is not JSON: \(parts[0].lowercased()) in line \(Self.place(offset, in: json))"
        }
    }

    /// The line and the column of an octet, both counted from 1.
    private static func place(_ offset: Int, in json: Data) -> String {
        let before = json.prefix(offset)
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let start = before.lastIndex(of: UInt8(ascii: "\n")).map { before.index(after: $0) } ?? before.startIndex
        return "\(line), column \(String(decoding: before[start...], as: UTF8.self).count + 1)"
    }

    /// The first key that has no meaning; `nil` where each has one.
    private static func unknownKey(in json: Data) -> String? {
        func check<Key: CodingKey & CaseIterable>(_ object: [String: Any], _ place: String, _: Key.Type) -> String? {
            let keys = Key.allCases.map(\.stringValue)
            guard let key = object.keys.filter({ !keys.contains($0) }).min() else { return nil }
            return place + "the key \"\(key)\" has no meaning; here are \(keys.joined(separator: ", "))"
        }
        guard let top = try? JSONSerialization.jsonObject(with: json) as? [String: Any] else { return nil }
        if let problem = check(top, "", CodingKeys.self) { return problem }
        for (index, channel) in (top["channels"] as? [[String: Any]] ?? []).enumerated() {
            if let problem = check(channel, "channels[\(index)]: ", Channel.CodingKeys.self) { return problem }
        }
        for (index, service) in (top["services"] as? [[String: Any]] ?? []).enumerated() {
            let place = "services[\(index)]"
            if let problem = check(service, place + ": ", Service.CodingKeys.self) { return problem }
            for (number, characteristic) in (service["characteristics"] as? [[String: Any]] ?? []).enumerated() {
                let place = place + ".characteristics[\(number)]"
                if let problem = check(characteristic, place + ": ", Characteristic.CodingKeys.self) { return problem }
                if let security = characteristic["security"] as? [String: Any],
                    let problem = check(security, place + ".security: ", Security.CodingKeys.self)
                {
                    return problem
                }
                if let value = characteristic["value"] as? [String: Any],
                    let problem = check(value, place + ".value: ", Value.Key.self)
                {
                    return problem
                }
                for list in ["values", "reads"] {
                    for (item, value) in (characteristic[list] as? [[String: Any]] ?? []).enumerated() {
                        if let problem = check(value, place + ".\(list)[\(item)]: ", Value.Key.self) { return problem }
                    }
                }
                var timed = [(place, characteristic)]
                for (item, answer) in (characteristic["answers"] as? [[String: Any]] ?? []).enumerated() {
                    let place = place + ".answers[\(item)]"
                    if let problem = check(answer, place + ": ", Reply.CodingKeys.self) { return problem }
                    timed.append((place, answer))
                }
                for (place, object) in timed {
                    for (item, sent) in (object["notifications"] as? [[String: Any]] ?? []).enumerated() {
                        let place = place + ".notifications[\(item)]: "
                        if let problem = check(sent, place, Timed.CodingKeys.self) { return problem }
                    }
                }
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
