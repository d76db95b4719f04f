import CoreBluetoothTesting
import Testing

@Suite("Device")
struct DeviceTests {
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
