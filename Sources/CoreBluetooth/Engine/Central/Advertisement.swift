// The advertising data and the scan response of an advertiser together, and the dictionary that Core Bluetooth makes of
// them.

import BluetoothTypes
import Foundation
import NIOCore

/// The kinds of facts in an advertisement.
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
    /// The scan response adds to what the advertising data has of the same kind.
    static let joined = AdvertisementFacts(rawValue: 1 << 7)
}

/// The merged data of one advertiser.
///
/// Parsed once for each change and shared by all events.
final class Advertisement: Sendable {
    let isConnectable: Bool
    let localName: String?
    /// Whether that is a Shortened Local Name.
    let isNameShortened: Bool
    let manufacturerData: ByteBuffer?
    let serviceData: [AdvertisedServiceData]
    let services: [BluetoothUUID]
    let overflow: OverflowArea?
    let solicitedServices: [BluetoothUUID]
    let txPower: TransmitPower?

    /// Whether the scan response adds to what the advertising data has of the same kind.
    private let isJoined: Bool

    /// Reads advertising data and the scan response that belongs to it.
    ///
    /// Facts that both have are joined, the advertising data's first: lists of services, manufacturer data and the data
    /// of a service. Equal octets are there once.
    init(data: ByteBuffer, scanResponse: ByteBuffer?, isConnectable: Bool) {
        let alone = AdvertisingData(parsing: data)
        var merged = alone
        if let scanResponse { merged.elements += AdvertisingData(parsing: scanResponse).elements }
        let manufacturerData = merged.elements.filter { $0.type == .manufacturerSpecificData }.map(\.value)
        self.isConnectable = isConnectable
        self.localName = merged.localName
        self.isNameShortened = merged[.completeLocalName] == nil && merged.localName != nil
        self.overflow = manufacturerData.lazy.compactMap(OverflowArea.init(manufacturerData:)).first
        self.manufacturerData = Self.joined(
            manufacturerData.filter { $0.readableBytes >= 2 && OverflowArea(manufacturerData: $0) == nil }
        )
        self.serviceData = Self.joined(merged.serviceData)
        self.services = Self.unique(merged.serviceUUIDs)
        self.solicitedServices = Self.unique(merged.solicitedServiceUUIDs)
        self.txPower = merged.txPowerLevel
        func isMore<Element: Hashable>(_ whole: [Element], than part: [Element]) -> Bool {
            !part.isEmpty && Set(whole).count > Set(part).count
        }
        let isName = alone.localName != nil && alone.localName != merged.localName
        let manufacturerDataAlone = alone.elements.filter { $0.type == .manufacturerSpecificData }.map(\.value)
        self.isJoined =
            isName || isMore(manufacturerData, than: manufacturerDataAlone)
            || isMore(merged.serviceData, than: alone.serviceData)
            || isMore(merged.serviceUUIDs, than: alone.serviceUUIDs)
            || isMore(merged.solicitedServiceUUIDs, than: alone.solicitedServiceUUIDs)
    }

    /// Each element once, in order.
    private static func unique<Element: Hashable>(_ elements: [Element]) -> [Element] {
        var known: Set<Element> = []
        return elements.filter { known.insert($0).inserted }
    }

    private static func joined(_ values: [ByteBuffer]) -> ByteBuffer? {
        var values = Self.unique(values)[...]
        guard var whole = values.popFirst() else { return nil }
        for value in values { whole.writeImmutableBuffer(value) }
        return whole
    }

    private static func joined(_ elements: [AdvertisedServiceData]) -> [AdvertisedServiceData] {
        Self.unique(elements.map(\.uuid)).map { uuid in
            let values = elements.filter { $0.uuid == uuid }.map(\.data)
            return AdvertisedServiceData(uuid: uuid, data: Self.joined(values) ?? ByteBuffer())
        }
    }

    /// The kinds of facts that it has.
    var facts: AdvertisementFacts {
        var facts: AdvertisementFacts = []
        if self.localName != nil { facts.insert(.localName) }
        if self.manufacturerData != nil { facts.insert(.manufacturerData) }
        if !self.serviceData.isEmpty { facts.insert(.serviceData) }
        if !self.services.isEmpty { facts.insert(.services) }
        if self.overflow != nil { facts.insert(.overflow) }
        if !self.solicitedServices.isEmpty { facts.insert(.solicitedServices) }
        if self.txPower != nil { facts.insert(.txPower) }
        if self.isJoined { facts.insert(.joined) }
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

/// The key of the time of a discovery, in seconds since the reference date, which Apple does not document.
package let advertisementTimestampKey = "kCBAdvDataTimestamp"

/// Present if the local name is a shortened one; not one of Apple's keys.
package let isLocalNameShortenedKey = "kCBAdvDataIsLocalNameShortened"

extension Discovery {
    /// The dictionary of `centralManager(_:didDiscover:advertisementData:rssi:)`.
    ///
    /// Facts that are absent have no key.
    var dictionary: [String: Any] {
        let advertisement = self.advertisement
        var dictionary: [String: Any] = [
            CBAdvertisementDataIsConnectable: NSNumber(value: advertisement.isConnectable),
            advertisementTimestampKey: NSNumber(value: self.timestamp),
            "kCBAdvDataRxPrimaryPHY": NSNumber(value: self.primaryPHY),
            "kCBAdvDataRxSecondaryPHY": NSNumber(value: self.secondaryPHY),
        ]
        if let name = advertisement.localName { dictionary[CBAdvertisementDataLocalNameKey] = name }
        if advertisement.isNameShortened { dictionary[isLocalNameShortenedKey] = NSNumber(value: true) }
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
