// Our host's advertisement, read from its HCI commands, as an object of BlueZ (org.bluez.LEAdvertisement1).

import BluetoothHCI
import BluetoothTypes
import NIOCore

/// The advertising data of our host.
struct PublishedAdvertisement {
    private var isConnectable = true
    private var data = ByteBuffer()
    private var scanResponse = ByteBuffer()

    /// The effect of a command on advertising.
    enum Effect: Equatable {
        /// It starts; the command is to wait for BlueZ.
        case start
        case stop
        case none
    }

    /// Takes a command of our host.
    mutating func sent(_ packet: HCIPacket) -> Effect {
        guard packet.kind == .command, let command = try? HCICommandPacket(packet).command() else { return .none }
        switch command {
        case let command as LESetAdvertisingParameters:
            self.isConnectable = ![.nonConnectableUndirected, .scannableUndirected].contains(command.type)
        case let command as LESetExtendedAdvertisingParameters:
            self.isConnectable = command.properties.contains(.connectable)
        case let command as LESetAdvertisingData: self.data = command.data
        case let command as LESetExtendedAdvertisingData: self.data = command.data
        case let command as LESetScanResponseData: self.scanResponse = command.data
        case let command as LESetExtendedScanResponseData: self.scanResponse = command.data
        case let command as LESetAdvertisingEnable: return command.isEnabled ? .start : .stop
        case let command as LESetExtendedAdvertisingEnable: return command.isEnabled ? .start : .stop
        case is Reset:
            self = PublishedAdvertisement()
            return .stop
        default: break
        }
        return .none
    }

    /// The properties of the advertisement; BlueZ adds the flags.
    var properties: ObjectTree.Properties {
        let parsed = [self.data, self.scanResponse].map { AdvertisingData(parsing: $0) }
        let all = AdvertisingData(elements: parsed.flatMap(\.elements))
        var properties: ObjectTree.Properties = ["Type": .string(self.isConnectable ? "peripheral" : "broadcast")]
        let uuids = all.serviceUUIDs
        if !uuids.isEmpty { properties["ServiceUUIDs"] = .strings(uuids.map(\.text)) }
        let solicited = all.solicitedServiceUUIDs
        if !solicited.isEmpty { properties["SolicitUUIDs"] = .strings(solicited.map(\.text)) }
        if let name = all.localName, !name.isEmpty { properties["LocalName"] = .string(name) }
        if var manufacturer = all.manufacturerSpecificData,
            let company = manufacturer.readInteger(endianness: .little, as: UInt16.self)
        {
            properties["ManufacturerData"] = .array("{qv}", [.entry(.uint16(company), .variant(.bytes(manufacturer)))])
        }
        let services = all.serviceData
        if !services.isEmpty {
            properties["ServiceData"] = .array(
                "{sv}",
                services.map { .entry(.string($0.uuid.text), .variant(.bytes($0.data))) }
            )
        }
        if let value = all.elements.first(where: { $0.type == .appearance })?.value,
            let appearance = value.getInteger(at: value.readerIndex, endianness: .little, as: UInt16.self)
        {
            properties["Appearance"] = .uint16(appearance)
        }
        // Without it, BlueZ sets no discoverable flag.
        if self.isConnectable { properties["Discoverable"] = .boolean(true) }
        return properties
    }
}
