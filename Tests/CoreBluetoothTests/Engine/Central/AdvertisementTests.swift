import BluetoothTypes
import Fixtures
import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("Advertisement data")
struct AdvertisementTests {
    private func discovery(_ advertisement: Advertisement, overflow: [BluetoothUUID] = []) -> Discovery {
        Discovery(
            peer: PeerDescription(identifier: UUID(), address: .none, name: nil),
            advertisement: advertisement,
            overflowServices: overflow,
            rssi: -50,
            timestamp: 12.5,
            primaryPHY: 1,
            secondaryPHY: 0
        )
    }

    @Test("4.5 merges the packet and the scan response into Apple's types")
    func types() throws {
        var data = AdvertisingData()
        data.appendFlags(.generalDiscoverable)
        data.appendServiceUUIDs([0x180D])
        data.append(.solicited16BitServiceUUIDs, ByteBuffer(bytes: [0x12, 0x18]))
        data.append(.txPowerLevel, ByteBuffer(bytes: [0xFC]))
        var scanResponse = AdvertisingData()
        scanResponse.appendLocalName("Crystal")
        scanResponse.append(.manufacturerSpecificData, ByteBuffer(bytes: [0x59, 0x00, 1, 2]))
        scanResponse.appendServiceData(AdvertisedServiceData(uuid: 0x180F, data: ByteBuffer(bytes: [9])))
        let advertisement = Advertisement(data: data.bytes, scanResponse: scanResponse.bytes, isConnectable: true)
        let dictionary = self.discovery(advertisement).dictionary
        #expect(dictionary[CBAdvertisementDataLocalNameKey] as? String == "Crystal")
        #expect(dictionary[CBAdvertisementDataManufacturerDataKey] as? Data == Data([0x59, 0x00, 1, 2]))
        #expect(
            dictionary[CBAdvertisementDataServiceDataKey] as? [CBUUID: Data] == [CBUUID(string: "180F"): Data([9])]
        )
        #expect(dictionary[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] == [CBUUID(string: "180D")])
        #expect(dictionary[CBAdvertisementDataSolicitedServiceUUIDsKey] as? [CBUUID] == [CBUUID(string: "1812")])
        #expect(dictionary[CBAdvertisementDataTxPowerLevelKey] as? NSNumber == -4)
        #expect(dictionary[CBAdvertisementDataIsConnectable] as? Bool == true)
        #expect(dictionary[CBAdvertisementDataIsConnectable] is NSNumber)
        #expect(dictionary[CBAdvertisementDataOverflowServiceUUIDsKey] == nil)
        #expect(dictionary[isLocalNameShortenedKey] == nil)
        var whole = AdvertisingData()
        whole.appendLocalName("Crystal")
        var part = AdvertisingData()
        part.appendLocalName("Crystal", limit: 4)
        for (data, scanResponse, isShortened) in [(part, nil, true), (part, whole, nil), (whole, part, nil)]
            as [(AdvertisingData, AdvertisingData?, Bool?)]
        {
            let named = Advertisement(data: data.bytes, scanResponse: scanResponse?.bytes, isConnectable: true)
            #expect(self.discovery(named).dictionary[isLocalNameShortenedKey] as? Bool == isShortened)
        }
        #expect(dictionary["kCBAdvDataTimestamp"] as? Double == 12.5)
        #expect(dictionary["kCBAdvDataRxPrimaryPHY"] as? Int == 1)
        #expect(dictionary["kCBAdvDataRxSecondaryPHY"] as? Int == 0)
    }

    /// Each type of data that may be in both (CSS, Part A), with what a dictionary has of it.
    @Test(
        "4.5 R2 joins what an advertising packet and its scan response both have",
        arguments: [
            (
                CBAdvertisementDataManufacturerDataKey, "06 FF 54 44 01 D4 21", "06 FF 54 44 01 3B 3D",
                "544401D4215444013B3D"
            ),
            (CBAdvertisementDataManufacturerDataKey, "03 FF 54 44", "03 FF 54 44", "5444"),
            (CBAdvertisementDataManufacturerDataKey, "03 FF 54 44 02 FF 54", "03 FF 59 00", "54445900"),
            (CBAdvertisementDataServiceDataKey, "04 16 0F 18 01", "04 16 0F 18 02", "180F: 0102"),
            (CBAdvertisementDataServiceDataKey, "04 16 0F 18 01", "04 16 0D 18 02", "180D: 02, 180F: 01"),
            (CBAdvertisementDataServiceDataKey, "06 20 0F 18 00 00 01", "04 16 0F 18 02", "0000180F: 0102"),
            (CBAdvertisementDataServiceUUIDsKey, "03 02 0D 18", "05 03 0D 18 0F 18", "180D, 180F"),
            (CBAdvertisementDataServiceUUIDsKey, "03 03 0D 18", "05 05 0F 18 00 00", "180D, 0000180F"),
            (CBAdvertisementDataSolicitedServiceUUIDsKey, "03 14 0D 18", "03 14 0F 18", "180D, 180F"),
            (CBAdvertisementDataLocalNameKey, "03 08 43 72", "04 09 43 72 79", "Cry"),
            (CBAdvertisementDataLocalNameKey, "04 09 43 72 79", "03 08 43 72", "Cry"),
            (CBAdvertisementDataTxPowerLevelKey, "02 0A 04", "02 0A 08", "4"),
        ]
    )
    func joined(key: String, data: String, scanResponse: String, expected: String) {
        func text(_ value: Any?) -> String {
            switch value {
            case let data as Data: hexText(data)
            case let uuids as [CBUUID]: uuids.map(\.uuidString).joined(separator: ", ")
            case let values as [CBUUID: Data]:
                values.map { "\($0.key.uuidString): \(hexText($0.value))" }.sorted().joined(separator: ", ")
            default: value.map { "\($0)" } ?? "-"
            }
        }
        func hexText(_ data: Data) -> String { data.map { String(format: "%02X", $0) }.joined() }
        let alone = Advertisement(data: ByteBuffer(hex: data), scanResponse: nil, isConnectable: true)
        let both = Advertisement(
            data: ByteBuffer(hex: data),
            scanResponse: ByteBuffer(hex: scanResponse),
            isConnectable: true
        )
        #expect(text(self.discovery(both).dictionary[key]) == expected)
        // A scan that filters duplicates reports the device again if the scan response has more.
        let isMore = text(self.discovery(alone).dictionary[key]) != text(self.discovery(both).dictionary[key])
        #expect(both.facts.isSubset(of: alone.facts) == !isMore)
    }

    @Test("4.5 has no key for absent data")
    func absent() {
        let advertisement = Advertisement(data: ByteBuffer(), scanResponse: nil, isConnectable: false)
        let dictionary = self.discovery(advertisement).dictionary
        #expect(dictionary[CBAdvertisementDataIsConnectable] as? Bool == false)
        #expect(dictionary.count == 4)
        #expect(advertisement.facts.isEmpty)
    }

    @Test("4.1 matches any service of a filter, also in the overflow area and among solicited ones")
    func filters() {
        var area = OverflowArea()
        area.insert(0xFFF3)
        var data = AdvertisingData()
        data.appendServiceUUIDs([0x180D, 0x180F])
        data.append(.solicited16BitServiceUUIDs, ByteBuffer(bytes: [0x12, 0x18]))
        data.append(.manufacturerSpecificData, area.manufacturerData)
        let advertisement = Advertisement(data: data.bytes, scanResponse: nil, isConnectable: true)
        #expect(advertisement.matches(ScanFilter()))
        #expect(advertisement.matches(ScanFilter(services: [0x1800, 0x180F])))
        #expect(!advertisement.matches(ScanFilter(services: [0x1800])))
        #expect(advertisement.matches(ScanFilter(services: [0xFFF3])))
        #expect(!advertisement.matches(ScanFilter(services: [0x1812])))
        #expect(advertisement.matches(ScanFilter(services: [0x1800], solicitedServices: [0x1812])))
        #expect(!advertisement.matches(ScanFilter(services: nil, solicitedServices: [0x1813])))
        let dictionary = self.discovery(advertisement, overflow: [0xFFF3]).dictionary
        #expect(dictionary[CBAdvertisementDataOverflowServiceUUIDsKey] as? [CBUUID] == [CBUUID(string: "FFF3")])
        #expect(dictionary[CBAdvertisementDataManufacturerDataKey] == nil)
    }
}
