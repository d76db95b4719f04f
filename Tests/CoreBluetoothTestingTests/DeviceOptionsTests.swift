// What a device of a world is given when it is added: its ATT MTU, whether others have to pair with it, which services
// its code may publish; and pairs of devices that are set apart before their code runs. Not on record: keys are the
// system's.

import CoreBluetoothTesting
import Testbed
import Testing

@Suite("Options of a world's devices")
struct DeviceOptionsTests {
    @Test("Others have to pair with a device that asks for it, and with no other one", arguments: [true, false])
    func requiresPairing(isRequired: Bool) throws {
        let world = World(seed: 1)
        let thermometer = world.addDevice("thermometer", requiresPairing: isRequired)
        let app = thermometer.run { Thermometer() }
        let phone = world.addDevice("phone")
        let reader = phone.run { Reader() }
        try world.run(until: reader.calls.contains("notifying true"))
        world.advance(by: .seconds(2))
        let count = isRequired ? 1 : 0
        #expect(reader.values == [[21]] && app.calls.contains("subscribed"))
        #expect(phone.bondCount == count && thermometer.bondCount == count)
        phone.forgetBonds()
        #expect(phone.bondCount == 0 && thermometer.bondCount == count)
        #expect(phone.trace.of("phone", .world).last?.text == "forgets the keys of its pairings")
        #expect(reader.peripheral?.state == .connected, "connections that there are stay")
    }

    /// Publishes one service, and notes how that has ended.
    private final class Publisher: NSObject, CBPeripheralManagerDelegate {
        private var manager: CBPeripheralManager!
        private let uuid: CBUUID
        private(set) var results: [Bool] = []

        init(_ uuid: String) {
            self.uuid = CBUUID(string: uuid)
            super.init()
            self.manager = CBPeripheralManager(delegate: self, queue: nil)
        }

        func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
            guard peripheral.state == .poweredOn else { return }
            peripheral.add(CBMutableService(type: self.uuid, primary: true))
        }

        func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
            self.results.append(error == nil)
        }
    }

    @Test(
        "The services Current Time, Device Information and Battery are published where the device permits it",
        arguments: ["1805", "180A", "180F", "1809"]
    )
    func systemServices(uuid: String) throws {
        for isPermitted in [false, true] {
            let world = World(seed: 1)
            let publisher = world.addDevice("phone", permitsSystemServices: isPermitted).run { Publisher(uuid) }
            try world.run(until: publisher.results.count == 1)
            #expect(publisher.results == [isPermitted || uuid == "1809"])
        }
        let world = World(seed: 1)
        let publisher = world.addDevice("phone").run { Publisher(uuid) }
        try world.run(until: publisher.results.count == 1)
        #expect(publisher.results == [uuid == "1809"], "it does not where nothing is said")
    }

    @Test(
        "The ATT MTU of a link is the smaller one of both devices, and a device offers 517 octets unless given",
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

    @Test("Two devices that are set apart before the code of one runs do not hear each other, until that is taken away")
    func apartFromTheStart() throws {
        let world = World(seed: 1)
        let phone = world.addDevice("phone")
        let thermo = world.addPeripheral(.thermometer())
        world.setAttenuation(.infinite, between: phone, and: thermo)
        let reader = phone.run { Reader() }
        world.advance(by: .seconds(10))
        #expect(reader.peripheral == nil && reader.central.state == .poweredOn)
        world.setAttenuation(2.5, between: thermo, and: phone)
        #expect(thermo.trace.of("Thermo", .world).last?.text == "and phone hear each other 2.5 dB weaker")
        try world.run(until: reader.peripheral != nil)
        // 45 dBm less than 0 at 1 m, and 2.5 dB less than that.
        #expect(reader.rssi == -48)
    }
}
