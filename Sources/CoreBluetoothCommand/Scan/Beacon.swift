// Beacons, as they are advertised: iBeacon in Apple's Manufacturer Specific Data, Eddystone in the Service Data of
// FEAA.

import BluetoothTypes
import CommandLineTool
import CoreBluetooth
import Foundation
import NIOCore

/// A beacon; powers are in dBm.
enum Beacon: Hashable {
    /// The power is that received at 1 m.
    case iBeacon(uuid: UUID, major: UInt16, minor: UInt16, power: Int8)
    /// A namespace of 10 octets and an instance of 6; the power is that received at 0 m, as in the others.
    case eddystoneUID(namespace: [UInt8], instance: [UInt8], power: Int8)
    case eddystoneURL(String, power: Int8)
    /// Telemetry: the battery's voltage in mV, °C, the number of packets since the start, and the seconds since it.
    case eddystoneTLM(voltage: UInt16, temperature: Double, packets: UInt32, uptime: Double)

    /// The power at 1 m of a typical transmitter.
    static let typicalPower: Int8 = -59
    /// The power at 0 m that corresponds to it.
    static let typicalPowerAtOrigin = typicalPower + 41
    /// The service of Eddystone.
    static let eddystone: BluetoothUUID = 0xFEAA
    /// The octets of a compressed URL.
    static let urlLimit = 17

    private static let schemes = ["http://www.", "https://www.", "http://", "https://"]
    private static let domains = [".com", ".org", ".edu", ".net", ".info", ".biz", ".gov"]
    private static let expansions = domains.map { $0 + "/" } + domains

    // MARK: Reading

    /// The iBeacon in Manufacturer Specific Data; `nil` if there is none.
    init?(manufacturerData: ByteBuffer) {
        var data = manufacturerData
        guard data.readableBytes == 25, data.readInteger(as: UInt32.self) == 0x4C00_0215,
            let octets = data.readBytes(length: 16), let uuid = UUID(uuidString: CBUUID(data: Data(octets)).uuidString),
            let major = data.readInteger(as: UInt16.self), let minor = data.readInteger(as: UInt16.self),
            let power = data.readInteger(as: Int8.self)
        else { return nil }
        self = .iBeacon(uuid: uuid, major: major, minor: minor, power: power)
    }

    /// The Eddystone frame in Service Data; `nil` if there is none.
    init?(serviceData: ByteBuffer, of service: BluetoothUUID) {
        var data = serviceData
        guard service == Self.eddystone else { return nil }
        switch data.readInteger(as: UInt8.self) {
        case 0x00:
            guard let power = data.readInteger(as: Int8.self), let namespace = data.readBytes(length: 10),
                let instance = data.readBytes(length: 6)
            else { return nil }
            self = .eddystoneUID(namespace: namespace, instance: instance, power: power)
        case 0x10:
            guard let power = data.readInteger(as: Int8.self), let scheme = data.readInteger(as: UInt8.self),
                Self.schemes.indices.contains(Int(scheme))
            else { return nil }
            let rest = data.readableBytesView.map { octet in
                octet < Self.expansions.count ? Self.expansions[Int(octet)] : String(UnicodeScalar(octet))
            }
            self = .eddystoneURL(Self.schemes[Int(scheme)] + rest.joined(), power: power)
        case 0x20:
            guard data.readInteger(as: UInt8.self) == 0, let voltage = data.readInteger(as: UInt16.self),
                let temperature = data.readInteger(as: Int16.self), let packets = data.readInteger(as: UInt32.self),
                let time = data.readInteger(as: UInt32.self)
            else { return nil }
            self = .eddystoneTLM(
                voltage: voltage,
                temperature: Double(temperature) / 256,
                packets: packets,
                uptime: Double(time) / 10
            )
        default: return nil
        }
    }

    // MARK: Writing

    /// The elements of the advertising packet; none for telemetry, which is only read.
    var elements: [AdvertisingData.Element] {
        var value = ByteBuffer()
        var data = AdvertisingData()
        switch self {
        case .iBeacon(let uuid, let major, let minor, let power):
            value.writeInteger(UInt32(0x4C00_0215))
            value.writeBytes(CBUUID(string: uuid.uuidString).data)
            value.writeMultipleIntegers(major, minor, power)
            data.append(.manufacturerSpecificData, value)
            return data.elements
        case .eddystoneUID(let namespace, let instance, let power):
            value.writeMultipleIntegers(UInt8(0x00), power)
            value.writeBytes(namespace + instance + [0, 0])
        case .eddystoneURL(let url, let power):
            guard let octets = Self.compressed(url) else { return [] }
            value.writeMultipleIntegers(UInt8(0x10), power)
            value.writeBytes(octets)
        case .eddystoneTLM: return []
        }
        data.appendServiceUUIDs([Self.eddystone])
        data.appendServiceData(AdvertisedServiceData(uuid: Self.eddystone, data: value))
        return data.elements
    }

    /// A URL as Eddystone-URL has it: an octet for the scheme, and one for each common ending of a host; `nil` for
    /// another scheme, or other characters than the visible ones of ASCII.
    static func compressed(_ url: String) -> [UInt8]? {
        guard let scheme = schemes.firstIndex(where: { url.lowercased().hasPrefix($0) }) else { return nil }
        var octets = [UInt8(scheme)]
        var rest = url.dropFirst(schemes[scheme].count)
        while let first = rest.first {
            if let index = expansions.firstIndex(where: { rest.hasPrefix($0) }) {
                octets.append(UInt8(index))
                rest = rest.dropFirst(expansions[index].count)
            } else {
                guard let octet = first.asciiValue, (0x21...0x7E).contains(octet) else { return nil }
                octets.append(octet)
                rest = rest.dropFirst()
            }
        }
        return octets
    }

    // MARK: Words

    var words: String {
        switch self {
        case .iBeacon(let uuid, let major, let minor, let power):
            "iBeacon \(uuid.uuidString), major \(major), minor \(minor), \(power) dBm at 1 m"
        case .eddystoneUID(let namespace, let instance, let power):
            "Eddystone-UID \(HexadecimalText.digits(namespace)) \(HexadecimalText.digits(instance)), "
                + "\(power) dBm at 0 m"
        case .eddystoneURL(let url, let power): "Eddystone-URL \(PrintableText.text(url)), \(power) dBm at 0 m"
        case .eddystoneTLM(let voltage, let temperature, let packets, let uptime):
            "Eddystone-TLM \(voltage) mV, \(SecondsText.number(temperature)) °C, \(packets) packets, "
                + "up for \(SecondsText.number(uptime)) s"
        }
    }

    /// The JSON object.
    var object: JSONValue {
        switch self {
        case .iBeacon(let uuid, let major, let minor, let power):
            .object([
                ("kind", .string("iBeacon")), ("uuid", .string(uuid.uuidString)), ("major", .integer(Int(major))),
                ("minor", .integer(Int(minor))), ("power", .integer(Int(power))),
            ])
        case .eddystoneUID(let namespace, let instance, let power):
            .object([
                ("kind", .string("Eddystone-UID")), ("namespace", .string(HexadecimalText.digits(namespace))),
                ("instance", .string(HexadecimalText.digits(instance))), ("power", .integer(Int(power))),
            ])
        case .eddystoneURL(let url, let power):
            .object([("kind", .string("Eddystone-URL")), ("url", .string(url)), ("power", .integer(Int(power)))])
        case .eddystoneTLM(let voltage, let temperature, let packets, let uptime):
            .object([
                ("kind", .string("Eddystone-TLM")), ("voltage", .integer(Int(voltage))),
                ("temperature", .number(temperature)), ("packets", .integer(Int(packets))),
                ("uptime", .number(uptime)),
            ])
        }
    }
}
