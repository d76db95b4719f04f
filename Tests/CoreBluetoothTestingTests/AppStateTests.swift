// What the user and the system do to an app, as the trace tells it, and what is deferred for an app that cannot run.

import CoreBluetooth
import CoreBluetoothTesting
import Testbed
import Testing

@Suite("The states of an app")
struct AppStateTests {
    @Test("What the user and the system do with an app stands in the trace")
    func trace() {
        let world = World(seed: 1)
        let app = world.addDevice("phone").install("key") { Key() }
        let key = app.launch()
        app.authorization = .denied
        app.authorization = .allowedAlways
        app.enterBackground()
        #expect(app.launch() === key, "who is opened again comes to the foreground")
        #expect(app.state == .foreground)
        app.enterBackground()
        world.advance(by: .seconds(10))
        app.terminate()
        let states = [
            "is in the foreground", "may not use Bluetooth", "may use Bluetooth", "is in the background",
            "is in the foreground", "is in the background", "is suspended", "is ended by the system",
        ]
        let notes = world.trace.of("phone", .world).map(\.text).filter { $0.hasPrefix("app key ") }
        #expect(notes == states.map { "app key " + $0 })
    }

    @Test("Of the connections that come and go while an app is suspended the last thousand events are delivered")
    func deferredConnections() throws {
        let world = World(seed: 1)
        let thermo = world.addPeripheral(.thermometer())
        let app = world.addDevice("phone").install("reconnecting") { Reconnecting() }
        let central = app.launch()
        try world.run(until: central.calls == ["connected"])
        app.suspend()
        for _ in 0..<510 {
            thermo.disconnect()
            try world.run(until: thermo.linkCount == 0)
            try world.run(until: thermo.linkCount == 1)
        }
        #expect(central.calls.count == 1)
        app.enterForeground()
        world.advance(by: .milliseconds(1))
        let deferred = central.calls.dropFirst()
        #expect(deferred.count == 1000)
        #expect(deferred.last == "connected")
        #expect(zip(deferred, deferred.dropFirst()).allSatisfy { $0 != $1 }, "none between two others is missing")
        #expect(central.peripheral?.state == .connected)
    }

    /// An app whose connection the system makes again.
    private final class Reconnecting: NSObject, CBCentralManagerDelegate {
        private var central: CBCentralManager!
        private(set) var peripheral: CBPeripheral?
        private(set) var calls: [String] = []

        override init() {
            super.init()
            self.central = CBCentralManager(delegate: self, queue: nil)
        }

        func centralManagerDidUpdateState(_ central: CBCentralManager) {
            if central.state == .poweredOn { central.scanForPeripherals(withServices: [Reader.service]) }
        }

        func centralManager(
            _ central: CBCentralManager,
            didDiscover peripheral: CBPeripheral,
            advertisementData: [String: Any],
            rssi RSSI: NSNumber
        ) {
            self.peripheral = peripheral
            central.stopScan()
            central.connect(peripheral, options: [CBConnectPeripheralOptionEnableAutoReconnect: true])
        }

        func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
            self.calls.append("connected")
        }

        func centralManager(
            _ central: CBCentralManager,
            didDisconnectPeripheral peripheral: CBPeripheral,
            timestamp: CFAbsoluteTime,
            isReconnecting: Bool,
            error: (any Error)?
        ) {
            self.calls.append(isReconnecting ? "reconnecting" : "disconnected")
        }
    }
}
