// The life of an app in the central role: behaviours 4.4, 4.8, 6.8 and 13.1.

import CoreBluetoothTesting
import Testing

@Suite("App in the central role")
struct CentralAppTests {
    private typealias Setup = KeySetup

    @Test("holds events of a suspended app without the background mode and delivers them in order")
    func eventsWait() throws {
        let setup = try Setup([])
        let key = try #require(setup.app.instance)
        setup.app.enterBackground()
        for value in 1...3 as ClosedRange<UInt8> { setup.send(value) }
        setup.world.advance(by: .seconds(20))
        #expect(setup.app.state == .suspended)
        setup.send(4)
        setup.thermo.disconnect()
        setup.world.advance(by: .seconds(1))
        #expect(key.octets.isEmpty)
        #expect(key.peripheral?.state == .connected, "the app cannot know")
        #expect(setup.app.wakeTimes.count == 1, "it has left the foreground, and was never woken")
        setup.app.enterForeground()
        setup.world.advance(by: .milliseconds(1))
        #expect(key.octets == [1, 2, 3, 4])
        #expect(key.calls.suffix(5) == ["value", "value", "value", "value", "disconnected 7"])
    }

    @Test("wakes an app with the background mode for each event, for ten seconds")
    func woken() throws {
        let setup = try Setup([.central])
        let key = try #require(setup.app.instance)
        setup.app.enterBackground()
        setup.world.advance(by: .seconds(60))
        #expect(setup.app.state == .suspended)
        setup.send(1)
        #expect(setup.app.state == .background)
        #expect(key.octets == [1])
        let woken = try #require(setup.app.wakeTimes.last)
        setup.send(2)
        #expect(key.octets == [1, 2])
        #expect(setup.app.wakeTimes.count == 2, "it runs still")
        setup.world.advance(by: woken + .seconds(10) - setup.world.now)
        #expect(setup.app.state == .suspended)
        setup.send(3)
        #expect(key.octets == [1, 2, 3])
        #expect(setup.app.wakeTimes.count == 3)
    }

    @Test("4.4: a scan in the background needs services, ignores AllowDuplicates and listens less often")
    func backgroundScan() throws {
        let duplicates: [String: Any] = [CBCentralManagerScanOptionAllowDuplicatesKey: true]
        for services in [[Reader.service], nil] {
            let world = World(seed: 4)
            let thermo = world.addPeripheral(.thermometer())
            thermo.isAdvertising = false
            let app = world.addDevice("phone").install("key", backgroundModes: .central) {
                Reader(connects: false, scanServices: services, scanOptions: duplicates)
            }
            let key = app.launch()
            world.advance(by: .seconds(1))
            thermo.isAdvertising = true
            world.advance(by: .seconds(1))
            #expect(key.discoveries.count > 5, "in the foreground each packet is reported")
            let count = key.discoveries.count
            app.enterBackground()
            world.advance(by: .seconds(30))
            #expect(key.discoveries.count == count + (services == nil ? 0 : 1), "joined to one, or not looked for")
            if services != nil {
                #expect(world.trace.of("phone", .gap).contains("Set scan interval 300 ms, window 30 ms"))
            } else {
                #expect(world.trace.of("phone", .gap).contains("Stop scanning"))
            }
            app.enterForeground()
            world.advance(by: .seconds(1))
            #expect(key.discoveries.count > count + 5)
        }
    }

    @Test("pauses a scan in the background without the background mode")
    func scanPauses() throws {
        let world = World(seed: 4)
        let thermo = world.addPeripheral(.thermometer())
        thermo.isAdvertising = false
        let app = world.addDevice("phone").install("key") { Reader(connects: false) }
        let key = app.launch()
        world.advance(by: .seconds(1))
        app.enterBackground()
        thermo.isAdvertising = true
        world.advance(by: .seconds(30))
        #expect(key.discoveries.isEmpty)
        #expect(key.central.isScanning, "the app does not know that it is paused")
        app.enterForeground()
        try world.run(until: key.discoveries.count == 1)
    }

    @Test(
        "6.8: shows the alerts that connect's options ask for while an app without the background mode is suspended",
        arguments: [
            ([CBConnectPeripheralOptionNotifyOnConnectionKey], [.connection]),
            ([CBConnectPeripheralOptionNotifyOnDisconnectionKey], [.disconnection]),
            ([CBConnectPeripheralOptionNotifyOnNotificationKey], [.notification]),
            (allAlerts, [.notification, .disconnection, .connection]),
        ] as [([String], [SystemAlert.Kind])],
        [true, false]
    )
    func alerts(row: (options: [String], alerts: [SystemAlert.Kind]), hasMode: Bool) throws {
        let (options, alerts) = (row.options, hasMode ? [] : row.alerts)
        var all: [String: Any] = [CBConnectPeripheralOptionEnableAutoReconnect: true]
        for option in options { all[option] = true }
        let setup = try Setup(hasMode ? .central : []) { [all] in Reader.key(connectOptions: all) }
        setup.send(1)
        setup.app.suspend()
        setup.send(2)
        setup.thermo.dropLinks()
        setup.world.advance(by: .seconds(5))
        #expect(setup.app.alerts.map(\.kind) == alerts && setup.app.alerts.allSatisfy { $0.peripheral == "Thermo" })
        let lines = setup.world.trace.of("phone", .world).containing("app key has the alert")
        #expect(lines.map(\.time) == setup.app.alerts.map(\.time))
    }

    private static let allAlerts = [
        CBConnectPeripheralOptionNotifyOnConnectionKey, CBConnectPeripheralOptionNotifyOnDisconnectionKey,
        CBConnectPeripheralOptionNotifyOnNotificationKey,
    ]

    @Test("A1: limits what waits for a suspended app, makes the peripheral wait and loses no value")
    func heldEventLimit() throws {
        let setup = try Setup(
            [],
            script: .thermometer(updates: .every(.milliseconds(20)) { Data([UInt8($0 & 0xFF)]) })
        )
        let key = try #require(setup.app.instance)
        setup.app.enterBackground()
        setup.world.advance(by: .seconds(60))
        let before = key.octets.count
        setup.app.enterForeground()
        setup.world.advance(by: .milliseconds(1))
        let held = key.octets.dropFirst(before)
        // 128 KiB of values that count 65 octets each, and what the host's buffers hold.
        #expect((2016...2144).contains(held.count))
        #expect(zip(held, held.dropFirst()).allSatisfy { $1 == $0 &+ 1 }, "in order, none missing")
        let taken = key.octets.count
        setup.world.advance(by: .seconds(1))
        #expect(key.octets.count > taken, "the link goes on")
    }

    @Test("13.1: launches a terminated app for an event, restores it, then delivers the event")
    func relaunch() throws {
        let setup = try Setup([.central])
        weak let first = setup.app.instance
        setup.app.enterBackground()
        setup.world.advance(by: .seconds(20))
        setup.app.terminate()
        #expect(first == nil)
        #expect(setup.app.state == .notRunning)
        setup.world.advance(by: .seconds(60))
        #expect(setup.thermo.linkCount == 1, "the link goes on without the app")
        setup.send(7)
        #expect(setup.app.launches == [.byUser, .bySystem])
        #expect(setup.app.state == .background)
        let second = try #require(setup.app.instance)
        #expect(second.calls == ["restore", "state 5", "value"])
        #expect(setup.app.wakeTimes.count == 1, "it was launched, and not woken")
        #expect(second.octets == [7])
        #expect(second.peripheral?.state == .connected)
        let characteristic = try #require(second.peripheral?.services?.first?.characteristics?.first)
        #expect(characteristic.uuid == Reader.measurement)
        #expect(characteristic.isNotifying)
        setup.world.advance(by: .seconds(10))
        #expect(setup.app.state == .suspended)
        setup.send(8)
        #expect(second.octets == [7, 8])
    }

    @Test("keeps the pending connection of a terminated app, which launches the app when it succeeds")
    func pendingConnection() throws {
        let setup = try Setup([.central])
        setup.app.enterBackground()
        setup.thermo.distance = 1000
        try setup.world.run(until: setup.app.instance?.calls.contains("disconnected 6") == true)
        setup.app.terminate()
        setup.world.advance(by: .seconds(3600))
        #expect(setup.app.state == .notRunning)
        setup.thermo.distance = 3
        try setup.world.run(until: setup.app.instance?.calls.contains("notifying true") == true)
        #expect(
            setup.app.instance?.calls.prefix(5) == ["restore", "state 5", "connected", "services", "characteristics"]
        )
        #expect(setup.app.launches == [.byUser, .bySystem])
    }

    @Test("R7: discovers a device once to an app that is launched for it", arguments: [true, false])
    func launchedForDiscovery(scansAgain: Bool) throws {
        let world = World(seed: 1)
        let thermo = world.addPeripheral(.thermometer())
        thermo.isAdvertising = false
        let app = world.addDevice("phone").install("key", backgroundModes: .central) {
            Reader.key(scansAgain: scansAgain, connects: false)
        }
        _ = app.launch()
        world.advance(by: .seconds(1))
        app.enterBackground()
        app.terminate()
        thermo.isAdvertising = true
        try world.run(until: app.launches == [.byUser, .bySystem])
        world.advance(by: .seconds(8))
        let key = try #require(app.instance)
        #expect(key.discoveries.count == 1)
        // A later scan begins anew.
        key.central.scanForPeripherals(withServices: [Reader.service])
        world.advance(by: .seconds(8))
        #expect(key.discoveries.count == 2)
    }

    @Test("continues the scan of a terminated app, which a discovery launches")
    func scanGoesOn() throws {
        let world = World(seed: 1)
        let thermo = world.addPeripheral(.thermometer())
        thermo.isAdvertising = false
        let app = world.addDevice("phone").install("key", backgroundModes: .central) { Reader.key() }
        _ = app.launch()
        world.advance(by: .seconds(1))
        app.enterBackground()
        app.terminate()
        world.advance(by: .seconds(60))
        #expect(app.launches == [.byUser])
        thermo.isAdvertising = true
        try world.run(until: app.instance?.calls.contains("notifying true") == true)
        #expect(app.launches == [.byUser, .bySystem])
        let key = try #require(app.instance)
        #expect(key.calls.prefix(3) == ["restore", "state 5", "discovered Thermo"])
        #expect(key.restored[CBCentralManagerRestoredStateScanServicesKey] as? [CBUUID] == [Reader.service])
    }

    @Test("restores a terminated app that the user opens")
    func userLaunch() throws {
        let setup = try Setup([.central])
        setup.app.enterBackground()
        setup.app.terminate()
        let key = setup.app.launch()
        setup.world.advance(by: .milliseconds(1))
        #expect(key.calls.prefix(2) == ["restore", "state 5"])
        #expect(key.peripheral?.state == .connected)
        setup.send(5)
        #expect(key.octets == [5])
    }

    @Test(
        "keeps nothing of an app that the user ended or that has no restore identifier",
        arguments: [true, false]
    )
    func forceQuit(isByUser: Bool) throws {
        let setup = try Setup([.central]) { Reader.key(restoreIdentifier: isByUser ? "key" : nil) }
        setup.app.enterBackground()
        if isByUser { setup.app.forceQuit() } else { setup.app.terminate() }
        try setup.world.run(until: setup.thermo.linkCount == 0, within: .seconds(1))
        setup.world.advance(by: .seconds(60))
        #expect(setup.app.launches == [.byUser])
        let key = setup.app.launch()
        try setup.world.run(until: key.calls.contains("notifying true"))
        #expect(key.calls.prefix(2) == ["state 5", "discovered Thermo"])
    }

    @Test("13.1: restores nothing after Bluetooth was switched off")
    func bluetoothOff() throws {
        let setup = try Setup([.central])
        setup.app.enterBackground()
        setup.app.terminate()
        setup.phone.isPowered = false
        setup.world.advance(by: .seconds(5))
        setup.phone.isPowered = true
        setup.world.advance(by: .seconds(5))
        #expect(setup.app.launches == [.byUser])
        let key = setup.app.launch()
        try setup.world.run(until: key.calls.contains("notifying true"))
        #expect(!key.calls.contains("restore"))
    }

    @Test("1.4: makes the managers of an app unauthorized until the user changes the app's permission")
    func authorization() throws {
        final class Probe: NSObject, CBCentralManagerDelegate {
            var central: CBCentralManager!
            var seen: [String] = ["\(CBManager.authorization.rawValue)"]
            override init() {
                super.init()
                self.central = CBCentralManager(delegate: self, queue: nil)
            }
            func centralManagerDidUpdateState(_ central: CBCentralManager) {
                self.seen.append("\(central.state.rawValue) \(CBManager.authorization.rawValue)")
            }
        }
        let world = World(seed: 1)
        let app = world.addDevice("phone").install("probe") { Probe() }
        app.authorization = .notDetermined
        let probe = app.launch()
        world.advance(by: .seconds(1))
        #expect(probe.seen == ["0"], "the user has not answered")
        app.authorization = .denied
        world.advance(by: .milliseconds(1))
        #expect(probe.seen == ["0", "3 2"])
        app.authorization = .allowedAlways
        world.advance(by: .milliseconds(1))
        #expect(probe.seen == ["0", "3 2", "5 3"])
        app.authorization = .restricted
        world.advance(by: .milliseconds(1))
        #expect(probe.seen.last == "3 1")
        #expect(CBManager.authorization == .allowedAlways, "outside of the app")
    }

    @Test("ends what an app does without permission and leaves the device's other code alone")
    func authorizationTaken() throws {
        let setup = try Setup([.central])
        let reader = setup.phone.run { Reader() }
        try setup.world.run(until: reader.calls.contains("notifying true"))
        setup.app.authorization = .denied
        setup.world.advance(by: .seconds(1))
        #expect(setup.app.instance?.central.state == .unauthorized)
        #expect(setup.app.instance?.peripheral?.state == .disconnected)
        #expect(reader.peripheral?.state == .connected)
        setup.phone.authorization = .denied
        setup.world.advance(by: .seconds(1))
        #expect(reader.central.state == .unauthorized)
        #expect(setup.thermo.linkCount == 0)
    }
}
