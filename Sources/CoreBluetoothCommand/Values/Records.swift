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
            ("characteristic", .string(characteristic.uuid.uuidString)), handle(characteristic.handle),
            ("name", UUIDText.json(characteristic.uuid)),
        ]
    }

    /// The same for something that is about a descriptor.
    static func head(_ descriptor: CBDescriptor) -> Details {
        let characteristic = descriptor.characteristic
        return head(characteristic?.service?.peripheral) + [
            ("service", JSONValue(characteristic?.service?.uuid.uuidString)),
            ("characteristic", JSONValue(characteristic?.uuid.uuidString)),
            ("descriptor", .string(descriptor.uuid.uuidString)), handle(descriptor.handle),
            ("name", UUIDText.json(descriptor.uuid)),
        ]
    }

    private static func handle(_ handle: UInt16?) -> (key: String, value: JSONValue) {
        ("handle", JSONValue(handle.map(Int.init)))
    }

    /// The value of a descriptor, whose octets Core Bluetooth has made a text or a number; `null` if it was not read.
    static func value(ofDescriptor value: Any?, as type: ValueType? = nil) -> Details {
        let octets = ValueText.octets(ofDescriptor: value)
        let known: JSONValue =
            switch value {
            case let text as String: .string(text)
            case let number as NSNumber: .integer(number.intValue)
            default: .null
            }
        return [
            ("hex", JSONValue(octets.map { HexadecimalText.digits($0) })),
            ("value", octets.flatMap { chosen($0, type) } ?? known),
        ]
    }

    /// The value as the user wants it; `nil` if the octets and the text, which are in every record, are all of that.
    private static func chosen(_ data: Data, _ type: ValueType?) -> JSONValue? {
        switch type {
        case nil, .hex, .text: nil
        case let type?: type.json(of: data)
        }
    }

    /// The octets of a value, and what they are; `null` for a value that was not read.
    static func value(_ data: Data?, of characteristic: CBCharacteristic, as type: ValueType? = nil) -> Details {
        let decoded = data.flatMap { DecodedValue($0, of: characteristic.uuid, characteristic.presentationFormat) }
        let chosen = data.flatMap { Self.chosen($0, type) }.map { [("value", $0), ("unit", .null)] as Details }
        return [("hex", JSONValue(data.map { HexadecimalText.digits($0) }))]
            + (chosen ?? decoded?.details ?? DecodedValue.unknownDetails) + [
                ("text", JSONValue(data.flatMap(ValueText.plain))),
                ("meaning", JSONValue(data.map { ValueText.text($0, of: characteristic) })),
            ]
    }
}
