// A device as a scan has heard it, for tables, lines and JSON.

import AssignedNumbers
import BluetoothTypes
import CommandLineTool
import CoreBluetooth
import Foundation
import NIOCore

/// One report of a scan, or the latest of several.
struct ScannedDevice {
    var identifier: UUID
    /// Core Bluetooth keeps it from apps; `nil` if nobody asked.
    var address: DeviceAddress?
    var name: String?
    /// Whether the name is the beginning of a longer one.
    var isNameShortened = false
    /// In dBm; `nil` if the controller could not measure it.
    var rssi: Int?
    var isConnectable: Bool
    var services: [CBUUID]
    var manufacturerData: Data?
    var serviceData: [(service: CBUUID, data: Data)]
    /// In dBm.
    var txPower: Int?
    /// When it was heard; `nil` if that is not known.
    var time: Date?

    /// Creates it from a report to a manager's delegate.
    init(_ peripheral: CBPeripheral, _ advertisementData: [String: Any], rssi: NSNumber) {
        let listed = advertisementData[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] ?? []
        let overflow = advertisementData[CBAdvertisementDataOverflowServiceUUIDsKey] as? [CBUUID] ?? []
        let data = advertisementData[CBAdvertisementDataServiceDataKey] as? [CBUUID: Data] ?? [:]
        self.init(
            identifier: peripheral.identifier,
            name: advertisementData[CBAdvertisementDataLocalNameKey] as? String ?? peripheral.name,
            rssi: rssi.intValue == Int(RSSI.octet(nil)) ? nil : rssi.intValue,
            isConnectable: (advertisementData[CBAdvertisementDataIsConnectable] as? NSNumber)?.boolValue ?? false,
            services: listed + overflow,
            manufacturerData: advertisementData[CBAdvertisementDataManufacturerDataKey] as? Data,
            serviceData: data.map { ($0.key, $0.value) }.sorted { $0.service.uuidString < $1.service.uuidString },
            txPower: (advertisementData[CBAdvertisementDataTxPowerLevelKey] as? NSNumber)?.intValue
        )
        let seconds = advertisementData[advertisementTimestampKey] as? NSNumber
        time = seconds.map { Date(timeIntervalSinceReferenceDate: $0.doubleValue) }
        isNameShortened = advertisementData[isLocalNameShortenedKey] != nil
    }

    /// A discovery of these parts.
    init(
        identifier: UUID,
        name: String? = nil,
        rssi: Int? = nil,
        isConnectable: Bool = true,
        services: [CBUUID] = [],
        manufacturerData: Data? = nil,
        serviceData: [(service: CBUUID, data: Data)] = [],
        txPower: Int? = nil
    ) {
        self.identifier = identifier
        self.name = name
        self.rssi = rssi
        self.isConnectable = isConnectable
        self.services = services
        self.manufacturerData = manufacturerData
        self.serviceData = serviceData
        self.txPower = txPower
    }

    /// Adds a later report of the same device, which may have fewer parts.
    mutating func merge(_ later: ScannedDevice) {
        if let laterName = later.name { (name, isNameShortened) = (laterName, later.isNameShortened) }
        address = later.address ?? address
        rssi = later.rssi ?? rssi
        isConnectable = later.isConnectable
        if !later.services.isEmpty { services = later.services }
        manufacturerData = later.manufacturerData ?? manufacturerData
        if !later.serviceData.isEmpty { serviceData = later.serviceData }
        txPower = later.txPower ?? txPower
        time = later.time ?? time
    }

    // MARK: Words

    /// The services by their names, or UUIDs.
    var serviceWords: String {
        services.map { UUIDText.name(ofService: $0) }.joined(separator: ", ")
    }

    /// What it is as a beacon; `nil` if it is none.
    var beacon: Beacon? {
        manufacturerData.flatMap { Beacon(manufacturerData: ByteBuffer(bytes: $0)) }
            ?? serviceData.lazy.compactMap(Self.beacon).first
    }

    private static func beacon(_ entry: (service: CBUUID, data: Data)) -> Beacon? {
        BluetoothUUID(entry.service.uuidString).flatMap { Beacon(serviceData: ByteBuffer(bytes: entry.data), of: $0) }
    }

    /// The service data, for a beacon in words.
    private var serviceDataWords: [String] {
        serviceData.map { entry in
            let words = Self.beacon(entry)?.words ?? HexadecimalText.text(entry.data)
            return "\(UUIDText.name(ofService: entry.service)): \(words)"
        }
    }

    /// What it offers and is, for a table.
    var contentWords: String {
        let frames = serviceData.compactMap { Self.beacon($0)?.words }
        return ([serviceWords, manufacturerWords] + frames).filter { !$0.isEmpty }.joined(separator: "; ")
    }

    /// The company and its data, for a beacon in words.
    var manufacturerWords: String {
        guard let manufacturerData else { return "" }
        guard let company = Self.company(manufacturerData) else { return HexadecimalText.text(manufacturerData) }
        let data = manufacturerData.dropFirst(2)
        let name = CompanyNames[company] ?? "company \(HexadecimalText.number(company))"
        if let beacon = Beacon(manufacturerData: ByteBuffer(bytes: manufacturerData)) {
            return "\(name), \(beacon.words)"
        }
        return data.isEmpty ? name : "\(name) \(HexadecimalText.text(data))"
    }

    /// The company of manufacturer data; `nil` if it is too short.
    static func company(_ data: Data) -> UInt16? {
        guard data.count >= 2 else { return nil }
        return UInt16(data[data.startIndex]) | UInt16(data[data.startIndex + 1]) << 8
    }

    /// One line.
    var line: String {
        var line = "\(identifier.uuidString)  \(rssi.map { "\($0) dBm" } ?? "? dBm")  "
        line += name.map { PrintableText.quoted($0) } ?? "(no name)"
        if isNameShortened { line += " (shortened)" }
        if !isConnectable { line += ", not connectable" }
        if !services.isEmpty { line += "; \(serviceWords)" }
        if manufacturerData != nil { line += "; \(manufacturerWords)" }
        return ([line] + serviceDataWords).joined(separator: "; ")
    }

    /// One JSON object.
    var object: JSONValue {
        func list(_ uuids: [CBUUID]) -> JSONValue {
            .array(
                uuids.map { uuid in
                    .object([
                        ("service", .string(uuid.uuidString)),
                        ("name", UUIDText.json(ofService: uuid)),
                    ])
                }
            )
        }
        let company = manufacturerData.flatMap(Self.company)
        return .object([
            ("event", "discovered"), ("time", Record.time(time ?? Date())),
            ("device", Record.device(identifier, name: name)), ("nameIsShortened", .bool(isNameShortened)),
            ("rssi", JSONValue(rssi)),
            ("connectable", .bool(isConnectable)), ("services", list(services)),
            (
                "manufacturer",
                manufacturerData.map { data in
                    .object([
                        ("company", JSONValue(company.map(Int.init))),
                        ("name", JSONValue(company.flatMap { CompanyNames[$0] })),
                        ("hex", .string(HexadecimalText.digits(data.dropFirst(company == nil ? 0 : 2)))),
                    ])
                } ?? .null
            ),
            (
                "serviceData",
                JSONValue.array(
                    serviceData.map {
                        .object([
                            ("service", .string($0.service.uuidString)), ("name", UUIDText.json(ofService: $0.service)),
                            ("hex", .string(HexadecimalText.digits($0.data))),
                        ])
                    }
                )
            ),
            ("txPower", JSONValue(txPower)), ("beacon", beacon?.object ?? .null),
        ])
    }
}
