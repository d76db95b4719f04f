// What the script of a peripheral can contain.

import CoreBluetoothTesting
import Testbed
import Testing

@Suite("ScriptedPeripheral")
struct ScriptedPeripheralTests {
    private static func meet(
        _ script: ScriptedPeripheral,
        setUp: (Reader) -> Void = { _ in }
    ) -> (world: World, thermo: ScriptedDevice, reader: Reader) {
        let world = World(seed: 3)
        let thermo = world.addPeripheral(script)
        let reader = world.addDevice("phone").run { Reader() }
        setUp(reader)
        return (world, thermo, reader)
    }

    @Test("It advertises, is read, written, and notifies by itself")
    func works() throws {
        let (world, thermo, reader) = Self.meet(
            .thermometer(updates: .every(.seconds(1)) { [UInt8(30 + $0)].data })
        )
        try world.run(until: reader.values == [[21], [30], [31], [32]])
        #expect(thermo.updateCount == 3)
        #expect(thermo.hasSubscriber(for: Reader.measurement))
        let characteristic = try #require(reader.characteristic)
        reader.peripheral?.writeValue(Data([7]), for: characteristic, type: .withResponse)
        try world.run(until: reader.calls.contains("wrote"))
        #expect(thermo.value(of: Reader.measurement) == Data([7]))
        #expect(thermo.writes == [.init(characteristic: Reader.measurement, value: Data([7]))])
    }

    @Test("Switched off it is gone, switched on it is there again, and a controller that fails stays off where it was")
    func power() throws {
        let (world, thermo, reader) = Self.meet(.thermometer())
        try world.run(until: reader.calls.contains("notifying true"))
        thermo.isPowered = false
        try world.run(until: reader.peripheral?.state == .disconnected)
        #expect(!thermo.hasSubscriber(for: Reader.measurement))
        thermo.resetController()
        let count = reader.calls.count
        let peripheral = try #require(reader.peripheral)
        reader.central.connect(peripheral)
        world.advance(by: .seconds(10))
        #expect(peripheral.state == .connecting && reader.calls.count == count)
        thermo.isPowered = true
        try world.run(until: peripheral.state == .connected)
        thermo.resetController()
        try world.run(until: peripheral.state == .disconnected)
        reader.central.connect(peripheral)
        try world.run(until: peripheral.state == .connected)
    }

    @Test("What the test does with it stands in the trace")
    func notes() {
        let (world, thermo, _) = Self.meet(.thermometer())
        thermo.notify(Data([1]), for: Reader.measurement)
        thermo.disconnect()
        thermo.forgetBonds()
        thermo.publish([])
        let notes = [
            "notifies \(Reader.measurement.uuidString), and nobody is subscribed", "disconnects",
            "forgets the keys of its pairings", "publishes other services",
        ]
        #expect(world.trace.of("Thermo", .world).map(\.text).suffix(4) == notes)
    }

    @Test("C4: a wrong UUID in notify or setValue fails the one test, and names the line of the call")
    func wrongUUID() throws {
        for setsValue in [false, true] {
            let (world, thermo, reader) = Self.meet(.thermometer())
            try world.run(until: reader.calls.contains("notifying true"))
            let uuid = CBUUID(string: "2A38")
            let line = #line + 1
            if setsValue { thermo.setValue(Data([1]), of: uuid) } else { thermo.notify(Data(), for: uuid) }
            let error = #expect(throws: WorldError.self) { try world.run(until: false) }
            let reason = try #require(error?.reason)
            #expect(reason.contains("ScriptedPeripheralTests.swift:\(line): "), "\(reason)")
            #expect(reason.contains("has no characteristic 2A38; it has "), "\(reason)")
            // It is thrown once.
            try world.run(until: true)
        }
    }

    @Test("C4: notify says how many are subscribed, and the trace says that nobody is")
    func subscribers() throws {
        let (world, thermo, reader) = Self.meet(.thermometer())
        let uuid = Reader.measurement.uuidString
        #expect(thermo.notify(Data([1]), for: uuid) == 0)
        #expect(thermo.trace.contains { $0.text == "notifies \(uuid), and nobody is subscribed" })
        try world.run(until: reader.calls.contains("notifying true"))
        #expect(thermo.notify(Data([2]), for: uuid) == 1)
        try world.run(until: reader.values.last == [2])
    }

    @Test("Answers by closure: values, errors by code, late answers, none")
    func answers() throws {
        var answers: [ScriptedPeripheral.Answer] = [
            .value(Data([1])), .error(.insufficientEncryption), .value(Data([2])).delayed(by: .seconds(3)), .noResponse,
        ]
        let (world, _, reader) = Self.meet(.thermometer(onRead: { _ in answers.removeFirst() })) {
            $0.subscribes = false
        }
        try world.run(until: reader.values == [[1]])
        let characteristic = try #require(reader.characteristic)
        reader.peripheral?.readValue(for: characteristic)
        try world.run(until: reader.calls.contains("value 15"))
        #expect((reader.errors.last as? CBATTError)?.code == .insufficientEncryption)
        let asked = world.now
        reader.peripheral?.readValue(for: characteristic)
        try world.run(until: reader.values == [[1], [2]])
        #expect(world.now - asked >= .seconds(3))
        #expect(world.now - asked < .seconds(4))
        reader.peripheral?.readValue(for: characteristic)
        world.advance(by: .seconds(29))
        #expect(reader.values.count == 2)
        #expect(reader.peripheral?.state == .connected)
    }

    @Test("A write is answered by notifying")
    func conversation() throws {
        let script = ScriptedPeripheral.thermometer(onWrite: { value, device in
            guard value.count == 1 else { return .error(.invalidAttributeValueLength) }
            device.notify(Data([value[0] &* 2]), for: Reader.measurement)
            return .success
        })
        let (world, _, reader) = Self.meet(script)
        try world.run(until: reader.calls.contains("notifying true"))
        let characteristic = try #require(reader.characteristic)
        reader.peripheral?.writeValue(Data([21]), for: characteristic, type: .withResponse)
        try world.run(until: reader.values.last == [42])
        reader.peripheral?.writeValue(Data([1, 2]), for: characteristic, type: .withResponse)
        try world.run(until: reader.calls.contains("wrote 13"))
    }

    @Test("A long value is read with Read Blob")
    func longValue() throws {
        let long = (0..<300).map { UInt8($0 & 0xFF) }
        let (world, _, reader) = Self.meet(.thermometer(onRead: { _ in .value(Data(long)) }, mtu: 23))
        try world.run(until: reader.values.first == long)
        #expect(world.trace.of("phone", .att).count(of: "Read Blob Request") >= 13)
    }

    @Test("Of a long read, the first part alone is asked of the closure; the next read is asked anew")
    func longValueByClosure() throws {
        var count: UInt8 = 0
        let script = ScriptedPeripheral.thermometer(
            onRead: { _ in
                count += 1
                return .value(Data(repeating: count, count: 300)).delayed(by: .seconds(1))
            },
            mtu: 23
        )
        let (world, _, reader) = Self.meet(script) { $0.subscribes = false }
        try world.run(until: reader.values.count == 1)
        #expect(count == 1)
        reader.peripheral?.readValue(for: try #require(reader.characteristic))
        try world.run(until: reader.values.count == 2)
        #expect(reader.values == [1, 2].map { [UInt8](repeating: $0, count: 300) })
        #expect(count == 2)
    }

    @Test("The MTU that it offers", arguments: [23, 100, 517])
    func mtu(mtu: Int) throws {
        let (world, _, reader) = Self.meet(.thermometer(mtu: mtu))
        try world.run(until: reader.calls.contains("notifying true"))
        #expect(reader.peripheral?.maximumWriteValueLength(for: .withoutResponse) == min(mtu - 3, 512))
    }

    @Test("The link ends at a named step", arguments: [true, false])
    func faults(isLoss: Bool) throws {
        let steps: [(ScriptedPeripheral.Step, String)] = [
            (.onConnection, "connected"), (.onRead(of: Reader.measurement), "characteristics"),
            (.onSubscription(to: Reader.measurement), "value"), (.afterNotification(2), "value"),
            (.after(.seconds(5)), "value"),
        ]
        for (step, last) in steps {
            let fault: ScriptedPeripheral.Fault = isLoss ? .loseLink(step) : .disconnect(step)
            let (world, thermo, reader) = Self.meet(
                .thermometer(updates: .every(.milliseconds(500)) { [UInt8($0)].data }, faults: [fault])
            )
            try world.run(until: reader.calls.last == (isLoss ? "disconnected 6" : "disconnected 7"))
            #expect(reader.calls.contains(last))
            if case .afterNotification(2) = step {
                #expect(thermo.updateCount == 2)
                #expect(reader.values.count <= 3)
            }
            // It happens once.
            let peripheral = try #require(reader.peripheral)
            reader.central.connect(peripheral)
            try world.run(until: reader.values.count > 5)
        }
    }

    @Test("It loses power, and it stops responding, at a named step")
    func deathAndSilence() throws {
        let (world, thermo, reader) = Self.meet(.thermometer(faults: [.powerOff(.onWrite(to: Reader.measurement))]))
        try world.run(until: reader.calls.contains("notifying true"))
        let characteristic = try #require(reader.characteristic)
        reader.peripheral?.writeValue(Data([1]), for: characteristic, type: .withResponse)
        try world.run(until: reader.calls.contains("disconnected 6"))
        #expect(!thermo.isPowered)
        thermo.isPowered = true
        let peripheral = try #require(reader.peripheral)
        reader.central.connect(peripheral)
        try world.run(until: reader.calls.count { $0 == "notifying true" } == 2)

        let silent = Self.meet(.thermometer(faults: [.stopResponding(.onConnection)]))
        try silent.world.run(until: silent.reader.calls.contains("connected"))
        silent.world.advance(by: .seconds(20))
        #expect(!silent.reader.calls.contains("services"))
        #expect(silent.thermo.isUnresponsive)
    }

    @Test("Services change while a central is connected")
    func servicesChange() throws {
        let (world, thermo, reader) = Self.meet(.thermometer())
        try world.run(until: reader.calls.contains("notifying true"))
        thermo.publish([.init("FFF0", characteristics: [])])
        try world.run(until: reader.calls.contains("modified 1809"))
    }

    @Test(
        "What it advertises: manufacturer data, service data, not connectable, and nothing while it does not advertise"
    )
    func advertisement() throws {
        final class Scanner: NSObject, CBCentralManagerDelegate {
            var central: CBCentralManager!
            var found: [[String: Any]] = []
            override init() {
                super.init()
                self.central = CBCentralManager(delegate: self, queue: nil)
            }
            func centralManagerDidUpdateState(_ central: CBCentralManager) {
                if central.state == .poweredOn { central.scanForPeripherals(withServices: nil) }
            }
            func centralManager(
                _ central: CBCentralManager,
                didDiscover peripheral: CBPeripheral,
                advertisementData: [String: Any],
                rssi RSSI: NSNumber
            ) {
                self.found.append(advertisementData)
            }
        }
        let world = World(seed: 1)
        let beacon = world.addPeripheral(
            ScriptedPeripheral(
                advertisement: .init(
                    services: [],
                    manufacturerData: Data([0xFF, 0xFF, 1]),
                    serviceData: [(CBUUID(string: "FEAA"), Data([2]))],
                    isConnectable: false
                )
            ),
            as: "beacon"
        )
        let scanner = world.addDevice("phone").run { Scanner() }
        try world.run(until: !scanner.found.isEmpty)
        let found = try #require(scanner.found.first)
        #expect(found[CBAdvertisementDataManufacturerDataKey] as? Data == Data([0xFF, 0xFF, 1]))
        #expect(found[CBAdvertisementDataServiceDataKey] as? [CBUUID: Data] == [CBUUID(string: "FEAA"): Data([2])])
        #expect((found[CBAdvertisementDataIsConnectable] as? NSNumber)?.boolValue == false)
        beacon.isAdvertising = false
        world.advance(by: .seconds(1))
        scanner.found = []
        scanner.central.stopScan()
        scanner.central.scanForPeripherals(withServices: nil)
        world.advance(by: .seconds(5))
        #expect(scanner.found.isEmpty)
    }
}
