import BluetoothAir
import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import Dispatch
import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("4 Scanning")
struct ScanningTests {
    @Test("4.2 several sightings are one didDiscover, with the merged data")
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
    }

    @Test("4.5 RSSI is a number of dBm: 1 m is inside the window of the 8-ball")
    func rssi() {
        let talk = Conversation()
        talk.central.manager.scanForPeripherals(withServices: nil)
        talk.testbed.run { !talk.central.found.isEmpty }
        #expect((-60 ... -20).contains(talk.central.rssi[0].intValue))
    }

    @Test("4.1 only advertisers of one of the services are reported; nil and an empty list mean all")
    func filter() {
        let talk = Conversation()
        talk.central.manager.scanForPeripherals(withServices: [CBUUID(string: "180D"), CBUUID(string: "180F")])
        talk.testbed.run(.seconds(3))
        #expect(talk.central.found.isEmpty)
        talk.central.manager.scanForPeripherals(withServices: [CBUUID(string: "180D"), IDs.service])
        talk.testbed.run(.seconds(1))
        #expect(talk.central.count("discover Crystal") == 1)
        talk.central.manager.scanForPeripherals(withServices: [])
        talk.testbed.run(.seconds(1))
        #expect(talk.central.count("discover Crystal") == 2)
    }

    @Test("4.3 starting anew reports everything again")
    func restart() {
        let talk = Conversation()
        for round in 1...3 {
            talk.central.manager.scanForPeripherals(withServices: nil)
            talk.testbed.run(.seconds(1))
            #expect(talk.central.count("discover Crystal") == round)
        }
        #expect(talk.central.found.count == 1)
    }

    @Test("4.3 what was heard before is not taken for what a device says now: a later scan waits for its new name")
    func forgotten() {
        // Names of ten octets, which are in the scan response.
        let talk = Conversation { $0.open(name: "Crystal_10") }
        talk.central.manager.scanForPeripherals(withServices: nil)
        talk.testbed.run { !talk.central.found.isEmpty }
        talk.central.manager.stopScan()
        talk.testbed.run(.seconds(1))
        talk.ball.manager.stopAdvertising()
        talk.ball.advertise(name: "Brass_four")
        talk.testbed.run(.seconds(1))
        talk.central.manager.scanForPeripherals(withServices: nil)
        talk.testbed.run { talk.central.advertisements.count == 2 }
        let names = talk.central.advertisements.map { $0[CBAdvertisementDataLocalNameKey] as? String }
        #expect(names == ["Crystal_10", "Brass_four"])
        // Nor after the adapter was off.
        talk.centralAdapter.setPowered(false)
        talk.ball.manager.stopAdvertising()
        talk.ball.advertise(name: "Tin_number")
        talk.testbed.run(.seconds(1))
        talk.centralAdapter.setPowered(true)
        talk.testbed.run { talk.central.manager.state == .poweredOn }
        talk.central.manager.scanForPeripherals(withServices: nil)
        talk.testbed.run { talk.central.advertisements.count == 3 }
        #expect(talk.central.advertisements.last?[CBAdvertisementDataLocalNameKey] as? String == "Tin_number")
    }

    @Test("4.2 AllowDuplicates reports each packet")
    func duplicates() {
        let talk = Conversation()
        talk.central.manager.scanForPeripherals(
            withServices: nil,
            options: [CBCentralManagerScanOptionAllowDuplicatesKey: NSNumber(value: true)]
        )
        talk.testbed.run(.seconds(2))
        #expect(talk.central.count("discover Crystal") > 10)
        #expect(talk.central.found.count == 1)
    }

    @Test(
        "an option is on where its value is true or a number but 0, and off where it is anything else",
        arguments: ["true", "false", "1", "0", "text"]
    )
    func optionValues(name: String) {
        let values: [String: Any] = [
            "true": true, "false": false, "1": NSNumber(value: 1), "0": NSNumber(value: 0), "text": "true",
        ]
        let talk = Conversation()
        talk.central.manager.scanForPeripherals(
            withServices: nil,
            options: [CBCentralManagerScanOptionAllowDuplicatesKey: values[name] as Any]
        )
        talk.testbed.run(.seconds(3))
        #expect((talk.central.count("discover Crystal") > 1) == ["true", "1"].contains(name))
    }

    @Test("4.9 after stopScan nothing is reported")
    func stop() {
        let talk = Conversation()
        talk.central.manager.scanForPeripherals(withServices: nil)
        talk.testbed.run { !talk.central.found.isEmpty }
        talk.central.manager.stopScan()
        #expect(!talk.central.manager.isScanning)
        let other = PeripheralApp(on: talk.testbed.adapter("Second"))
        talk.testbed.run { other.manager.state == .poweredOn }
        other.open(name: "Second")
        talk.testbed.run(.seconds(3))
        #expect(talk.central.found.count == 1)
    }

    @Test("4.8 services in the overflow area are found by those who look for them")
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

    @Test("several managers of an adapter scan each for itself")
    func managers() {
        let talk = Conversation()
        let other = CentralApp(on: talk.centralAdapter)
        talk.testbed.run { other.manager.state == .poweredOn }
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
        // The end of a manager is none for the others.
        let third = CentralApp(on: talk.centralAdapter)
        talk.testbed.run { third.manager.state == .poweredOn }
        third.end()
        talk.testbed.run(.milliseconds(1))
        other.manager.scanForPeripherals(withServices: nil)
        talk.testbed.run(.seconds(1))
        #expect(other.count("discover Crystal") == 3)
    }

    @Test("2 AllowDuplicates on the main queue is warned of, in real time")
    func mainQueueWarning() {
        let adapter = PrivateAir().makeAdapter()
        let main = CBCentralManager(delegate: nil, queue: nil, options: [BluetoothAdapter.optionKey: adapter])
        main.setState(.poweredOn)
        let other = CBCentralManager(
            delegate: nil,
            queue: DispatchQueue(label: "reports"),
            options: [BluetoothAdapter.optionKey: adapter]
        )
        other.setState(.poweredOn)
        let lines = CapturedLog()
        lines.capture {
            main.scanForPeripherals(withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: false])
            other.scanForPeripherals(withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
        }
        #expect(lines.all.isEmpty, "without duplicates, or with a queue of its own, there is nothing to warn of")
        lines.capture {
            main.scanForPeripherals(withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
        }
        #expect(lines.all.count == 1)
        #expect(
            lines.all.first?.hasSuffix(
                """
                is disabling duplicate filtering, but is using the default queue (main thread) for delegate events
                """
            ) == true
        )
    }
}
