// AD structures in words (Supplement to the Core Specification, Part A, 1).

import AssignedNumbers
import BluetoothTypes
import CommandLineTool
import CoreBluetooth
import Foundation
import NIOCore

/// An AD structure for a person.
enum AdvertisingElementText {
    /// `09 Complete Local Name: "Thermometer"`, or the octets if they have no words.
    static func line(_ element: AdvertisingData.Element) -> String {
        let octets = HexadecimalText.text(element.value.readableBytesView)
        let text = words(element).map { "\($0)  [\(octets)]" } ?? octets
        return "\(element.type.rawValue.hexadecimalDigits) \(name(element.type)): \(text)"
    }

    /// The JSON object.
    static func object(_ element: AdvertisingData.Element) -> JSONValue {
        .object([
            ("type", .integer(Int(element.type.rawValue))), ("name", .string(name(element.type))),
            ("hex", .string(HexadecimalText.digits(element.value.readableBytesView))),
            ("meaning", JSONValue(words(element))),
        ])
    }

    /// The name of a type (Assigned Numbers, 2.3).
    static func name(_ type: AdvertisingDataType) -> String { names[type] ?? "unknown type" }

    private static let names: [AdvertisingDataType: String] = [
        .flags: "Flags", .incomplete16BitServiceUUIDs: "Incomplete List of 16-bit Service UUIDs",
        .complete16BitServiceUUIDs: "Complete List of 16-bit Service UUIDs",
        .incomplete32BitServiceUUIDs: "Incomplete List of 32-bit Service UUIDs",
        .complete32BitServiceUUIDs: "Complete List of 32-bit Service UUIDs",
        .incomplete128BitServiceUUIDs: "Incomplete List of 128-bit Service UUIDs",
        .complete128BitServiceUUIDs: "Complete List of 128-bit Service UUIDs",
        .shortenedLocalName: "Shortened Local Name", .completeLocalName: "Complete Local Name",
        .txPowerLevel: "Tx Power Level", .classOfDevice: "Class of Device",
        .simplePairingHashC192: "Simple Pairing Hash C-192",
        .simplePairingRandomizerR192: "Simple Pairing Randomizer R-192",
        .securityManagerTKValue: "Security Manager TK Value",
        .securityManagerOutOfBandFlags: "Security Manager Out of Band Flags",
        .peripheralConnectionIntervalRange: "Peripheral Connection Interval Range",
        .solicited16BitServiceUUIDs: "List of 16-bit Service Solicitation UUIDs",
        .solicited32BitServiceUUIDs: "List of 32-bit Service Solicitation UUIDs",
        .solicited128BitServiceUUIDs: "List of 128-bit Service Solicitation UUIDs",
        .serviceData16Bit: "Service Data - 16-bit UUID", .serviceData32Bit: "Service Data - 32-bit UUID",
        .serviceData128Bit: "Service Data - 128-bit UUID", .publicTargetAddress: "Public Target Address",
        .randomTargetAddress: "Random Target Address", .appearance: "Appearance",
        .advertisingInterval: "Advertising Interval", .deviceAddress: "LE Bluetooth Device Address",
        .role: "LE Role", .simplePairingHashC256: "Simple Pairing Hash C-256",
        .simplePairingRandomizerR256: "Simple Pairing Randomizer R-256", .uri: "URI",
        .indoorPositioning: "Indoor Positioning",
        .transportDiscoveryData: "Transport Discovery Data", .supportedFeatures: "LE Supported Features",
        .channelMapUpdateIndication: "Channel Map Update Indication", .pbADV: "PB-ADV", .meshMessage: "Mesh Message",
        .meshBeacon: "Mesh Beacon", .bigInfo: "BIGInfo", .broadcastCode: "Broadcast_Code",
        .resolvableSetIdentifier: "Resolvable Set Identifier", .advertisingIntervalLong: "Advertising Interval - long",
        .broadcastName: "Broadcast_Name", .encryptedAdvertisingData: "Encrypted Advertising Data",
        .periodicAdvertisingResponseTiming: "Periodic Advertising Response Timing Information",
        .electronicShelfLabel: "Electronic Shelf Label", .information3D: "3D Information Data",
        .manufacturerSpecificData: "Manufacturer Specific Data",
    ]

    /// The content; `nil` if it is malformed or its type has no words here.
    static func words(_ element: AdvertisingData.Element) -> String? {
        var value = element.value
        switch element.type {
        case .flags: return value.readInteger(as: UInt8.self).map(flags)
        case .completeLocalName, .shortenedLocalName, .broadcastName, .uri:
            return PrintableText.quoted(String(buffer: value))
        case .txPowerLevel: return value.readInteger(as: Int8.self).map { "\($0) dBm" }
        case .appearance:
            return value.readInteger(endianness: .little, as: UInt16.self).map {
                Appearance.name($0) ?? HexadecimalText.number($0)
            }
        case .peripheralConnectionIntervalRange:
            guard let least = value.readInteger(endianness: .little, as: UInt16.self),
                let most = value.readInteger(endianness: .little, as: UInt16.self)
            else { return nil }
            return "\(milliseconds(least, 1.25)) to \(milliseconds(most, 1.25)) ms"
        case .advertisingInterval:
            return value.readInteger(endianness: .little, as: UInt16.self).map { "\(milliseconds($0, 0.625)) ms" }
        case .deviceAddress:
            let kind: DeviceAddress.Kind = value.readableBytesView.last == 1 ? .random : .public
            return (try? DeviceAddress(parsing: &value, kind: kind)).map { "\($0)" }
        case .publicTargetAddress, .randomTargetAddress:
            let kind: DeviceAddress.Kind = element.type == .publicTargetAddress ? .public : .random
            return (try? DeviceAddress(parsing: &value, kind: kind)).map { "\($0)" }
        case .manufacturerSpecificData:
            let beacon = Beacon(manufacturerData: value)
            guard let company = value.readInteger(endianness: .little, as: UInt16.self) else { return nil }
            let name = CompanyNames[company] ?? "company \(HexadecimalText.number(company))"
            return beacon.map { "\(name), \($0.words)" } ?? name
        case .serviceData16Bit, .serviceData32Bit, .serviceData128Bit:
            let length = element.type == .serviceData16Bit ? 2 : element.type == .serviceData32Bit ? 4 : 16
            guard let uuid = try? BluetoothUUID(parsing: &value, length: length) else { return nil }
            let label = label(uuid)
            return Beacon(serviceData: value, of: uuid).map { "\(label), \($0.words)" } ?? label
        default: return uuids(element)
        }
    }

    private static func uuids(_ element: AdvertisingData.Element) -> String? {
        var data = AdvertisingData()
        data.elements = [element]
        let uuids = data.serviceUUIDs + data.solicitedServiceUUIDs
        return uuids.isEmpty ? nil : uuids.map(label).joined(separator: ", ")
    }

    private static func label(_ uuid: BluetoothUUID) -> String {
        UUIDText.label(ofService: CBUUID(uuid))
    }

    private static func milliseconds(_ number: UInt16, _ unit: Double) -> String {
        SecondsText.number(Double(number) * unit)
    }

    private static func flags(_ bits: UInt8) -> String {
        let names = [
            "LE Limited Discoverable", "LE General Discoverable", "BR/EDR not supported",
            "LE and BR/EDR at the same time (controller)", "LE and BR/EDR at the same time (host)",
        ]
        let set = names.enumerated().filter { bits >> UInt8($0.offset) & 1 == 1 }.map(\.element)
        return set.isEmpty ? "none" : set.joined(separator: ", ")
    }
}
