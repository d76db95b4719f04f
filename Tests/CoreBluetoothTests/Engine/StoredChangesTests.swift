// What is stored of managers with a restore identifier after each change, so that the next process finds what there was
// last and nothing earlier.

import BluetoothAir
import BluetoothHCI
import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("13.1 What is stored after each change")
struct StoredChangesTests {
    @Test("of a peripheral manager: services that come and go, and its advertisement unless that is refused")
    func peripheralManager() {
        let testbed = Testbed()
        let storage = MemoryStorage()
        let source = BreakableSource(air: testbed.air)
        let adapter = BluetoothAdapter(
            eventLoop: testbed.loop,
            configuration: BluetoothAdapter.Configuration(identity: "Crystal"),
            source: source,
            storage: storage
        )
        let ball = PeripheralApp(on: adapter, options: [CBPeripheralManagerOptionRestoreIdentifierKey: "ball"])
        testbed.run { ball.manager.state == .poweredOn }
        let other = CBMutableService(type: IDs.other, primary: true)
        func stored() -> String {
            testbed.run(.milliseconds(10))
            guard let name = storage.names.first(where: { $0.hasPrefix("peripheral-") }),
                let record = storage.load(PeripheralRecord.self, from: name)
            else { return "nothing" }
            return "\(record.services.count) \(record.advertisement?.localName ?? "-")"
        }
        #expect(stored() == "nothing")
        ball.manager.add(ball.ball)
        #expect(stored() == "1 -")
        ball.manager.add(other)
        #expect(stored() == "2 -")
        ball.manager.remove(other)
        #expect(stored() == "1 -")
        let status = HCIErrorCode.commandDisallowed
        source.refused = [LESetAdvertisingEnable.opcode: status, LESetExtendedAdvertisingEnable.opcode: status]
        ball.advertise(name: "Refused")
        #expect(stored() == "1 -")
        #expect(ball.calls.last?.hasPrefix("advertising false CBErrorDomain") == true)
        source.refused = [:]
        ball.advertise(name: "Crystal")
        #expect(stored() == "1 Crystal")
        // Both outlast that Bluetooth is switched off.
        adapter.setPowered(false)
        #expect(stored() == "1 Crystal")
        adapter.setPowered(true)
        testbed.run { ball.manager.state == .poweredOn }
        #expect(stored() == "1 Crystal")
        ball.manager.stopAdvertising()
        #expect(stored() == "1 -")
        ball.advertise(name: "Again")
        #expect(stored() == "1 Again")
        ball.manager.removeAllServices()
        #expect(stored() == "0 Again")
        // Neither outlasts a reset, once that is over.
        ball.manager.add(ball.ball)
        #expect(stored() == "1 Again")
        source.breakChannel()
        testbed.loop.run()
        #expect(ball.manager.state == .resetting && !storage.names.filter { $0.hasPrefix("peripheral-") }.isEmpty)
        testbed.run { ball.manager.state == .poweredOn }
        #expect(stored() == "nothing")
    }

    @Test("of a central manager: its scan, its connections, whether each has its link, and what it has discovered")
    func centralManager() throws {
        let testbed = Testbed()
        let storage = MemoryStorage()
        let adapter = testbed.adapter("Curious", storage: storage)
        let ballAdapter = testbed.adapter("Crystal")
        let ball = PeripheralApp(on: ballAdapter)
        let central = CentralApp(on: adapter, options: [CBCentralManagerOptionRestoreIdentifierKey: "asker"])
        testbed.run { ball.manager.state == .poweredOn && central.manager.state == .poweredOn }
        ball.open()
        /// Whether there is a scan; of each peripheral whether it was connected, comes back by itself, and is known.
        func stored() -> String {
            testbed.run(.milliseconds(10))
            guard let name = storage.names.first(where: { $0.hasPrefix("central-") }),
                let record = storage.load(CentralRecord.self, from: name)
            else { return "nothing" }
            let peripherals = record.peripherals.map { peripheral in
                "\(peripheral.wasConnected) \(peripheral.reconnectsByItself) \(peripheral.attributes != nil)"
            }
            return "\(record.scan != nil) \(peripherals.joined(separator: ", "))"
        }
        #expect(stored() == "nothing")
        central.manager.scanForPeripherals(withServices: nil)
        #expect(stored() == "true ")
        try #require(testbed.run { !central.found.isEmpty })
        central.manager.stopScan()
        #expect(stored() == "nothing")
        let peripheral = central.found[0]
        for reconnects in [true, false] {
            ball.manager.stopAdvertising()
            testbed.run()
            central.manager.connect(
                peripheral,
                options: [CBConnectPeripheralOptionEnableAutoReconnect: NSNumber(value: reconnects)]
            )
            #expect(stored() == "false false \(reconnects) false")
            ball.advertise(name: "Crystal")
            try #require(testbed.run { peripheral.state == .connected })
            #expect(stored() == "false true \(reconnects) false")
            peripheral.discoverServices(nil)
            try #require(testbed.run { peripheral.services != nil })
            #expect(stored() == "false true \(reconnects) true")
            ballAdapter.setPowered(false)
            try #require(testbed.run { peripheral.state != .connected })
            #expect(stored() == (reconnects ? "false false true false" : "nothing"))
            central.manager.cancelPeripheralConnection(peripheral)
            #expect(stored() == "nothing")
            ballAdapter.setPowered(true)
            testbed.run { ball.manager.state == .poweredOn }
        }
    }
}
