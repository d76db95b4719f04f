// The shape of JSON records about a device: when, which device, which service and characteristic, and the value. The
// schema is docs/output.schema.json.

import CommandLineTool
import CoreBluetooth
import Foundation

/// Parts of records.
enum Record {
    typealias Details = [(key: String, value: JSONValue)]

    /// A moment in UTC, with milliseconds: `2026-11-28T17:12:52.123Z`.
    static func time(_ date: Date = Date()) -> JSONValue {
        .string(date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
    }

    /// A device.
    static func device(_ identifier: UUID, name: String?) -> JSONValue {
        .object([("name", JSONValue(name)), ("identifier", .string(identifier.uuidString))])
    }

    /// The keys with which the record of something that has just happened with a device begins.
    static func head(_ peripheral: CBPeripheral?) -> Details {
        [("time", time()), ("device", peripheral.map { device($0.identifier, name: $0.name) } ?? .null)]
    }

    /// The same for something that is about a characteristic.
    static func head(_ characteristic: CBCharacteristic) -> Details {
        head(characteristic.service?.peripheral) + [
            ("service", JSONValue(characteristic.service?.uuid.uuidString)),
            ("characteristic", .string(characteristic.uuid.uuidString)), ("name", UUIDText.json(characteristic.uuid)),
        ]
    }

    /// The same for something that is about a descriptor.
    static func head(_ characteristic: CBCharacteristic, _ descriptor: CBUUID) -> Details {
        Array(head(characteristic).dropLast()) + [
            ("descriptor", .string(descriptor.uuidString)), ("name", UUIDText.json(descriptor)),
        ]
    }

    /// The value of a descriptor, whose octets Core Bluetooth has made a text or a number; `null` if it was not read.
    static func value(ofDescriptor value: Any?) -> Details {
        switch value {
        case let text as String: [("hex", .string(HexadecimalText.digits(text.utf8))), ("value", .string(text))]
        case let number as NSNumber:
            [
                ("hex", .string(HexadecimalText.digits([number.uint8Value, UInt8(number.uint16Value >> 8)]))),
                ("value", .integer(number.intValue)),
            ]
        case let data as Data: [("hex", .string(HexadecimalText.digits(data))), ("value", .null)]
        default: [("hex", .null), ("value", .null)]
        }
    }

    /// The octets of a value, and what they are; `null` for a value that was not read.
    static func value(_ data: Data?, of characteristic: CBCharacteristic) -> Details {
        let decoded = data.flatMap { DecodedValue($0, of: characteristic.uuid, characteristic.presentationFormat) }
        return [("hex", JSONValue(data.map { HexadecimalText.digits($0) }))]
            + (decoded?.details ?? DecodedValue.unknownDetails) + [
                ("text", JSONValue(data.flatMap(ValueText.plain))),
                ("meaning", JSONValue(data.map { ValueText.text($0, of: characteristic) })),
            ]
    }
}
