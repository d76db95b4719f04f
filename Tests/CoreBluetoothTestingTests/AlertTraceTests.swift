// What stands in the trace of a device where the system shows alerts for an app that cannot run: a line for each.

import CoreBluetoothTesting
import Testbed
import Testing

@Suite("Alerts in the trace")
struct AlertTraceTests {
    @Test("Each alert stands in the trace once, at its time, with its kind and the peripheral's name")
    func eachAlert() throws {
        let world = World(seed: 1)
        let thermo = world.addPeripheral(.thermometer())
        let options: [String: Any] = [
            CBConnectPeripheralOptionNotifyOnConnectionKey: true,
            CBConnectPeripheralOptionNotifyOnDisconnectionKey: true,
            CBConnectPeripheralOptionNotifyOnNotificationKey: true,
            CBConnectPeripheralOptionEnableAutoReconnect: true,
        ]
        let app = world.addDevice("phone").install("key") { Key(connectOptions: options) }
        let key = app.launch()
        try world.run(until: key.calls.contains("notifying"))
        func send(_ value: UInt8) {
            thermo.notify(Data([value]), for: Reader.measurement)
            world.advance(by: .milliseconds(500))
        }
        func lines() -> [TraceEntry] {
            world.trace.of("phone", .world).filter { $0.text.hasPrefix("app key has the alert") }
        }
        // What the app takes itself is no alert.
        send(1)
        #expect(lines().isEmpty)
        app.enterBackground()
        app.suspend()
        send(2)
        thermo.dropLinks()
        world.advance(by: .seconds(5))
        #expect(
            lines().map(\.text) == [
                "app key has the alert of a notification: Thermo", "app key has the alert of a disconnection: Thermo",
                "app key has the alert of a connection: Thermo",
            ]
        )
        #expect(lines().map(\.time) == app.alerts.map(\.time))
        #expect(app.alerts.map(\.kind) == [.notification, .disconnection, .connection])
    }
}
