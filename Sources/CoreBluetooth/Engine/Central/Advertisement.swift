// What an advertiser says, from its advertising packet and its scan response together, and the dictionary that Core
// Bluetooth makes of it.

import BluetoothTypes
import Foundation
import NIOCore

/// Which facts an advertisement holds.
///
/// A scan without duplicates reports a device again when there are more of them.
struct AdvertisementFacts: OptionSet, Sendable {
    let rawValue: UInt8

    static let localName = AdvertisementFacts(rawValue: 1 << 0)
    static let manufacturerData = AdvertisementFacts(rawValue: 1 << 1)
    static let serviceData = AdvertisementFacts(rawValue: 1 << 2)
    static let services = AdvertisementFacts(rawValue: 1 << 3)
    static let overflow = AdvertisementFacts(rawValue: 1 << 4)
    static let solicitedServices = AdvertisementFacts(rawValue: 1 << 5)
    static let txPower = AdvertisementFacts(rawValue: 1 << 6)
}

/// The merged data of one advertiser.
///
/// Parsed once for each change and shared by all events.
final class Advertisement: Sendable {
    let isConnectable: Bool
    let localName: String?
    let manufacturerData: ByteBuffer?
    let serviceData: [AdvertisedServiceData]
    let services: [BluetoothUUID]
    let overflow: OverflowArea?
    let solicitedServices: [BluetoothUUID]
    let txPower: TransmitPower?

    /// Reads an advertising packet and the scan response that belongs to it.
    init(data: ByteBuffer, scanResponse: ByteBuffer?, isConnectable: Bool) {
        var merged = AdvertisingData(parsing: data)
        if let scanResponse { merged.elements += AdvertisingData(parsing: scanResponse).elements }
        let manufacturerData = merged.elements.filter { $0.type == .manufacturerSpecificData }.map(\.value)
        self.isConnectable = isConnectable
        self.localName = merged.localName
        self.overflow = manufacturerData.lazy.compactMap(OverflowArea.init(manufacturerData:)).first
        self.manufacturerData = manufacturerData.first {
            $0.readableBytes >= 2 && OverflowArea(manufacturerData: $0) == nil
        }
        self.serviceData = merged.serviceData
        self.services = merged.serviceUUIDs
        self.solicitedServices = merged.solicitedServiceUUIDs
        self.txPower = merged.txPowerLevel
    }

    /// The facts that it holds.
    var facts: AdvertisementFacts {
        var facts: AdvertisementFacts = []
        if self.localName != nil { facts.insert(.localName) }
        if self.manufacturerData != nil { facts.insert(.manufacturerData) }
        if !self.serviceData.isEmpty { facts.insert(.serviceData) }
        if !self.services.isEmpty { facts.insert(.services) }
        if self.overflow != nil { facts.insert(.overflow) }
        if !self.solicitedServices.isEmpty { facts.insert(.solicitedServices) }
        if self.txPower != nil { facts.insert(.txPower) }
        return facts
    }

    /// Whether it matches the filter of a scan.
    func matches(_ filter: ScanFilter) -> Bool {
        if let services = filter.services {
            if services.contains(where: { self.services.contains($0) }) { return true }
            if let overflow = self.overflow, services.contains(where: overflow.mayContain) { return true }
        } else if filter.solicitedServices.isEmpty {
            return true
        }
        return filter.solicitedServices.contains { self.solicitedServices.contains($0) }
    }
}

extension Discovery {
    /// The dictionary of `centralManager(_:didDiscover:advertisementData:rssi:)`.
    ///
    /// Facts that are absent have no key.
    var dictionary: [String: Any] {
        let advertisement = self.advertisement
        var dictionary: [String: Any] = [
            CBAdvertisementDataIsConnectable: NSNumber(value: advertisement.isConnectable),
            "kCBAdvDataTimestamp": NSNumber(value: self.timestamp),
            "kCBAdvDataRxPrimaryPHY": NSNumber(value: self.primaryPHY),
            "kCBAdvDataRxSecondaryPHY": NSNumber(value: self.secondaryPHY),
        ]
        if let name = advertisement.localName { dictionary[CBAdvertisementDataLocalNameKey] = name }
        if let data = advertisement.manufacturerData {
            dictionary[CBAdvertisementDataManufacturerDataKey] = Data(octetsOf: data)
        }
        if let level = advertisement.txPower {
            dictionary[CBAdvertisementDataTxPowerLevelKey] = NSNumber(value: level.rawValue)
        }
        if !advertisement.serviceData.isEmpty {
            var serviceData: [CBUUID: Data] = [:]
            for element in advertisement.serviceData {
                serviceData[CBUUID(element.uuid)] = Data(octetsOf: element.data)
            }
            dictionary[CBAdvertisementDataServiceDataKey] = serviceData
        }
        if !advertisement.services.isEmpty {
            dictionary[CBAdvertisementDataServiceUUIDsKey] = advertisement.services.map { CBUUID($0) }
        }
        if !self.overflowServices.isEmpty {
            dictionary[CBAdvertisementDataOverflowServiceUUIDsKey] = self.overflowServices.map { CBUUID($0) }
        }
        if !advertisement.solicitedServices.isEmpty {
            dictionary[CBAdvertisementDataSolicitedServiceUUIDsKey] = advertisement.solicitedServices.map { CBUUID($0) }
        }
        return dictionary
    }
}
