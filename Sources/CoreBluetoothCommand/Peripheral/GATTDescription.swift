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
                            + Arguments.suggestedName(for: text)
                    )
                )
            }
        }
    }

    /// A characteristic's properties and behaviour.
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
        /// The seconds between two values to subscribers.
        var notifyEvery: Double?
        /// Characteristic User Description.
        var description: String?
        /// Characteristic Presentation Format.
        var format: Value?
        /// The security that it demands of a connection.
        var security: Security?
        /// The seconds until a read or a write is answered.
        var delay: Double?
        /// The answers to reads, one after another; afterwards its value.
        var reads: [Value]?
        /// The values that it sends after a subscription.
        var notifications: [Timed]?
        /// Writes that are accepted, and their consequences; all others are refused.
        var answers: [Reply]?
        /// Whether a read without a recorded value is refused; so it is where the description comes out of a capture.
        var isStrict = false

        enum CodingKeys: String, CodingKey, CaseIterable {
            case uuid
            case properties
            case value
            case values
            case notifyEvery
            case description
            case format
            case security
            case delay
            case reads
            case notifications
            case answers
        }
    }

    /// A service.
    struct Service: Decodable {
        var uuid: Identifier
        /// Whether it is a primary service; true unless given.
        var primary: Bool?
        /// Whether it is advertised; true unless given.
        var advertise: Bool?
        /// The services that it includes; they stand in the description, too.
        var includes: [Identifier]?
        var characteristics: [Characteristic]?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case uuid
            case primary
            case advertise
            case includes
            case characteristics
        }
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case name
        case manufacturerData
        case serviceData
        case appearance
        case txPower
        case connectable
        case interval
        case phy
        case services
        case channels
        case schema = "$schema"
    }

    /// A file, as it is shown in the help.
    static let example = """
        { "name": "Thermometer", "manufacturerData": { "hex": "FFFF01" },
          "services": [
            { "uuid": "Environmental Sensing",
              "characteristics": [
                { "uuid": "Temperature", "properties": ["read", "notify"],
                  "notifyEvery": 0.5, "values": [ { "int16": 2150 }, { "int16": 2175 } ] } ] },
            { "uuid": "FFF0", "advertise": false, "primary": true,
              "characteristics": [
                { "uuid": "FFF1", "description": "A text", "delay": 0.2,
                  "properties": ["read", "write", "writeWithoutResponse", "indicate"],
                  "value": { "text": "Hello" } },
                { "uuid": "FFF2", "properties": ["read", "write"],
                  "value": { "uint8": 1 },
                  "security": { "read": "encrypted", "write": "authenticated" } } ] } ],
          "channels": [ { "security": "encrypted" } ] }
        """

    /// The advertised name.
    var name: String?
    /// Manufacturer Specific Data: the company's identifier, little-endian, and what it says.
    var manufacturerData: Value?
    /// Service Data of services.
    var serviceData: [ServiceData]?
    /// The device's appearance.
    var appearance: DescribedAppearance?
    /// Whether it advertises the power with which it sends.
    var txPower: Bool?
    /// Whether centrals can connect; true unless given.
    var connectable: Bool?
    /// The milliseconds between two advertising events.
    var interval: Double?
    /// The PHY of extended PDUs; legacy PDUs unless given.
    var phy: PHYName?
    /// The beacon that it is; in no file.
    var beacon: Beacon?
    var services: [Service]
    /// L2CAP channels that centrals may open.
    var channels: [Channel]?
    /// The JSON Schema for editors; ignored here.
    var schema: String?
}
