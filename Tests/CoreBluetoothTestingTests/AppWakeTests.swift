// When an app is woken, what a launch by the system is not, and what an app's timers and its end leave on the device.

import CoreBluetoothTesting
import Testbed
import Testing

@Suite("When an app is woken")
struct AppWakeTests {
    /// A world with a thermometer, and an app on a phone that is subscribed to it.
    private struct Setup {
        let world = World(seed: 1)
        let thermo: ScriptedDevice
        let app: App<Key>

        init() throws {
            self.thermo = self.world.addPeripheral(.thermometer())
            self.app = self.world.addDevice("phone").install("key", backgroundModes: .central) { Key() }
            let key = self.app.launch()
            try self.world.run(until: key.calls.contains("notifying"))
        }

        func send(_ value: UInt8) {
            self.thermo.notify(Data([value]), for: Reader.measurement)
            self.world.advance(by: .milliseconds(500))
        }
    }

    @Test("A launch by the system is no time at which the app was woken; an event for the launched app is one")
    func launchIsNoWake() throws {
        let setup = try Setup()
        #expect(setup.app.wakeTimes.isEmpty)
        let left = setup.world.now
        setup.app.enterBackground()
        #expect(setup.app.wakeTimes == [left])
        setup.world.advance(by: .seconds(20))
        setup.app.terminate()
        setup.world.advance(by: .seconds(1))
        setup.send(7)
        #expect(setup.app.launches == [.byUser, .bySystem] && setup.app.state == .background)
        #expect(setup.app.wakeTimes == [left], "it was launched, and not woken")
        setup.world.advance(by: .seconds(10))
        #expect(setup.app.state == .suspended)
        let sent = setup.world.now
        setup.send(8)
        #expect(setup.app.wakeTimes.count == 2)
        #expect(try #require(setup.app.wakeTimes.last) >= sent)
    }

    @Test("What makes an app is told why it is launched, each time")
    func launches() throws {
        let world = World(seed: 1)
        let thermo = world.addPeripheral(.thermometer())
        var told: [Launch] = []
        let phone = world.addDevice("phone")
        let app: App<Key> = phone.install("key", backgroundModes: .central) { (launch: Launch) -> Key in
            told.append(launch)
            return Key()
        }
        #expect(app.name == "key" && app.state == .notRunning && app.instance == nil && told.isEmpty)
        let first = app.launch()
        #expect(app.launch() === first && told == [.byUser])
        try world.run(until: first.calls.contains("notifying"))
        app.terminate()
        world.advance(by: .seconds(1))
        thermo.notify(Data([1]), for: Reader.measurement)
        try world.run(until: app.instance?.values == [1])
        #expect(told == [.byUser, .bySystem] && app.launches == told)
        app.forceQuit()
        app.launch()
        #expect(told == [.byUser, .bySystem, .byUser] && app.launches == told && app.instance !== first)
    }

    @Test("The end of an app by the user stands in the trace once, and its launch by the system does")
    func trace() throws {
        let setup = try Setup()
        setup.app.enterBackground()
        setup.app.terminate()
        setup.world.advance(by: .seconds(1))
        setup.send(7)
        setup.app.forceQuit()
        setup.app.forceQuit()
        let notes = setup.world.trace.of("phone", .world).map(\.text).filter { $0.hasPrefix("app key ") }
        #expect(
            notes == [
                "app key is in the foreground", "app key is in the background", "app key is ended by the system",
                "app key is launched by the system", "app key is in the background", "app key is ended by the user",
            ]
        )
        #expect(setup.app.instance == nil && setup.app.state == .notRunning)
    }

    /// Notes the states of a manager.
    private final class States: NSObject, CBCentralManagerDelegate {
        private(set) var states: [Int] = []

        func centralManagerDidUpdateState(_ central: CBCentralManager) { self.states.append(central.state.rawValue) }
    }

    @Test("A manager that an app makes later is on its device, and is the app's")
    func laterManager() throws {
        final class Instance {
            let states = States()
            var central: CBCentralManager?
        }
        let world = World(seed: 1)
        let phone = world.addDevice("phone")
        let app = phone.install("late") { Instance() }
        let instance = app.launch()
        app.after(.seconds(1)) { instance.central = CBCentralManager(delegate: instance.states, queue: nil) }
        world.advance(by: .milliseconds(999))
        #expect(instance.central == nil)
        // One that was made elsewhere would be a mistake, which this throws.
        try world.run(until: instance.states.states == [5])
        phone.authorization = .denied
        world.advance(by: .seconds(1))
        #expect(instance.states.states == [5], "what concerns other code of the device does not concern the app")
        app.authorization = .denied
        try world.run(until: instance.states.states == [5, 3])
    }

    @Test("An alert has the time at which it was shown")
    func alertTime() throws {
        let world = World(seed: 1)
        let thermo = world.addPeripheral(.thermometer())
        let options: [String: Any] = [
            CBConnectPeripheralOptionNotifyOnDisconnectionKey: true,
            CBConnectPeripheralOptionEnableAutoReconnect: true,
        ]
        let app = world.addDevice("phone").install("key") { Key(connectOptions: options) }
        let key = app.launch()
        try world.run(until: key.calls.contains("notifying"))
        app.suspend()
        world.advance(by: .seconds(5))
        let before = world.now
        thermo.dropLinks()
        world.advance(by: .seconds(1))
        let alert = try #require(app.alerts.first)
        #expect(alert.kind == .disconnection && alert.peripheral == "Thermo")
        #expect(alert.time >= before && alert.time < before + .seconds(1))
        #expect(world.trace.of("phone", .world).contains("app key has the alert of a disconnection: Thermo"))
    }
}
