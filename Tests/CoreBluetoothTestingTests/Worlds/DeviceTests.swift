import CoreBluetoothTesting
import Testing

@Suite("Device")
struct DeviceTests {
    @Test("knows a peripheral that it has never met, by an identifier that a test chooses or a random one")
    func remember() throws {
        let world = World(seed: 1)
        let (thermo, other) = (world.addPeripheral(.thermometer()), world.addPeripheral(.thing([])))
        let phone = world.addDevice("phone")
        let chosen = try #require(UUID(uuidString: "6E400001-B5A3-F393-E0A9-E50E24DCCA9E"))
        #expect(phone.remember(thermo, as: chosen) == chosen)
        let random = phone.remember(other)
        #expect(random != chosen && phone.remember(other) == random && phone.remember(thermo, as: chosen) == chosen)
        let reader = phone.run { Reader(scanServices: [CBUUID(string: "FFFF")]) }
        try world.run(until: reader.central.state == .poweredOn)
        let known = reader.central.retrievePeripherals(withIdentifiers: [random, UUID(), chosen])
        #expect(known.map(\.identifier) == [random, chosen] && known.map(\.name) == ["Thing", "Thermo"])
        known[1].delegate = reader
        reader.central.connect(known[1])
        try world.run(until: known[1].services?.isEmpty == false)
    }

    @Test("finds a peripheral that it knows under the identifier that a test has chosen")
    func discovery() throws {
        let world = World(seed: 1)
        let phone = world.addDevice("phone")
        let chosen = phone.remember(world.addPeripheral(.thermometer()), as: UUID())
        let reader = phone.run { Reader() }
        try world.run(until: reader.peripheral?.identifier == chosen)
    }

    @Test("reports a second identifier of a peripheral, and a second peripheral with an identifier, once")
    func wrongIdentifiers() throws {
        let world = World(seed: 1)
        let (thermo, other) = (world.addPeripheral(.thermometer()), world.addPeripheral(.thing([])))
        let phone = world.addDevice("phone")
        let first = phone.remember(thermo)
        for peripheral in [thermo, other] {
            let (line, second) = (#line + 1, peripheral === thermo ? UUID() : first)
            #expect(phone.remember(peripheral, as: second) != second)
            let error = #expect(throws: WorldError.self) { try world.run(until: true) }
            let place = "CoreBluetoothTestingTests/DeviceTests.swift:\(line): "
            #expect(error?.reason.hasPrefix(place + "\"\(peripheral.name)\" has the identifier ") == true)
            #expect(error?.reason.contains("not \(second)") == true)
        }
        try world.run(until: true)
    }

    @Test("has another app that connects to a peripheral, and lets it go")
    func anotherApp() throws {
        let world = World(seed: 1)
        let thermo = world.addPeripheral(.thermometer())
        let phone = world.addDevice("phone")
        phone.connectAnotherApp(to: thermo)
        let reader = phone.run { Reader(scanServices: [CBUUID(string: "FFFF")]) }
        func connected(_ service: String) -> [CBPeripheral] {
            reader.central.retrieveConnectedPeripherals(withServices: [CBUUID(string: service)])
        }
        try world.run(until: reader.central.state == .poweredOn && !connected("1809").isEmpty)
        #expect(connected("1809").map(\.name) == ["Thermo"] && connected("180D").isEmpty)
        #expect(connected("1809").first?.state == .disconnected && thermo.linkCount == 1)
        phone.disconnectAnotherApp(from: thermo)
        try world.run(until: thermo.linkCount == 0)
        #expect(connected("1809").isEmpty)
    }

    @Test("has the features of its controller before and after it has started", arguments: [true, false])
    func features(isModern: Bool) throws {
        let world = World(seed: 1)
        let box = world.addDevice("box", controller: isModern ? .rtl8761b : .csr8510)
        func supports() -> Bool { box.run { CBCentralManager.supports(.extendedScanAndConnect) } }
        #expect(supports() == isModern)
        let reader = box.run { Reader() }
        try world.run(until: reader.central.state == .poweredOn)
        #expect(supports() == isModern)
    }

    @Test("makes peers pair with a device that requires it", arguments: [true, false])
    func requiresPairing(isRequired: Bool) throws {
        let world = World(seed: 1)
        let sensor = world.addDevice("sensor", requiresPairing: isRequired)
        let app = sensor.run { Sensor(restoreIdentifier: nil) }
        let phone = world.addDevice("phone")
        let reader = phone.run { Reader() }
        try world.run(until: reader.calls.contains("notifying true"))
        world.advance(by: .seconds(2))
        let count = isRequired ? 1 : 0
        #expect(reader.values == [[42]] && app.calls.contains("subscribed"))
        #expect(phone.bondCount == count && sensor.bondCount == count)
        phone.forgetBonds()
        #expect(phone.bondCount == 0 && sensor.bondCount == count)
        #expect(phone.trace.of("phone", .world).last?.text == "forgets the keys of its pairings")
        #expect(reader.peripheral?.state == .connected, "connections that there are stay")
    }

    @Test(
        "uses the smaller ATT MTU of both devices, 517 octets by default",
        arguments: [(nil, 517, 512), (nil, 247, 244), (100, 247, 97), (23, 517, 20), (517, 517, 512), (300, 100, 97)]
            as [(Int?, Int, Int)]
    )
    func mtu(device: Int?, script: Int, length: Int) throws {
        let world = World(seed: 1)
        world.addPeripheral(.thermometer(mtu: script))
        let phone = device.map { world.addDevice("phone", mtu: $0) } ?? world.addDevice("phone")
        let reader = phone.run { Reader() }
        try world.run(until: reader.calls.contains("notifying true"))
        #expect(reader.peripheral?.maximumWriteValueLength(for: .withoutResponse) == length)
    }
}
