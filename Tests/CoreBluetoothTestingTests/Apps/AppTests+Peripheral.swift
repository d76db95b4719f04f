// The life of an app in the peripheral role: behaviours 4.8, 9.7, 11.3 and 13.1.

import CoreBluetoothTesting
import Testing

@Suite("App in the peripheral role")
struct PeripheralAppTests {
    /// A world with a sensor's app on one phone, and a reader on another one.
    private struct Setup {
        let world: World
        let app: App<Sensor>
        let reader: Reader
        let readerDevice: Device

        init(_ modes: BackgroundModes, seed: UInt64 = 1, _ make: @escaping () -> Sensor = { Sensor() }) throws {
            self.world = World(seed: seed)
            self.app = self.world.addDevice("sensor").install("sensor", backgroundModes: modes, make)
            self.app.launch()
            self.readerDevice = self.world.addDevice("reader")
            let reader = self.readerDevice.run { Reader() }
            self.reader = reader
            try self.world.run(until: reader.calls.contains("notifying true"))
        }

        func read() throws {
            let characteristic = try #require(self.reader.characteristic)
            self.reader.peripheral?.readValue(for: characteristic)
        }
    }

    @Test("11.3, 4.8: advertises without a name in the background, with services in the overflow area")
    func overflowArea() throws {
        let world = World(seed: 2)
        let app = world.addDevice("sensor").install("sensor", backgroundModes: .peripheral) { Sensor() }
        app.launch()
        world.advance(by: .seconds(1))
        app.enterBackground()
        world.advance(by: .seconds(1))
        let lookups: [[CBUUID]?] = [[Reader.service], [CBUUID(string: "180D")], nil]
        let scanners = lookups.enumerated().map { number, services in
            world.addDevice("scanner \(number)").run { Reader(connects: false, scanServices: services) }
        }
        world.advance(by: .seconds(20))
        #expect(scanners.map { $0.calls.contains("discovered -") } == [true, false, true])
        #expect(!scanners.contains { $0.calls.contains("discovered Sensor") })
        for (number, services) in [(0, [Reader.service]), (2, nil)] as [(Int, [CBUUID]?)] {
            let found = try #require(scanners[number].discoveries.first)
            #expect(found[CBAdvertisementDataLocalNameKey] == nil)
            #expect(found[CBAdvertisementDataServiceUUIDsKey] == nil)
            // A scan that does not look for the service does not see it.
            #expect(found[CBAdvertisementDataOverflowServiceUUIDsKey] as? [CBUUID] == services)
        }
        #expect(world.trace.of("sensor", .gap).contains("Set advertising interval 1022.5 ms"))
        app.enterForeground()
        let later = world.addDevice("later").run { Reader(connects: false) }
        try world.run(until: later.calls.contains("discovered Sensor"))
        #expect(later.discoveries.first?[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] == [Reader.service])
    }

    @Test("11.3: pauses advertising in the background without the background mode")
    func advertisingPauses() throws {
        let world = World(seed: 2)
        let app = world.addDevice("sensor").install("sensor") { Sensor() }
        app.launch()
        world.advance(by: .seconds(1))
        app.enterBackground()
        world.advance(by: .milliseconds(10))
        let scanner = world.addDevice("a").run { Reader(connects: false, scanServices: nil) }
        world.advance(by: .seconds(20))
        #expect(scanner.discoveries.isEmpty)
        app.enterForeground()
        try world.run(until: scanner.calls.contains("discovered Sensor"))
    }

    @Test("9.7: withdraws services in the background without the background mode")
    func servicesGone() throws {
        let setup = try Setup([])
        let sensor = try #require(setup.app.instance)
        let count = sensor.calls.count
        setup.app.enterBackground()
        try setup.world.run(until: setup.reader.calls.last == "modified 1809")
        setup.reader.peripheral?.discoverServices(nil)
        setup.world.advance(by: .seconds(1))
        #expect(setup.reader.peripheral?.services?.isEmpty == true)
        #expect(sensor.calls.count == count)
        setup.app.enterForeground()
        setup.world.advance(by: .seconds(1))
        #expect(sensor.calls.dropFirst(count) == ["unsubscribed"])
        setup.reader.peripheral?.discoverServices([Reader.service])
        try setup.world.run(until: setup.reader.calls.count { $0 == "notifying true" } == 2)
        #expect(sensor.calls.count { $0 == "subscribed" } == 2)
        #expect(setup.reader.values.last == [42])
        let measurement = try #require(sensor.measurement)
        #expect(sensor.manager.updateValue(Data([43]), for: measurement, onSubscribedCentrals: nil))
        try setup.world.run(until: setup.reader.values.last == [43])
    }

    @Test(
        "13.1: launches a terminated app for a request, with services, advertisement and subscribers restored"
    )
    func relaunch() throws {
        let setup = try Setup([.peripheral])
        let subscribed = setup.app.instance?.measurement?.subscribedCentrals?.first
        let length = try #require(subscribed?.maximumUpdateValueLength)
        #expect(length != 20)
        setup.app.enterBackground()
        setup.world.advance(by: .seconds(30))
        setup.app.terminate()
        #expect(setup.app.instance == nil)
        setup.world.advance(by: .seconds(60))
        #expect(setup.app.launches == [.byUser])
        let values = setup.reader.values.count
        try setup.read()
        try setup.world.run(until: setup.reader.values.count == values + 1)
        #expect(setup.reader.values.last == [42])
        #expect(setup.app.launches == [.byUser, .bySystem])
        let sensor = try #require(setup.app.instance)
        #expect(sensor.calls == ["restore", "state 5", "read"])
        #expect(sensor.manager.isAdvertising)
        let advertised = sensor.restored[CBPeripheralManagerRestoredStateAdvertisementDataKey] as? [String: Any]
        #expect(advertised?[CBAdvertisementDataLocalNameKey] as? String == "Sensor")
        let measurement = try #require(sensor.measurement)
        #expect(measurement.subscribedCentrals?.map(\.maximumUpdateValueLength) == [length])
        #expect(sensor.manager.updateValue(Data([7]), for: measurement, onSubscribedCentrals: nil))
        try setup.world.run(until: setup.reader.values.last == [7])
        #expect(setup.reader.peripheral?.state == .connected, "the link went on all the time")
    }

    @Test("keeps nothing of an app that the user ended")
    func forceQuit() throws {
        let setup = try Setup([.peripheral])
        setup.app.forceQuit()
        try setup.world.run(until: setup.reader.calls.last == "modified 1809")
        let scanner = setup.world.addDevice("a").run { Reader(connects: false, scanServices: nil) }
        setup.world.advance(by: .seconds(10))
        #expect(scanner.discoveries.isEmpty)
        let sensor = setup.app.launch()
        setup.world.advance(by: .seconds(1))
        #expect(sensor.calls == ["state 5", "added", "advertising"])
    }
}
