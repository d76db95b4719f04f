// A device as BlueZ describes it, with every property checked: one of a wrong type counts as absent.

import BluetoothTypes
import NIOCore

/// A device that BlueZ knows.
struct DeviceProperties: Equatable {
    var address: DeviceAddress
    /// The name that was advertised or read; without one BlueZ makes an alias of the address, which is no name.
    var name: String?
    var isConnected = false
    /// Whether its services are as complete as they will be.
    var isResolved = false
    var isPaired = false
    /// The strength of the last advertisement; `nil` for a device that is not received at present.
    var rssi: RSSI?
    var txPower: TransmitPower?
    var appearance: UInt16?
    var flags: UInt8?
    var uuids: [BluetoothUUID] = []
    var manufacturerData: [(company: UInt16, data: ByteBuffer)] = []
    var serviceData: [AdvertisedServiceData] = []

    /// Reads the properties; `nil` if there is no address, without which a device is of no use.
    init?(_ properties: ObjectTree.Properties) {
        let kind: DeviceAddress.Kind
        switch properties["AddressType"]?.string {
        case "public": kind = .public
        case "random": kind = .random
        default: return nil
        }
        guard let text = properties["Address"]?.string, let address = DeviceAddress(text, kind: kind),
            address.value != 0
        else { return nil }
        self.address = address
        self.name = properties["Name"]?.string.flatMap { $0.isEmpty ? nil : $0 }
        self.isConnected = properties["Connected"]?.boolean ?? false
        self.isResolved = properties["ServicesResolved"]?.boolean ?? false
        self.isPaired = properties["Paired"]?.boolean ?? false
        self.rssi = properties["RSSI"]?.int16.map { RSSI(dBm: Int8(clamping: min(max($0, -127), 20))) }
        self.txPower = properties["TxPower"]?.int16.flatMap { Int8(exactly: $0) }.map { TransmitPower(dBm: $0) }
        self.appearance = properties["Appearance"]?.uint16
        self.flags = properties["AdvertisingFlags"]?.bytes.flatMap { $0.getInteger(at: $0.readerIndex) }
        self.uuids = (properties["UUIDs"]?.strings ?? []).compactMap { BluetoothUUID($0)?.shortened }
        self.manufacturerData = (properties["ManufacturerData"]?.entries ?? []).compactMap { key, value in
            guard let company = key.uint16, let data = value.bytes else { return nil }
            return (company, data)
        }
        self.serviceData = (properties["ServiceData"]?.entries ?? []).compactMap { key, value in
            guard let uuid = key.string.flatMap({ BluetoothUUID($0)?.shortened }), let data = value.bytes else {
                return nil
            }
            return AdvertisedServiceData(uuid: uuid, data: data)
        }
    }

    static func == (left: DeviceProperties, right: DeviceProperties) -> Bool {
        left.address == right.address && left.name == right.name && left.isConnected == right.isConnected
            && left.isResolved == right.isResolved && left.isPaired == right.isPaired && left.rssi == right.rssi
            && left.txPower == right.txPower && left.appearance == right.appearance && left.flags == right.flags
            && left.uuids == right.uuids && left.serviceData == right.serviceData
            && left.manufacturerData.map(\.company) == right.manufacturerData.map(\.company)
            && left.manufacturerData.map(\.data) == right.manufacturerData.map(\.data)
    }

    /// The properties of a device that say how it is connected, and as whom.
    static let states: Set<String> = ["Connected", "ServicesResolved", "Paired", "UUIDs", "Name", "Address"]

    /// The properties of a device that an advertisement may have changed.
    static let advertised: Set<String> = [
        "RSSI", "ManufacturerData", "ServiceData", "UUIDs", "Name", "TxPower", "Appearance", "AdvertisingFlags",
    ]
}

extension BluetoothUUID {
    /// BlueZ writes all 128 bits; the advertisement usually had the shortest form.
    fileprivate var shortened: BluetoothUUID {
        if let short = self.shortValue { return BluetoothUUID(short) }
        return self.mediumValue.map { BluetoothUUID(form: .medium($0)) } ?? self
    }
}
