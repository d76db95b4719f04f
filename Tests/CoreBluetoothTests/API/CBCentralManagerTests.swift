import BluetoothHost
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("Options of a central manager")
struct CBCentralManagerTests {
    /// Takes what a manager has asked its session for.
    private func commands(of manager: CBCentralManager) -> [CentralCommand] {
        var commands: [CentralCommand] = []
        manager.context.commands.drain { commands += $0 }
        return commands
    }

    /// An app that is powered on, alone on its air.
    private let app: CentralApp

    init() {
        let testbed = Testbed()
        self.app = testbed.central(on: testbed.adapter("Curious"))
    }

    @Test("4.1 scans for the given services and options, ignoring empty lists and other types")
    func scans() {
        let manager: CBCentralManager = self.app.manager
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

    @Test("6.8 13.3 connects once with the given options, ignores those of an iPhone, and limits a delay to one day")
    func connections() throws {
        let talk = Conversation()
        let peripheral = try talk.find()
        #expect(!peripheral.ancsAuthorized && !CBCentralManager.supports(.channelSounding))
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
            ([CBConnectPeripheralOptionRequiresANCS: true], "false nil 0"),
            ([CBConnectPeripheralOptionEnableTransportBridgingKey: true], "false nil 0"),
            ([connection: true, notification: NSNumber(value: 1), disconnection: false], "false nil 5"),
            ([delay: NSNumber(value: 0.5)], "false 500000000 0"), ([delay: NSNumber(value: 0)], "false nil 0"),
            ([delay: NSNumber(value: -1)], "false nil 0"), ([delay: "3"], "false nil 0"),
            ([delay: NSNumber(value: 86_400), reconnect: true], "true 86400000000000 0"),
            ([delay: NSNumber(value: 86_401)], "false 86400000000000 0"),
            ([delay: NSNumber(value: 0.25)], "false 250000000 0"),
        ]
        for (index, (options, expected)) in table.enumerated() {
            manager.connect(peripheral, options: options)
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

    @Test("13.2 registers for events of all, of some or of no connections")
    func connectionEvents() {
        let manager: CBCentralManager = self.app.manager
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
}
