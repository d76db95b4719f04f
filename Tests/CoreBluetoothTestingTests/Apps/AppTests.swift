// The life of an app: states, launches, what the trace says of them, and what waits for an app that cannot run.

import Testing

@testable import CoreBluetoothTesting

@Suite("App")
struct AppTests {
    private static func lines(_ world: World) -> [String] {
        world.trace.of("phone", .world).map(\.text).filter { $0.hasPrefix("app key ") }.map { String($0.dropFirst(8)) }
    }

    @Test("notes each change of an app's state once in the trace")
    func trace() throws {
        let setup = try KeySetup(.central)
        let (world, app) = (setup.world, setup.app)
        let key = app.instance.map(ObjectIdentifier.init)
        app.enterBackground()
        #expect(ObjectIdentifier(app.launch()) == key && app.state == .foreground, "a running app is opened")
        app.enterBackground()
        world.advance(by: .seconds(10))
        app.enterForeground()
        app.terminate()
        world.advance(by: .seconds(1))
        setup.send(7)
        app.authorization = .denied
        app.authorization = .allowedAlways
        app.forceQuit()
        app.forceQuit()
        #expect(
            Self.lines(world) == [
                "is in the foreground", "is in the background", "is in the foreground", "is in the background",
                "is suspended", "is in the foreground", "is ended by the system", "is launched by the system",
                "is in the background", "may not use Bluetooth", "may use Bluetooth", "is ended by the user",
            ]
        )
        #expect(app.instance == nil && app.state == .notRunning)
    }

    @Test("keeps the last thousand events of connections that come and go while an app is suspended")
    func deferredConnections() throws {
        let world = World(seed: 1)
        let thermo = world.addPeripheral(.thermometer())
        let app = world.addDevice("phone").install("reader") { () -> Reader in
            let reader = Reader()
            reader.connectOptions = [CBConnectPeripheralOptionEnableAutoReconnect: true]
            (reader.reads, reader.subscribes) = (false, false)
            return reader
        }
        let reader = app.launch()
        try world.run(until: reader.calls.contains("characteristics"))
        app.suspend()
        let count = reader.calls.count
        for _ in 0..<510 {
            thermo.disconnect()
            try world.run(until: thermo.linkCount == 0)
            try world.run(until: thermo.linkCount == 1)
        }
        world.advance(by: .seconds(1))
        #expect(reader.calls.count == count)
        app.enterForeground()
        world.advance(by: .milliseconds(1))
        let deferred = reader.calls.dropFirst(count)
        // The last one of all is the MTU of the last link, of which an app hears nothing.
        #expect(deferred.count == 999 && deferred.last == "connected")
        #expect(zip(deferred, deferred.dropFirst()).allSatisfy { $0 != $1 }, "none between two others is missing")
        #expect(reader.peripheral?.state == .connected)
    }

    @Test("tells the code that makes an app why it is launched")
    func launches() throws {
        let world = World(seed: 1)
        let thermo = world.addPeripheral(.thermometer())
        var told: [Launch] = []
        let phone = world.addDevice("phone")
        let app: App<Reader> = phone.install("key", backgroundModes: .central) { (launch: Launch) -> Reader in
            told.append(launch)
            return .key()
        }
        #expect(app.name == "key" && app.state == .notRunning && app.instance == nil && told.isEmpty)
        let first = app.launch()
        #expect(app.launch() === first && told == [.byUser])
        try world.run(until: first.calls.contains("notifying true"))
        app.terminate()
        world.advance(by: .seconds(1))
        thermo.notify(Data([1]), for: Reader.measurement)
        try world.run(until: app.instance?.octets == [1])
        #expect(told == [.byUser, .bySystem] && app.launches == told)
        app.forceQuit()
        app.launch()
        #expect(told == [.byUser, .bySystem, .byUser] && app.launches == told && app.instance !== first)
    }
}
