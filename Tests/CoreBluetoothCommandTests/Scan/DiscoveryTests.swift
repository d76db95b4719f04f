// What a report of Core Bluetooth's becomes: each part alone, parts that lack, and the strength that is none.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("A report of a scan")
@MainActor
struct DiscoveryTests {
    private let testbed: ToolTestbed
    private let peripheral: CBPeripheral

    init() throws {
        let world = World(seed: 1)
        world.addPeripheral(ScriptedPeripheral(name: "Thermo", services: []))
        testbed = try ToolTestbed(world)
        peripheral = try testbed.connect("Thermo").peripheral
    }

    @Test("A report without anything has the name and the identifier that are known, and is not connectable")
    func nothing() {
        let discovery = Discovery(peripheral, [:], rssi: NSNumber(value: -60))
        #expect(discovery.identifier == peripheral.identifier)
        #expect(discovery.name == peripheral.name)
        #expect(discovery.rssi == -60)
        #expect(!discovery.isConnectable)
        #expect(discovery.services.isEmpty && discovery.serviceData.isEmpty)
        #expect(discovery.manufacturerData == nil && discovery.txPower == nil)
    }

    @Test(
        "127 stands for a strength that is not known; its neighbours are strengths",
        arguments: [126, 127, 128, -127]
    )
    func strength(number: Int) {
        let discovery = Discovery(peripheral, [:], rssi: NSNumber(value: number))
        #expect(discovery.rssi == (number == 127 ? nil : number))
    }

    @Test("Each part is taken: services behind each other, the data of services in the order of their UUIDs")
    func parts() {
        let (heart, battery, other) = (CBUUID(string: "180D"), CBUUID(string: "180F"), CBUUID(string: "FFF0"))
        let data: [String: Any] = [
            CBAdvertisementDataLocalNameKey: "Advertised", CBAdvertisementDataServiceUUIDsKey: [heart],
            CBAdvertisementDataOverflowServiceUUIDsKey: [battery],
            CBAdvertisementDataServiceDataKey: [other: Data([3]), battery: Data([1]), heart: Data([2])],
            CBAdvertisementDataManufacturerDataKey: Data([0x4C, 0, 1]),
            CBAdvertisementDataIsConnectable: NSNumber(value: true),
            CBAdvertisementDataTxPowerLevelKey: NSNumber(value: -7),
        ]
        let discovery = Discovery(peripheral, data, rssi: NSNumber(value: -60))
        #expect(discovery.name == "Advertised")
        #expect(discovery.isConnectable)
        #expect(discovery.services == [heart, battery])
        #expect(discovery.serviceData.map { $0.service } == [heart, battery, other])
        #expect(discovery.serviceData.map { $0.data } == [Data([2]), Data([1]), Data([3])])
        #expect(discovery.manufacturerData == Data([0x4C, 0, 1]))
        #expect(discovery.txPower == -7)
        let identifier = peripheral.identifier.uuidString
        RunRecord.note(discovery.line.replacing(identifier, with: "IDENTIFIER"))
        RunRecord.note(discovery.object.text.replacing(identifier, with: "IDENTIFIER"))
    }
}
