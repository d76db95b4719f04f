// Values for a person: as the Bluetooth SIG defines the characteristic; else by the device's Characteristic
// Presentation Format, if that was read; and octets otherwise.

import AssignedNumbers
import BluetoothTypes
import CommandLineTool
import CoreBluetooth
import Foundation

/// A value in words.
enum ValueText {
    /// The value of a characteristic: `57 (87 %)`, or `48 69 "Hi"` if it may be text.
    static func text(_ data: Data, of characteristic: CBCharacteristic) -> String {
        text(data, of: characteristic.uuid, characteristic.presentationFormat)
    }

    /// The value of a characteristic with a UUID, and with the format that the device has for it, if any.
    static func text(_ data: Data, of uuid: CBUUID, _ format: ValueFormat? = nil) -> String {
        guard !data.isEmpty else { return "(empty)" }
        if let known = Self.known(data, uuid) { return known }
        if let number = format?.text(data) { return "\(HexadecimalText.text(data)) (\(number))" }
        return Self.octets(data)
    }

    /// Octets of which nothing is known: `48 69 "Hi"` if they may be text.
    static func octets(_ data: Data) -> String {
        guard !data.isEmpty else { return "(empty)" }
        let octets = HexadecimalText.text(data)
        return plain(data).map { "\(octets) \"\($0)\"" } ?? octets
    }

    /// The value of a descriptor, whose type depends on its UUID.
    static func text(ofDescriptor value: Any?) -> String {
        switch value {
        case let text as String: "\"\(PrintableText.text(text))\""
        case let number as NSNumber: "\(number)"
        case let data as Data: octets(data)
        default: "(none)"
        }
    }

    /// The octets of a descriptor's value; `nil` if it was not read.
    static func octets(ofDescriptor value: Any?) -> Data? {
        switch value {
        case let text as String: Data(text.utf8)
        case let number as NSNumber: number.uint16Value.littleEndianData
        case let data as Data: data
        default: nil
        }
    }

    /// The text that octets are; `nil` unless all of it is printable.
    static func plain(_ data: Data) -> String? {
        guard let text = String(data: data, encoding: .utf8), !text.isEmpty else { return nil }
        return text == PrintableText.text(text) ? text : nil
    }

    private static func known(_ data: Data, _ uuid: CBUUID) -> String? {
        guard uuid.data.count == 2 else { return nil }
        let octets = [UInt8](data)
        let number = UInt16(uuid.data[uuid.data.startIndex]) << 8 | UInt16(uuid.data[uuid.data.startIndex + 1])
        func unsigned(_ offset: Int, _ count: Int) -> Int? {
            guard octets.count >= offset + count else { return nil }
            return octets[offset..<offset + count].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        func signed(_ offset: Int, _ count: Int) -> Int? {
            unsigned(offset, count).map { $0 >= 1 << (8 * count - 1) ? $0 - 1 << (8 * count) : $0 }
        }
        func shown(_ meaning: String?) -> String? { meaning.map { "\(HexadecimalText.text(data)) (\($0))" } }
        switch number {
        case _ where DecodedValue.texts.contains(number):
            return String(data: data, encoding: .utf8).map { "\"\(PrintableText.text($0))\"" }
        case 0x2A01:
            return shown(
                unsigned(0, 2).map { Appearance.name(UInt16($0)) ?? "appearance \(HexadecimalText.number(UInt16($0)))" }
            )
        case 0x2A04:
            guard let least = unsigned(0, 2), let most = unsigned(2, 2), let latency = unsigned(4, 2),
                let timeout = unsigned(6, 2)
            else { return nil }
            return shown(
                "interval \(Double(least) * 1.25) to \(Double(most) * 1.25) ms, latency \(latency), timeout \(timeout * 10) ms"
            )
        case 0x2A06: return shown(unsigned(0, 1).map { ["no alert", "mild alert", "high alert"][min($0, 2)] })
        case 0x2A07: return shown(signed(0, 1).map { "\($0) dBm" })
        case 0x2A38:
            let places = ["other", "chest", "wrist", "finger", "hand", "ear lobe", "foot"]
            return shown(unsigned(0, 1).flatMap { places.indices.contains($0) ? places[$0] : nil })
        case 0x2A50:
            guard let vendor = unsigned(1, 2), let product = unsigned(3, 2), let version = unsigned(5, 2) else {
                return nil
            }
            let company = octets[0] == 1 ? CompanyNames[UInt16(vendor)] : nil
            return shown(
                "vendor \(company ?? HexadecimalText.number(UInt16(vendor))), "
                    + "product \(HexadecimalText.number(UInt16(product))), "
                    + "version \(HexadecimalText.number(UInt16(version)))"
            )
        default: return shown(ValueFormat[characteristic: number]?.text(octets) ?? DecodedValue(data, of: uuid)?.words)
        }
    }
}

extension CBCharacteristic {
    /// The format in Characteristic Presentation Format; `nil` if the descriptor was not read, or if there are several,
    /// whose order is in Characteristic Aggregate Format (Vol 3, Part G, 3.3.3.5 and 3.3.3.6).
    var presentationFormat: ValueFormat? {
        let formats = (descriptors ?? []).filter { $0.uuid.uuidString == CBUUIDCharacteristicFormatString }
        guard formats.count == 1, let octets = formats[0].value as? Data else { return nil }
        return ValueFormat(presentationFormat: octets)
    }
}

/// A characteristic's properties in words.
enum PropertyText {
    /// The words, in the order of the bits.
    static func words(_ properties: CBCharacteristicProperties) -> [String] {
        let names: [(CBCharacteristicProperties, String)] = [
            (.broadcast, "broadcast"), (.read, "read"), (.writeWithoutResponse, "writeWithoutResponse"),
            (.write, "write"), (.notify, "notify"), (.indicate, "indicate"),
            (.authenticatedSignedWrites, "authenticatedSignedWrites"), (.extendedProperties, "extendedProperties"),
        ]
        return names.filter { properties.contains($0.0) }.map(\.1)
    }
}
