import BluetoothTypes
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
        data.appendSolicitedServiceUUIDs([0x1812])
        data.appendTxPowerLevel(-4)
        var scanResponse = AdvertisingData()
        scanResponse.appendLocalName("Crystal")
        scanResponse.appendManufacturerSpecificData(company: 0x0059, ByteBuffer(bytes: [1, 2]))
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
        #expect(dictionary["kCBAdvDataTimestamp"] as? Double == 12.5)
        #expect(dictionary["kCBAdvDataRxPrimaryPHY"] as? Int == 1)
        #expect(dictionary["kCBAdvDataRxSecondaryPHY"] as? Int == 0)
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
        data.appendSolicitedServiceUUIDs([0x1812])
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
