// What the interface shows without being asked: weak references, options, values in dictionaries.

import BluetoothHost
import BluetoothTypes
import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("1 4 13 What the interface shows")
struct ObservableTests {
    @Test("1.2 delegates and owners are weak")
    func weakOwners() throws {
        let talk = Conversation()
        var services: [CBService] = []
        var characteristics: [CBCharacteristic] = []
        var descriptors: [CBDescriptor] = []
        do {
            let (peripheral, _, answer) = try talk.discover()
            peripheral.discoverDescriptors(for: answer)
            talk.testbed.run { answer.descriptors != nil }
            services = peripheral.services ?? []
            characteristics = services[0].characteristics ?? []
            descriptors = answer.descriptors ?? []
            #expect(services[0].peripheral === peripheral)
            #expect(characteristics.allSatisfy { $0.service === services[0] })
            #expect(descriptors.allSatisfy { $0.characteristic === answer })
            final class Passing: NSObject, CBPeripheralDelegate {}
            peripheral.delegate = Passing()
            #expect(peripheral.delegate == nil)
        }
        CapturedLog().capture { talk.central.found = [] }
        #expect(services[0].peripheral == nil)
        talk.testbed.run()
        services = []
        #expect(characteristics.allSatisfy { $0.service == nil })
        characteristics = []
        #expect(descriptors.allSatisfy { $0.characteristic == nil })
    }

    @Test("1.4 authorization can be asked without a manager, of each class")
    func authorization() {
        #expect(CBManager.authorization == .allowedAlways)
        #expect(CBPeripheralManager.authorization == .allowedAlways)
    }

    @Test("1.10 the option of the power alert is taken, without an alert")
    func powerAlert() {
        let testbed = Testbed()
        let central = CentralApp(on: testbed.adapter("One"), options: [CBCentralManagerOptionShowPowerAlertKey: true])
        let manager = CBPeripheralManager(
            delegate: nil,
            queue: nil,
            options: [
                CBPeripheralManagerOptionShowPowerAlertKey: NSNumber(value: false),
                BluetoothAdapter.optionKey: testbed.adapter("Two"),
            ]
        )
        testbed.run()
        #expect(central.calls == ["state 5"])
        #expect(manager.state == .poweredOn)
    }

    @Test("4.1 a new scan takes the place of the last one, filter and options")
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

    @Test("4.6 the keys that Apple does not document: time and PHYs")
    func otherKeys() throws {
        let talk = Conversation()
        talk.central.manager.scanForPeripherals(withServices: nil)
        talk.testbed.run { !talk.central.found.isEmpty }
        let advertisement = try #require(talk.central.advertisements.first)
        let time = try #require(advertisement["kCBAdvDataTimestamp"] as? NSNumber)
        #expect(time.doubleValue > 0)
        #expect(advertisement["kCBAdvDataRxPrimaryPHY"] as? NSNumber == 1)
        #expect(advertisement["kCBAdvDataRxSecondaryPHY"] as? NSNumber == 0)
    }

    @Test("4.5 a strength that was not measured is 127")
    func unmeasuredStrength() {
        var scanning = DiscoveryReports(identities: IdentityStore(randomness: .seeded(1)))
        var strengths: [NSNumber] = []
        scanning.receive(
            AdvertisingReport(
                address: DeviceAddress(0xC000_0000_0001, kind: .random),
                isConnectable: true,
                isScannable: false,
                isScanResponse: false,
                data: ByteBuffer(),
                rssi: nil
            ),
            for: [Scan(session: 1, number: 1, filter: ScanFilter())],
            now: .uptimeNanoseconds(0),
            timestamp: 1
        ) { strengths.append($1.rssi.number) }
        #expect(strengths == [127])
    }

    @Test("4.9 stopping is not reported, nor is an advertisement that is on its way")
    func stopInsideDiscovery() throws {
        let talk = Conversation()
        let second = PeripheralApp(on: talk.testbed.adapter("Second"))
        talk.testbed.run { second.manager.state == .poweredOn }
        second.open(name: "Second")
        talk.testbed.run(.milliseconds(1))
        let manager: CBCentralManager = talk.central.manager
        talk.central.onCall = { [unowned central = talk.central] call in
            guard call.hasPrefix("discover") else { return }
            #expect(central.manager.isScanning)
            central.manager.stopScan()
            #expect(!central.manager.isScanning)
        }
        manager.scanForPeripherals(withServices: nil)
        #expect(manager.isScanning)
        talk.testbed.run(.seconds(5))
        #expect(talk.central.calls.count { $0.hasPrefix("discover") } == 1)
    }

    @Test("5.3 a peripheral of another manager is not taken, and nothing happens to it")
    func foreignPeripheral() throws {
        let talk = Conversation()
        let peripheral = try talk.connect()
        let other = CentralApp(on: talk.centralAdapter)
        talk.testbed.run { other.manager.state == .poweredOn }
        let lines = CapturedLog()
        lines.capture {
            other.manager.connect(peripheral)
            other.manager.cancelPeripheralConnection(peripheral)
        }
        talk.testbed.run(.seconds(1))
        #expect(lines.all.count == 2)
        #expect(other.calls == ["state 5"])
        #expect(peripheral.state == .connected)
    }

    @Test("5.4 nothing is retrieved while Bluetooth is off; the same objects are when it is on again")
    func retrievalWhileOff() throws {
        let talk = Conversation()
        let (peripheral, _, _) = try talk.discover()
        let manager: CBCentralManager = talk.central.manager
        talk.centralAdapter.setPowered(false)
        talk.testbed.run()
        CapturedLog().capture {
            #expect(manager.retrievePeripherals(withIdentifiers: [peripheral.identifier]).isEmpty)
            #expect(manager.retrieveConnectedPeripherals(withServices: [IDs.service]).isEmpty)
        }
        talk.centralAdapter.setPowered(true)
        talk.testbed.run { manager.state == .poweredOn }
        #expect(manager.retrievePeripherals(withIdentifiers: [peripheral.identifier]).first === peripheral)
        #expect(manager.retrieveConnectedPeripherals(withServices: [IDs.service]).isEmpty)
    }

    @Test("6.7 of two disconnect methods in one delegate the newer one is called, as Swift cannot see which exist")
    func bothMethods() throws {
        let talk = Conversation()
        let listener = DisconnectListener()
        let manager = talk.centralAdapter.run { CBCentralManager(delegate: listener, queue: nil) }
        talk.testbed.run { listener.found != nil }
        let peripheral = try #require(listener.found)
        manager.connect(peripheral)
        talk.testbed.run { peripheral.state == .connected }
        manager.cancelPeripheralConnection(peripheral)
        talk.testbed.run { peripheral.state == .disconnected }
        #expect(listener.calls == ["connect", "disconnect false 0 true"])
    }

    @Test("7.2 7.11 hidden services are not found by asking for them either")
    func hiddenByName() throws {
        let talk = Conversation()
        let peripheral = try talk.connect()
        peripheral.discoverServices([CBUUID(string: "1800"), CBUUID(string: "1801"), IDs.service])
        talk.testbed.run { peripheral.services != nil }
        #expect(peripheral.services?.map(\.uuid) == [IDs.service])
    }

    @Test("7.12 A6 what was asked of a service that changes meanwhile is refused, its successor hears nothing of it")
    func successor() throws {
        let talk = Conversation()
        let (peripheral, question, answer) = try talk.discover()
        talk.testbed.run()
        talk.ball.onRequests = { _ in }
        talk.central.calls = []
        peripheral.writeValue("hold".octets, for: question, type: .withResponse)
        peripheral.readValue(for: answer)
        peripheral.discoverDescriptors(for: answer)
        talk.testbed.run()
        // The same service comes back at the same handles.
        talk.ball.manager.remove(talk.ball.ball)
        talk.ball.manager.add(talk.ball.ball)
        talk.testbed.run { talk.central.count("modified \(IDs.service.uuidString)") > 0 }
        talk.ball.onRequests = nil
        talk.ball.manager.respond(to: talk.ball.requests[0], withResult: .success)
        peripheral.discoverServices(nil)
        talk.testbed.run { peripheral.services?.count == 1 }
        talk.testbed.run()
        let end = try #require(talk.central.calls.firstIndex { $0.hasPrefix("modified") })
        #expect(
            Array(talk.central.calls[..<end]) == [
                "wrote CBATTErrorDomain 1", "value CBATTErrorDomain 1", "descriptors -1 CBATTErrorDomain 1",
            ]
        )
        #expect(talk.central.calls[end...].allSatisfy { $0.hasPrefix("modified") || $0 == "services 1" })
        #expect(talk.central.calls.last == "services 1")
    }

    @Test("13.2 events come for services as they become known, once, and end with nil or with Bluetooth")
    func connectionEvents() throws {
        let talk = Conversation()
        let watcher = CentralApp(on: talk.centralAdapter)
        talk.testbed.run { watcher.manager.state == .poweredOn }
        watcher.manager.registerForConnectionEvents(options: [:])
        talk.testbed.run()
        let peripheral = try talk.connect()
        #expect(watcher.calls == ["state 5"], "nothing was asked for")
        watcher.manager.registerForConnectionEvents(options: [
            .serviceUUIDs: [IDs.service, IDs.other], .peripheralUUIDs: [UUID()],
        ])
        talk.testbed.run()
        peripheral.discoverServices([IDs.service])
        talk.testbed.run { peripheral.services != nil }
        peripheral.discoverServices(nil)
        talk.testbed.run()
        #expect(watcher.calls == ["state 5", "event 1"])
        let seen = try #require(watcher.found.first)
        #expect(seen !== peripheral && seen.identifier == peripheral.identifier)
        #expect(seen.state == .disconnected)
    }

    @Test("5.3 an attribute of another kind at the same handles is another object")
    func otherAttributes() throws {
        let talk = Conversation()
        let (peripheral, _, answer) = try talk.discover()
        let service = try #require(peripheral.services?.first)
        let handles = try #require(service.handles)
        func object(_ uuid: BluetoothUUID) -> CBService {
            peripheral.lock.withLock {
                peripheral.object(of: GATTRemoteService(uuid: uuid, handles: handles, isPrimary: true))
            }
        }
        #expect(object(IDs.service.value) === service)
        #expect(object(IDs.other.value) !== service)
        let discovery = DescriptorDiscovery(characteristic: try #require(answer.record))
        func descriptor(_ uuid: BluetoothUUID) -> CBDescriptor? {
            let record = GATTRemoteDescriptor(uuid: uuid, handle: handles.upperBound)
            discovery.apply(.success([record]), to: peripheral)
            return answer.descriptors?.first
        }
        let first = descriptor(0x2902)
        #expect(first != nil && descriptor(0x2902) === first)
        #expect(descriptor(0x2904) !== first)
    }

    @Test("10.6 a central's longest update follows its MTU")
    func changedMTU() throws {
        let talk = Conversation()
        let (_, _, answer) = try talk.discover()
        answer.service?.peripheral?.setNotifyValue(true, for: answer)
        talk.testbed.run { answer.isNotifying }
        let central = try #require(talk.ball.centrals.first)
        let link = try #require(central.link)
        #expect(central.maximumUpdateValueLength == 512)
        var events = [PeripheralEvent.centralChangedMTU(link, 100, ReceiveWindow())]
        talk.ball.manager.receive(&events)
        #expect(central.maximumUpdateValueLength == 97)
    }
}
