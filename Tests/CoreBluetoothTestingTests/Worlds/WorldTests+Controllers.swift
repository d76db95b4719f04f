// What an app can do on the controllers that people own: everything, though on some of them by turns.

import CoreBluetoothTesting
import Testing

@Suite("World: devices with the controllers that people own")
struct WorldControllersTests {
    /// A peripheral that requires pairing, and notifies.
    private static var safe: ScriptedPeripheral {
        ScriptedPeripheral(
            name: "Safe",
            services: [
                .init(
                    "1809",
                    characteristics: [
                        .init("2A1C", properties: [.read, .notify], value: Data([21]), security: .encrypted)
                    ]
                )
            ]
        )
    }

    /// Faults of single adapters: data that is ahead of its event, a board that starts anew when its port is opened,
    /// one that accepts extended commands and does nothing by them, and a link that ends before it is established.
    private static var faulty: [ControllerModel] {
        var early = ControllerModel.rtl8761b
        early.eventDelay = .milliseconds(10)
        var slow = ControllerModel.raspberryPi3
        slow.resetDelay = .milliseconds(3_500)
        var deaf = ControllerModel.mt7921
        deaf.quirks.formUnion([.mixesCommandFamilies, .ignoresExtendedCommands])
        var failing = ControllerModel.csr8510
        failing.quirks.insert(.firstLinkFails)
        return [early, slow, deaf, failing]
    }

    @Test(
        "starts, finds, connects, pairs, reads and is notified, twice, as a central",
        arguments: ControllerModel.presets + faulty
    )
    func central(model: ControllerModel) throws {
        let world = World(seed: 1)
        let safe = world.addPeripheral(Self.safe)
        let box = world.addDevice("box", controller: model)
        let reader = box.run { Reader() }
        try world.run(until: reader.calls.contains("notifying true"), within: .seconds(60))
        #expect(reader.values == [[21]] && box.bondCount == 1 && safe.bondCount == 1)
        safe.notify(Data([22]), for: "2A1C")
        try world.run(until: reader.values == [[21], [22]])
        safe.disconnect()
        try world.run(until: reader.peripheral?.state == .disconnected)
        if let peripheral = reader.peripheral { reader.central.connect(peripheral) }
        try world.run(until: reader.calls.filter { $0 == "notifying true" }.count == 2)
        #expect(reader.values == [[21], [22], [22]] && safe.bondCount == 1)
        #expect(reader.errors.map { ($0 as NSError).code } == [CBError.peripheralDisconnected.rawValue])
    }

    @Test(
        "starts, is found, connected to, paired with, read, and notifies, as a peripheral",
        arguments: ControllerModel.presets + faulty
    )
    func peripheral(model: ControllerModel) throws {
        let world = World(seed: 1)
        let box = world.addDevice("box", controller: model, requiresPairing: true)
        let sensor = box.run { Sensor(restoreIdentifier: nil) }
        let reader = world.addDevice("phone").run { Reader() }
        try world.run(until: sensor.calls.contains("subscribed"), within: .seconds(60))
        try world.run(until: reader.values == [[42]])
        #expect(box.bondCount == 1)
        let measurement = try #require(sensor.measurement)
        let long = Data(repeating: 7, count: 150)
        #expect(sensor.manager.updateValue(long, for: measurement, onSubscribedCentrals: nil))
        try world.run(until: reader.values.last == Array(long))
        if let peripheral = reader.peripheral { reader.central.cancelPeripheralConnection(peripheral) }
        try world.run(until: sensor.calls.contains("unsubscribed"))
        if let peripheral = reader.peripheral { reader.central.connect(peripheral) }
        try world.run(until: sensor.calls.filter { $0 == "subscribed" }.count == 2)
        #expect(reader.errors.isEmpty && box.bondCount == 1)
    }

    @Test(
        "scans while it advertises, connects while it scans, advertises and scans while it has links, by turns",
        arguments: ControllerModel.presets + faulty
    )
    func allRoles(model: ControllerModel) throws {
        let world = World(seed: 1)
        for name in ["Thermo", "Other"] { world.addPeripheral(.init(name: name)) }
        let box = world.addDevice("box", controller: model).run { Gateway("Box") }
        let phone = world.addDevice("phone").run { Gateway("Phone") }
        try world.run(until: box.central.state == .poweredOn && box.manager.state == .poweredOn, within: .seconds(60))
        func wait(_ what: Comment, _ condition: () -> Bool) throws {
            box.forget()
            phone.forget()
            do {
                try world.run(until: condition, within: .seconds(15))
            } catch {
                Issue.record(what)
                throw error
            }
        }
        phone.scan()
        box.advertise()
        box.scan()
        try wait("scans while it advertises") {
            box.starts == 1 && box.hears("Thermo") && box.hears("Other") && phone.hears("Box")
        }
        box.connect("Thermo")
        try wait("connects while it scans and advertises") { box.connected == ["Thermo"] }
        try wait("scans while it is connected") { box.hears("Other") }
        let advertisesBesideLinks =
            model.states.contains(.init(rawValue: 1 << 35))
            && !model.excludedRoles.contains([.advertising, .central])
        #expect(box.manager.isAdvertising)
        if advertisesBesideLinks {
            try wait("advertises while it is connected") { phone.hears("Box") && box.hears("Other") }
        }
        box.disconnect("Thermo")
        try wait("advertises and scans after a link") {
            box.connected.isEmpty && phone.hears("Box") && box.hears("Thermo")
        }
        phone.connect("Box")
        try wait("is connected to while it scans") { phone.connected == ["Box"] }
        try wait("scans while it is connected to") { box.hears("Thermo") }
        box.connect("Other")
        if model.states.contains(.init(rawValue: 1 << 41)) {
            try wait("connects while it is connected to") { box.connected == ["Other"] }
            #expect(phone.connected == ["Box"])
        }
        phone.disconnect("Box")
        try wait("connects after it was connected to") { box.connected == ["Other"] }
        box.disconnect("Other")
        try wait("advertises and scans in the end") { phone.hears("Box") && box.hears("Other") && box.hears("Thermo") }
        #expect(box.starts == 1 && box.manager.isAdvertising && box.central.isScanning)
        #expect(box.problems.isEmpty && phone.problems.isEmpty)
    }
}
