// What a characteristic's octets say, as a program wants it: numbers with units, text, or fields with names.

import AssignedNumbers
import BluetoothTypes
import CommandLineTool
import CoreBluetooth
import Foundation

/// The value of a characteristic or of a field.
enum MeasuredValue: Equatable {
    case number(Double)
    case text(String)
    case list([MeasuredValue])
    /// The device says that it has no value.
    case unknown

    var json: JSONValue {
        switch self {
        case .number(let number):
            number == number.rounded() && abs(number) < 1e15 ? .integer(Int(number)) : .number(number)
        case .text(let text): .string(text)
        case .list(let values): .array(values.map(\.json))
        case .unknown: .null
        }
    }

    /// The digits or the text.
    var words: String {
        switch self {
        case .number(let number): ValueFormat.text(number)
        case .text(let text): text
        case .list(let values): values.map(\.words).joined(separator: ", ")
        case .unknown: "not known"
        }
    }
}

/// A field with its value.
struct MeasuredField: Equatable {
    let name: String
    let value: MeasuredValue
    let unit: String?
}

/// What octets are, by the format of their characteristic.
enum DecodedValue: Equatable {
    case single(MeasuredValue, unit: String?)
    case fields([MeasuredField])

    /// Decodes the value of a characteristic; `nil` if nothing is known of its format, or octets are missing.
    ///
    /// - Parameter format: What the device's Characteristic Presentation Format says, for a characteristic that the
    ///   Bluetooth SIG does not define.
    init?(_ data: Data, of uuid: CBUUID, _ format: ValueFormat? = nil) {
        let number = BluetoothUUID(uuid.uuidString)?.shortValue
        if let number, Self.texts.contains(number) {
            guard let text = String(validating: data, as: UTF8.self) else { return nil }
            self = .single(.text(text), unit: nil)
        } else if let number, let fields = FieldFormat[characteristic: number] {
            guard let read = fields.read(data), !read.isEmpty else { return nil }
            // One field without flags is all of the value.
            self = fields.fields.count == 1 ? .single(read[0].value, unit: read[0].unit) : .fields(read)
        } else {
            guard let number, let known = Self.format(number) else {
                guard let format else { return nil }
                self.init(data, format, unit: format.unitText)
                return
            }
            self.init(data, known.format, unit: known.unit)
        }
    }

    private init?(_ data: Data, _ format: ValueFormat, unit: String?) {
        guard data.count >= format.kind.octets else { return nil }
        self = .single(format.number(data).map { .number($0) } ?? .unknown, unit: unit)
    }

    /// Device Name, the strings of Device Information, First Name, Email Address and Last Name.
    static let texts: Set<UInt16> = [
        0x2A00, 0x2A24, 0x2A25, 0x2A26, 0x2A27, 0x2A28, 0x2A29, 0x2A87, 0x2A8A, 0x2A90,
    ]

    private static func format(_ number: UInt16) -> (format: ValueFormat, unit: String?)? {
        switch number {
        // Appearance
        case 0x2A01: (ValueFormat(.unsigned(octets: 2), unit: 0), nil)
        // Alert Level, Body Sensor Location
        case 0x2A06, 0x2A38: (ValueFormat(.unsigned(octets: 1), unit: 0), nil)
        // Tx Power Level
        case 0x2A07: (ValueFormat(.signed(octets: 1), unit: 0), "dBm")
        default: ValueFormat[characteristic: number].map { ($0, $0.unitText) }
        }
    }

    /// The keys of a JSON object: the value, and the unit in the same shape.
    var details: [(key: String, value: JSONValue)] {
        switch self {
        case .single(let value, let unit): [("value", value.json), ("unit", JSONValue(unit))]
        case .fields(let fields):
            [
                ("value", .object(fields.map { ($0.name, $0.value.json) })),
                ("unit", .object(fields.compactMap { field in field.unit.map { (field.name, .string($0)) } })),
            ]
        }
    }

    /// The keys of a value of which nothing is known.
    static let unknownDetails: [(key: String, value: JSONValue)] = [("value", .null), ("unit", .null)]

    /// The fields in a line: the first alone by its value, the others with their names.
    var words: String {
        switch self {
        case .single(let value, let unit): Self.words(value, unit)
        case .fields(let fields):
            fields.enumerated().map { index, field in
                let words = Self.words(field.value, field.unit)
                return index == 0 ? words : "\(Self.spaced(field.name)) \(words)"
            }.joined(separator: ", ")
        }
    }

    private static func words(_ value: MeasuredValue, _ unit: String?) -> String {
        value.words + (unit.map { value == .unknown ? "" : " " + $0 } ?? "")
    }

    /// `energy expended` of `energyExpended`.
    private static func spaced(_ name: String) -> String {
        name.reduce(into: "") { words, character in
            if character.isUppercase, words.last?.isLowercase == true { words += " " }
            words += character.lowercased()
        }
    }
}
