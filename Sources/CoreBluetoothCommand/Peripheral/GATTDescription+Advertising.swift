// What a described peripheral advertises beside its name and services, and how.
//
//     "appearance": "Heart Rate Belt", "txPower": true, "connectable": false, "interval": 500, "phy": "coded",
//     "serviceData": [ { "uuid": "180F", "value": { "uint8": 87 } } ]

import AssignedNumbers
import BluetoothTypes
import CommandLineTool
import CoreBluetooth
import Foundation
import NIOCore

extension PHYName: NamedValue {}

extension GATTDescription {
    /// Service Data.
    struct ServiceData: Decodable {
        var uuid: Identifier
        var value: Value

        enum CodingKeys: String, CodingKey, CaseIterable {
            case uuid
            case value
        }
    }

    /// A value of Appearance: four hexadecimal digits, or an assigned name.
    struct DescribedAppearance: Decodable {
        var value: UInt16

        init(value: UInt16) { self.value = value }

        /// Reads a text; `nil` if it is neither.
        init?(_ text: String) {
            let digits = text.hasPrefix("0x") ? text.dropFirst(2) : text[...]
            let number = digits.utf8.count == 4 ? UInt16(digits, radix: 16) : nil
            guard let value = number ?? Appearance.value(named: text) else { return nil }
            self.value = value
        }

        init(from decoder: any Decoder) throws {
            let text = try decoder.singleValueContainer().decode(String.self)
            guard let appearance = Self(text) else {
                let reason = "\"\(text)\" is no appearance: \(Self.hint)"
                throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: reason))
            }
            self = appearance
        }

        static let hint = "write 4 hexadecimal digits such as 0341, or a name such as \"Heart Rate Belt\""
    }

    /// The intervals of advertising, in milliseconds (Vol 6, Part B, 4.4.2.2).
    static let intervals = 20.0...10_240.0

    /// What only a tool can ask for.
    var advertisingOptions: AdvertisingOptions {
        var data = AdvertisingData()
        if let manufacturerData { data.append(.manufacturerSpecificData, ByteBuffer(bytes: manufacturerData.data)) }
        if let appearance { data.append(.appearance, ByteBuffer(integer: appearance.value, endianness: .little)) }
        for entry in serviceData ?? [] {
            guard let uuid = BluetoothUUID(entry.uuid.uuid.uuidString) else { continue }
            let octets = ByteBuffer(bytes: entry.value.data)
            data.appendServiceData(AdvertisedServiceData(uuid: uuid.attForm, data: octets))
        }
        var options = AdvertisingOptions()
        options.elements = data.elements + (beacon?.elements ?? [])
        options.includesTxPower = txPower ?? false
        options.isConnectable = connectable ?? (beacon == nil)
        options.interval = interval.map { .microseconds(Int64(($0 * 1000).rounded())) }
        options.phy =
            switch phy {
            case .le1M: .le1M
            case .le2M: .le2M
            case .leCoded: .leCoded
            case nil: nil
            }
        return options
    }

    /// What cannot be advertised.
    var advertisingProblem: DescriptionProblem? {
        if let interval, !Self.intervals.contains(interval) {
            return DescriptionProblem(place: "interval", text: "interval is a number of milliseconds from 20 to 10240")
        }
        let options = advertisingOptions
        let limit = options.manufacturerDataLimit
        if let count = manufacturerData?.data.count, !(2...limit).contains(count) {
            return DescriptionProblem(
                place: "manufacturerData",
                text: "manufacturerData has \(count) octets; 2, for the company, to \(limit) fit"
            )
        }
        guard options.octetCount > options.capacity else { return nil }
        return DescriptionProblem(
            place: serviceData == nil ? "" : "serviceData",
            text:
                "the advertisement has \(options.octetCount) octets beside flags, name and services; "
                + "\(options.capacity) fit"
        )
    }
}
