// The advertisement that a mirror sends for a device. BlueZ has properties instead of packets, merged from
// advertisements and scan responses, so the elements are distributed to packets again.

import BluetoothHCI
import BluetoothTypes
import NIOCore

/// The advertisement of a mirror.
enum MirroredAdvertisement: Equatable {
    /// In legacy PDUs, with a scan response.
    case legacy(data: ByteBuffer, scanResponse: ByteBuffer)
    /// In extended PDUs, if legacy ones are too small. Elements that do not fit into one are left out.
    case extended(data: ByteBuffer)

    /// Distributes BlueZ's properties of a device.
    init(_ device: DeviceProperties) {
        let elements = Self.elements(of: device)
        var data = AdvertisingData()
        var response = AdvertisingData()
        var rest: [AdvertisingData.Element] = []
        for element in elements {
            let count = 2 + element.value.readableBytes
            // Names are usually in scan responses.
            if element.type != .completeLocalName, data.octetCount + count <= AdvertisingDataLimits.legacy {
                data.elements.append(element)
            } else if response.octetCount + count <= AdvertisingDataLimits.legacy {
                response.elements.append(element)
            } else if data.octetCount + count <= AdvertisingDataLimits.legacy {
                data.elements.append(element)
            } else {
                rest.append(element)
            }
        }
        guard !rest.isEmpty else {
            self = .legacy(data: data.bytes, scanResponse: response.bytes)
            return
        }
        var whole = AdvertisingData()
        let limit = AdvertisingDataLimits.connectable
        for element in elements where whole.octetCount + 2 + element.value.readableBytes <= limit {
            whole.elements.append(element)
        }
        self = .extended(data: whole.bytes)
    }

    /// The elements, the ones first that must not be left out.
    private static func elements(of device: DeviceProperties) -> [AdvertisingData.Element] {
        var data = AdvertisingData()
        if let flags = device.flags { data.appendFlags(AdvertisingFlags(rawValue: flags)) }
        // A list of one size is one element of 254 octets at most; UUIDs accumulate in BlueZ.
        for length in [2, 4, 16] {
            let uuids = device.uuids.filter { $0.octetCount == length }.prefix(112 / length)
            if !uuids.isEmpty { data.appendServiceUUIDs(Array(uuids)) }
        }
        for (company, octets) in device.manufacturerData where octets.readableBytes <= 200 {
            var value = ByteBuffer(integer: company, endianness: .little)
            value.writeImmutableBuffer(octets)
            data.append(.manufacturerSpecificData, value)
        }
        for service in device.serviceData where service.data.readableBytes <= 200 { data.appendServiceData(service) }
        if let name = device.name { data.appendLocalName(name, limit: 200) }
        if let power = device.txPower { data.append(.txPowerLevel, ByteBuffer(integer: power.rawValue)) }
        if let appearance = device.appearance {
            data.append(.appearance, ByteBuffer(integer: appearance, endianness: .little))
        }
        return data.elements
    }
}
