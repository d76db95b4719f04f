// Our host's advertisement, read from its HCI commands, as an object of BlueZ (org.bluez.LEAdvertisement1).

import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import NIOCore

/// The advertising data of our host.
struct PublishedAdvertisement {
    private var isConnectable = true
    private var interval = AdvertisingParameters.defaultInterval
    /// The PHY of the data in extended PDUs; `nil` for legacy PDUs.
    private var phy: PHY?
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
            self.interval = command.minimumInterval.timeAmount
            self.phy = nil
        case let command as LESetExtendedAdvertisingParameters:
            self.isConnectable = command.properties.contains(.connectable)
            self.interval = command.minimumInterval.timeAmount
            self.phy = command.properties.contains(.legacy) ? nil : command.secondaryPHY
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
        // The power of the private air's controller is not that of the adapter, which BlueZ knows.
        if all[.txPowerLevel] != nil { properties["Includes"] = .strings(["tx-power"]) }
        if self.interval != AdvertisingParameters.defaultInterval {
            let milliseconds = UInt32(clamping: self.interval.nanoseconds / 1_000_000)
            properties["MinInterval"] = .uint32(milliseconds)
            properties["MaxInterval"] = .uint32(milliseconds)
        }
        if let phy { properties["SecondaryChannel"] = .string(phy.description) }
        // Without it, BlueZ sets no discoverable flag.
        if self.isConnectable { properties["Discoverable"] = .boolean(true) }
        return properties
    }
}
