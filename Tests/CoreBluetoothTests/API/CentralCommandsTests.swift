// What the calls of a central manager and of its peripherals ask of the session: every option by itself, its default,
// and its exact edge.

import BluetoothHost
import BluetoothTypes
import Fixtures
import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("Commands of a central manager")
struct CentralCommandsTests {
    /// What a manager has asked its session for, which does not get it.
    private func commands(of manager: CBCentralManager) -> [CentralCommand] {
        var commands: [CentralCommand] = []
        manager.context.commands.drain { commands += $0 }
        return commands
    }

    private let testbed = Testbed()

    /// An app that is powered on, alone on its air.
    private func central() -> CentralApp {
        let app = CentralApp(on: self.testbed.adapter("Curious"))
        self.testbed.run { app.manager.state == .poweredOn }
        return app
    }

    @Test("4.1 a scan's services and options; an empty list of services is none, and another type is no option")
    func scans() {
        let app = self.central()
        let manager: CBCentralManager = app.manager
        let (services, solicited, duplicates) = (
            [IDs.service, IDs.other], CBCentralManagerScanOptionSolicitedServiceUUIDsKey,
            CBCentralManagerScanOptionAllowDuplicatesKey
        )
        let values = services.map(\.value)
        let table: [([CBUUID]?, [String: Any]?, ScanFilter)] = [
            (nil, nil, ScanFilter()), ([], [:], ScanFilter()), (services, nil, ScanFilter(services: values)),
            (nil, [solicited: services], ScanFilter(solicitedServices: values)),
            (services, [solicited: [CBUUID]()], ScanFilter(services: values)),
            (nil, [solicited: "FFF0"], ScanFilter()),
            (nil, [duplicates: true], ScanFilter(allowsDuplicates: true)),
            (nil, [duplicates: NSNumber(value: 2)], ScanFilter(allowsDuplicates: true)),
            (nil, [duplicates: false], ScanFilter()), (nil, [duplicates: "yes"], ScanFilter()),
            (
                services, [solicited: services, duplicates: NSNumber(value: true)],
                ScanFilter(services: values, solicitedServices: values, allowsDuplicates: true)
            ),
        ]
        for (index, (services, options, filter)) in table.enumerated() {
            manager.scanForPeripherals(withServices: services, options: options)
            let scans = self.commands(of: manager).compactMap { command -> ScanFilter? in
                guard case .scan(let asked) = command else { return nil }
                return asked
            }
            #expect(scans == [filter], "\(index)")
            #expect(manager.isScanning)
        }
        manager.stopScan()
        #expect(!manager.isScanning && self.commands(of: manager).count == 1)
    }

    @Test("6.8 13.3 each option of a connection by itself, and what a delay may be")
    func connections() throws {
        let talk = Conversation()
        let peripheral = try talk.find()
        let manager: CBCentralManager = talk.central.manager
        manager.stopScan()
        talk.testbed.run()
        let (delay, reconnect, connection, disconnection, notification) = (
            CBConnectPeripheralOptionStartDelayKey, CBConnectPeripheralOptionEnableAutoReconnect,
            CBConnectPeripheralOptionNotifyOnConnectionKey, CBConnectPeripheralOptionNotifyOnDisconnectionKey,
            CBConnectPeripheralOptionNotifyOnNotificationKey
        )
        let table: [([String: Any]?, String)] = [
            (nil, "false nil 0"), ([:], "false nil 0"), ([reconnect: true], "true nil 0"),
            ([reconnect: NSNumber(value: false)], "false nil 0"), ([connection: true], "false nil 1"),
            ([disconnection: true], "false nil 2"), ([notification: true], "false nil 4"),
            ([connection: true, notification: NSNumber(value: 1), disconnection: false], "false nil 5"),
            ([delay: NSNumber(value: 0.5)], "false 500000000 0"), ([delay: NSNumber(value: 0)], "false nil 0"),
            ([delay: NSNumber(value: -1)], "false nil 0"), ([delay: "3"], "false nil 0"),
            ([delay: NSNumber(value: 86_400), reconnect: true], "true 86400000000000 0"),
            ([delay: NSNumber(value: 86_401)], "false 86400000000000 0"),
            ([delay: NSNumber(value: 0.25)], "false 250000000 0"),
        ]
        for (index, (options, expected)) in table.enumerated() {
            manager.connect(peripheral, options: options)
            // It is asked for once.
            manager.connect(peripheral, options: options)
            let found = self.commands(of: manager).map { command -> String in
                guard case .connect(let id, let identifier, let address, let options) = command else { return "other" }
                #expect(id == peripheral.connectionID && identifier == peripheral.identifier)
                #expect(address == peripheral.address && id.attempt == UInt32(index + 1))
                let delay = options.delay.map { "\($0.nanoseconds)" } ?? "nil"
                return "\(options.reconnectsByItself) \(delay) \(options.alerts.rawValue)"
            }
            #expect(found == [expected], "\(index)")
            manager.cancelPeripheralConnection(peripheral)
            manager.cancelPeripheralConnection(peripheral)
            #expect(self.commands(of: manager).count == 1 && peripheral.state == .disconnecting)
        }
    }

    @Test("13.2 whose connections an app wants to hear of: of all, of some, of none any more")
    func connectionEvents() {
        let app = self.central()
        let manager: CBCentralManager = app.manager
        let identifiers = [UUID(random: 1, 1), UUID(random: 2, 2)]
        let table: [([CBConnectionEventMatchingOption: Any]?, String)] = [
            (nil, "nil"), ([:], "0 []"), ([.serviceUUIDs: [IDs.service, IDs.other]], "2 []"),
            ([.peripheralUUIDs: identifiers], "0 \(identifiers)"),
            ([.serviceUUIDs: "FFF0", .peripheralUUIDs: [IDs.other]], "0 []"),
            ([.serviceUUIDs: [IDs.other], .peripheralUUIDs: [identifiers[1]]], "1 \([identifiers[1]])"),
        ]
        for (options, expected) in table {
            manager.registerForConnectionEvents(options: options)
            let found = self.commands(of: manager).map { command -> String in
                guard case .registerForConnectionEvents(let filter) = command else { return "other" }
                return filter.map { "\($0.services.count) \($0.identifiers)" } ?? "nil"
            }
            #expect(found == [expected])
        }
    }

    /// A procedure as text.
    private func text(_ procedure: any PeripheralProcedure) -> String {
        func count(_ uuids: [BluetoothUUID]?) -> String { uuids.map { "\($0.count)" } ?? "all" }
        func words(_ attribute: ValueAttribute) -> String {
            switch attribute {
            case .characteristic(let handle): "characteristic \(handle)"
            case .descriptor(let handle): "descriptor \(handle)"
            }
        }
        switch procedure {
        case let discovery as ServiceDiscovery: return "services \(count(discovery.uuids))"
        case let discovery as IncludedServiceDiscovery: return "included \(discovery.service) \(count(discovery.uuids))"
        case let discovery as CharacteristicDiscovery:
            return "characteristics \(discovery.service) \(count(discovery.uuids))"
        case let discovery as DescriptorDiscovery: return "descriptors \(discovery.characteristic.valueHandle)"
        case let read as ValueRead: return "read \(words(read.attribute))"
        case let write as ValueWrite: return "write \(words(write.attribute)) \(Data(octetsOf: write.value).text)"
        case let change as SubscriptionChange:
            return "subscribe \(change.isSubscribed) \(change.characteristic.valueHandle)"
        default: return "other"
        }
    }

    @Test("7 each call of a peripheral: its procedure, its connection, and how often services were invalid before")
    func procedures() throws {
        let talk = Conversation { ball in
            ball.answer.descriptors = [CBMutableDescriptor(type: CBUUID(string: "2901"), value: "The answer")]
            ball.open()
        }
        let (peripheral, question, answer) = try talk.discover()
        peripheral.discoverDescriptors(for: answer)
        talk.testbed.run { answer.descriptors != nil }
        talk.testbed.run()
        let manager: CBCentralManager = talk.central.manager
        let service = try #require(peripheral.services?.first)
        let descriptor = try #require(answer.descriptors?.first { $0.uuid == CBUUID(string: "2901") })
        let handles = try #require(service.handles)
        let (asked, told) = (try #require(question.record?.valueHandle), try #require(answer.record?.valueHandle))
        let described = try #require(descriptor.handle)
        peripheral.invalidations = 7
        let table: [(() -> Void, String)] = [
            ({ peripheral.discoverServices(nil) }, "services all"),
            ({ peripheral.discoverServices([]) }, "services all"),
            ({ peripheral.discoverServices([IDs.other]) }, "services 1"),
            ({ peripheral.discoverIncludedServices([], for: service) }, "included \(handles) all"),
            ({ peripheral.discoverIncludedServices([IDs.other, IDs.service], for: service) }, "included \(handles) 2"),
            ({ peripheral.discoverCharacteristics(nil, for: service) }, "characteristics \(handles) all"),
            ({ peripheral.discoverCharacteristics([IDs.answer], for: service) }, "characteristics \(handles) 1"),
            ({ peripheral.discoverDescriptors(for: answer) }, "descriptors \(told)"),
            ({ peripheral.readValue(for: answer) }, "read characteristic \(told)"),
            ({ peripheral.readValue(for: descriptor) }, "read descriptor \(described)"),
            (
                { peripheral.writeValue("x".octets, for: question, type: .withResponse) },
                "write characteristic \(asked) x"
            ),
            ({ peripheral.writeValue("y".octets, for: descriptor) }, "write descriptor \(described) y"),
            ({ peripheral.setNotifyValue(true, for: answer) }, "subscribe true \(told)"),
            ({ peripheral.setNotifyValue(false, for: answer) }, "subscribe false \(told)"),
            ({ peripheral.writeValue("z".octets, for: question, type: .withoutResponse) }, "command \(asked) z"),
            ({ peripheral.readRSSI() }, "RSSI"), ({ peripheral.openL2CAPChannel(0x80) }, "channel 128"),
        ]
        for (call, expected) in table {
            call()
            let found = self.commands(of: manager).map { command -> String in
                switch command {
                case .perform(let id, let procedure, let invalidations):
                    "\(self.text(procedure)), \(id.attempt) \(invalidations)"
                case .writeWithoutResponse(let id, let handle, let value, let invalidations):
                    "command \(handle) \(Data(octetsOf: value).text), \(id.attempt) \(invalidations)"
                case .readRSSI(let id): "RSSI, \(id.attempt) 7"
                case .openChannel(let id, let psm, let invalidations): "channel \(psm), \(id.attempt) \(invalidations)"
                default: "other"
                }
            }
            #expect(found == ["\(expected), \(peripheral.connectionID.attempt) 7"])
        }
        #expect(peripheral.writeWindow.count == 1)
    }

    @Test("a notice is said once, and a thousand different ones at most")
    func notices() async {
        await #expect(processExitsWith: .success) {
            let lines = CapturedLog()
            lines.capture {
                for number in 0...1_000 { for _ in 0..<2 { Notice.once("notice \(number)") } }
            }
            precondition(lines.all == (0..<1_000).map { "[CoreBluetooth] notice \($0)" })
        }
    }
}
