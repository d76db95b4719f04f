import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Foundation
import TerminalScreen
import Testing

@testable import CoreBluetoothCommand

extension ScannedDevice {
    /// An identifier that ends with a number.
    static func identifier(_ number: Int) -> UUID {
        UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(number)))
    }

    /// A device with every part.
    static var heart: ScannedDevice {
        ScannedDevice(
            identifier: identifier(1),
            name: "Heart",
            rssi: -61,
            services: [
                CBUUID(string: "180D"), CBUUID(string: "6E400001-B5A3-F393-E0A9-E50E24DCCA9E"), CBUUID(string: "FFF0"),
            ],
            manufacturerData: Data([0x4C, 0x00, 0x02, 0x15]),
            serviceData: [(CBUUID(string: "180F"), Data([0x57]))],
            txPower: 4
        )
    }
}

@Suite("A report of a scan")
@MainActor
struct ScannedDeviceTests {
    @Test("is a line with the identifier, strength and name first, and names for the rest")
    func line() {
        #expect(
            ScannedDevice.heart.line
                == "00000000-0000-0000-0000-000000000001  -61 dBm  \"Heart\"; Heart Rate, Nordic UART, FFF0; "
                + "Apple 02 15; Battery: 57"
        )
        let faint = ScannedDevice(
            identifier: ScannedDevice.identifier(2),
            isConnectable: false,
            manufacturerData: Data([0x12, 0x34])
        )
        #expect(
            faint.line
                == "00000000-0000-0000-0000-000000000002  ? dBm  (no name), not connectable; company 0x3412"
        )
        var shortened = ScannedDevice(identifier: ScannedDevice.identifier(2), name: "Thermomet", rssi: -61)
        shortened.isNameShortened = true
        #expect(shortened.line.hasSuffix(#"  -61 dBm  "Thermomet" (shortened)"#))
        let broken = ScannedDevice(
            identifier: ScannedDevice.identifier(3),
            name: "a\u{1B}[2Jb",
            manufacturerData: Data([0x12])
        )
        #expect(!broken.line.unicodeScalars.contains("\u{1B}"))
        #expect(broken.line.hasSuffix("; 12"))
    }

    @Test("is one JSON object with every part")
    func json() throws {
        let text = ScannedDevice.heart.object.text
        #expect(!text.contains("\n"))
        let object = try jsonObject(text)
        #expect(object["event"] as? String == "discovered")
        #expect(object["rssi"] as? Int == -61 && object["nameIsShortened"] as? Bool == false)
        #expect(object["txPower"] as? Int == 4)
        #expect(object["connectable"] as? Bool == true)
        let services = try #require(object["services"] as? [[String: Any]])
        #expect(services.map { $0["service"] as? String } == ["180D", "6E400001-B5A3-F393-E0A9-E50E24DCCA9E", "FFF0"])
        #expect(services.map { $0["name"] as? String } == ["Heart Rate", "Nordic UART", nil])
        let manufacturer = try #require(object["manufacturer"] as? [String: Any])
        #expect(manufacturer["company"] as? Int == 0x4C)
        #expect(manufacturer["name"] as? String == "Apple")
        #expect(manufacturer["hex"] as? String == "0215")
        let serviceData = try #require(object["serviceData"] as? [[String: Any]])
        #expect(serviceData.map { $0["service"] as? String } == ["180F"])
        #expect(serviceData.map { $0["hex"] as? String } == ["57"])
        let device = try #require(object["device"] as? [String: Any])
        #expect(device["identifier"] as? String == ScannedDevice.heart.identifier.uuidString)
    }

    @Test("says in words and in JSON that it is a beacon")
    func beacons() throws {
        let octets = Data([0x4C, 0, 2, 0x15] + (0..<16).map { $0 } + [0, 1, 0, 2, 0xC5])
        let near = ScannedDevice(identifier: ScannedDevice.identifier(1), rssi: -50, manufacturerData: octets)
        let words = "iBeacon 00010203-0405-0607-0809-0A0B0C0D0E0F, major 1, minor 2, -59 dBm at 1 m"
        #expect(near.line.hasSuffix("(no name); Apple, \(words)") && near.contentWords == "Apple, \(words)")
        let frame = Data([0x10, 0xEE, 3] + Array("example".utf8) + [7])
        let service = CBUUID(string: "FEAA")
        let page = ScannedDevice(identifier: ScannedDevice.identifier(2), serviceData: [(service, frame)])
        let url = "Eddystone-URL https://example.com, -18 dBm at 0 m"
        #expect(page.line.hasSuffix("; \(UUIDText.name(ofService: service)): \(url)") && page.contentWords == url)
        let schema = try JSONSchema("output.schema.json")
        for (device, kind) in [(near, "iBeacon"), (page, "Eddystone-URL")] {
            let object = try jsonObject(device.object.text)
            #expect((object["beacon"] as? [String: Any])?["kind"] as? String == kind)
            #expect(schema.problem(object, as: "discovered") == nil)
        }
    }

    @Test("keeps the parts of an earlier report that it lacks")
    func merging() {
        var known = ScannedDevice.heart
        known.merge(ScannedDevice(identifier: ScannedDevice.identifier(1)))
        #expect(known.line == ScannedDevice.heart.line)
        known.time = Date(timeIntervalSinceReferenceDate: 0)
        var heart = ScannedDevice.heart
        heart.time = known.time
        #expect(known.object.text == heart.object.text)
        #expect(heart.object.text.contains(#""time":"2001-01-01T00:00:00.000Z""#))
        known.merge(ScannedDevice(identifier: ScannedDevice.identifier(1), rssi: -40, isConnectable: false))
        #expect(known.rssi == -40 && !known.isConnectable)
    }

    // MARK: What a delegate gets

    private let testbed: ToolTestbed

    private let peripheral: CBPeripheral

    init() throws {
        let world = World(seed: 1)
        world.addPeripheral(ScriptedPeripheral(name: "Thermo", services: []))
        testbed = try ToolTestbed(world)
        peripheral = try testbed.connect("Thermo").peripheral
    }

    @Test("has the known name and identifier, and is not connectable, if it says nothing")
    func nothing() {
        let discovery = ScannedDevice(peripheral, [:], rssi: NSNumber(value: -60))
        #expect(discovery.identifier == peripheral.identifier)
        #expect(discovery.name == peripheral.name)
        #expect(discovery.rssi == -60)
        #expect(!discovery.isConnectable)
        #expect(discovery.services.isEmpty && discovery.serviceData.isEmpty)
        #expect(discovery.manufacturerData == nil && discovery.txPower == nil)
    }

    @Test(
        "has no strength at 127",
        arguments: [126, 127, 128, -127]
    )
    func strength(number: Int) {
        let discovery = ScannedDevice(peripheral, [:], rssi: NSNumber(value: number))
        #expect(discovery.rssi == (number == 127 ? nil : number))
    }

    @Test("has its services behind each other, and the data of services in the order of their UUIDs")
    func parts() {
        let (heart, battery, other) = (CBUUID(string: "180D"), CBUUID(string: "180F"), CBUUID(string: "FFF0"))
        let data: [String: Any] = [
            CBAdvertisementDataLocalNameKey: "Advertised", isLocalNameShortenedKey: true,
            CBAdvertisementDataServiceUUIDsKey: [heart],
            CBAdvertisementDataOverflowServiceUUIDsKey: [battery],
            CBAdvertisementDataServiceDataKey: [other: Data([3]), battery: Data([1]), heart: Data([2])],
            CBAdvertisementDataManufacturerDataKey: Data([0x4C, 0, 1]),
            CBAdvertisementDataIsConnectable: NSNumber(value: true),
            CBAdvertisementDataTxPowerLevelKey: NSNumber(value: -7),
        ]
        let discovery = ScannedDevice(peripheral, data, rssi: NSNumber(value: -60))
        #expect(discovery.name == "Advertised" && discovery.isNameShortened)
        var known = discovery
        known.merge(ScannedDevice(identifier: discovery.identifier))
        #expect(known.isNameShortened && known.object.text.contains(#""nameIsShortened":true"#))
        known.merge(ScannedDevice(identifier: discovery.identifier, name: "Advertised by all"))
        #expect(!known.isNameShortened)
        #expect(discovery.isConnectable)
        #expect(discovery.services == [heart, battery])
        #expect(discovery.serviceData.map { $0.service } == [heart, battery, other])
        #expect(discovery.serviceData.map { $0.data } == [Data([2]), Data([1]), Data([3])])
        #expect(discovery.manufacturerData == Data([0x4C, 0, 1]))
        #expect(discovery.txPower == -7)
    }
}
