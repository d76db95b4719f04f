import NIOCore
import Testing

@testable import CoreBluetooth

@Suite("4 Scanning")
struct ScanningTests {
    @Test("4.2 4.5 reports a device once, with its scan response and its strength")
    func coalesced() throws {
        let talk = Conversation { $0.open(name: "Crystal_10") }
        talk.central.manager.scanForPeripherals(withServices: [IDs.service])
        #expect(talk.central.manager.isScanning)
        talk.testbed.run(.seconds(5))
        // The name is in the scan response, and known at the first report.
        #expect(talk.central.calls == ["state 5", "discover Crystal_10"])
        let advertisement = try #require(talk.central.advertisements.first)
        #expect(advertisement[CBAdvertisementDataLocalNameKey] as? String == "Crystal_10")
        #expect(advertisement[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] == [IDs.service])
        #expect(advertisement[CBAdvertisementDataIsConnectable] as? Bool == true)
        #expect(talk.central.found[0].name == "Crystal_10")
        #expect(talk.central.found[0].state == .disconnected)
        #expect((-60 ... -20).contains(talk.central.rssi[0].intValue))
    }

    @Test("4.3 waits for the new scan response in a later scan, and after the adapter was off")
    func forgotten() {
        // Names of ten octets, which are in the scan response.
        let names = ["Crystal_10", "Brass_four", "Tin_number"]
        let talk = Conversation { $0.open(name: names[0]) }
        for (index, name) in names.enumerated() {
            if index > 0 {
                if index == 1 { talk.central.manager.stopScan() } else { talk.centralAdapter.setPowered(false) }
                talk.ball.manager.stopAdvertising()
                talk.ball.advertise(name: name)
                talk.testbed.run(.seconds(1))
                talk.centralAdapter.setPowered(true)
                talk.testbed.run { talk.central.manager.state == .poweredOn }
            }
            talk.central.manager.scanForPeripherals(withServices: nil)
            talk.testbed.run { talk.central.advertisements.count == index + 1 }
        }
        #expect(talk.central.advertisements.map { $0[CBAdvertisementDataLocalNameKey] as? String } == names)
    }

    @Test("4.8 finds services in the overflow area")
    func overflow() throws {
        let talk = Conversation { ball in
            ball.open(name: "C", services: [IDs.service, IDs.question, IDs.answer])
        }
        talk.central.manager.scanForPeripherals(withServices: [IDs.answer])
        #expect(talk.testbed.run { !talk.central.found.isEmpty })
        let advertisement = try #require(talk.central.advertisements.first)
        #expect(advertisement[CBAdvertisementDataOverflowServiceUUIDsKey] as? [CBUUID] == [IDs.answer])
        #expect(advertisement[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] == [IDs.service])
        #expect(advertisement[CBAdvertisementDataManufacturerDataKey] == nil)
    }

    @Test("scans for each manager separately")
    func managers() {
        let talk = Conversation()
        let other = talk.testbed.central(on: talk.centralAdapter)
        talk.central.manager.scanForPeripherals(withServices: [IDs.other])
        talk.testbed.run(.seconds(1))
        other.manager.scanForPeripherals(withServices: [IDs.service])
        talk.testbed.run(.seconds(1))
        #expect(talk.central.found.isEmpty)
        #expect(other.found.count == 1)
        talk.central.manager.stopScan()
        other.manager.scanForPeripherals(withServices: nil)
        talk.testbed.run(.seconds(1))
        #expect(other.count("discover Crystal") == 2)
    }

    @Test("4.1 replaces the filter and options of the previous scan")
    func replacedScan() throws {
        let talk = Conversation()
        let manager: CBCentralManager = talk.central.manager
        manager.scanForPeripherals(
            withServices: [IDs.other],
            options: [CBCentralManagerScanOptionAllowDuplicatesKey: true]
        )
        talk.testbed.run(.seconds(2))
        #expect(talk.central.found.isEmpty)
        manager.scanForPeripherals(withServices: [IDs.service])
        talk.testbed.run(.seconds(2))
        #expect(talk.central.count("discover Crystal") == 1)
        manager.scanForPeripherals(
            withServices: [],
            options: [CBCentralManagerScanOptionAllowDuplicatesKey: NSNumber(value: true)]
        )
        talk.testbed.run(.seconds(2))
        #expect(talk.central.count("discover Crystal") > 5)
    }

    @Test("4.9 stops inside a discovery callback")
    func stopInsideDiscovery() throws {
        let balls = try TwoBalls()
        let central = balls.talk.central
        central.calls = []
        central.onCall = { [unowned central] call in
            #expect(central.manager.isScanning)
            central.manager.stopScan()
            #expect(!central.manager.isScanning)
        }
        central.manager.scanForPeripherals(withServices: nil)
        #expect(central.manager.isScanning)
        balls.talk.testbed.run(.seconds(5))
        #expect(central.calls.count == 1 && central.calls[0].hasPrefix("discover"))
    }
}
