// A scripted peripheral as a central sees it.

import BluetoothHost
import Testing

@testable import CoreBluetoothTesting

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

    @Test("comes and goes with its power; a failed controller does not switch it on")
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

    @Test("answers by closure: values, errors, late answers, none")
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

    @Test("ends the link at a named step, once", arguments: [true, false])
    func faults(isLoss: Bool) throws {
        let steps: [(ScriptedPeripheral.Step, String)] = [
            (.onConnection, "connected"), (.onRead(of: Reader.measurement), "characteristics"),
            (.onSubscription(to: Reader.measurement), "value"), (.afterNotification(2), "value"),
            (.after(.seconds(5)), "value"),
        ]
        for (step, last) in steps {
            let fault: ScriptedPeripheral.Fault = isLoss ? .loseLink(step) : .disconnect(step)
            let (world, thermo, reader) = Self.meet(
                .thermometer(updates: .every(.milliseconds(500)) { Data([UInt8($0)]) }, faults: [fault])
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

    @Test("loses power and stops responding at a named step")
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

    @Test("advertises manufacturer and service data, connectable or not, or nothing")
    func advertisement() throws {
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
        let scanner = world.addDevice("phone").run { Reader(connects: false, scanServices: nil) }
        try world.run(until: !scanner.discoveries.isEmpty)
        let found = try #require(scanner.discoveries.first)
        #expect(found[CBAdvertisementDataManufacturerDataKey] as? Data == Data([0xFF, 0xFF, 1]))
        #expect(found[CBAdvertisementDataServiceDataKey] as? [CBUUID: Data] == [CBUUID(string: "FEAA"): Data([2])])
        #expect((found[CBAdvertisementDataIsConnectable] as? NSNumber)?.boolValue == false)
        beacon.isAdvertising = false
        world.advance(by: .seconds(1))
        let count = scanner.discoveries.count
        scanner.central.stopScan()
        scanner.central.scanForPeripherals(withServices: nil)
        world.advance(by: .seconds(5))
        #expect(scanner.discoveries.count == count)
    }

    @Test("advertises a transmit power and solicited services")
    func solicitation() throws {
        let world = World(seed: 1)
        let clock = CBUUID(string: "1805")
        world.addPeripheral(ScriptedPeripheral(advertisement: .init(solicitedServices: [clock], txPower: -12)))
        world.addPeripheral(ScriptedPeripheral(name: "Other"))
        let scanner = world.addDevice("phone").run {
            Reader(
                connects: false,
                scanServices: nil,
                scanOptions: [CBCentralManagerScanOptionSolicitedServiceUUIDsKey: [clock]]
            )
        }
        world.advance(by: .seconds(2))
        #expect(scanner.discoveries.count == 1)
        #expect(scanner.discoveries.first?[CBAdvertisementDataSolicitedServiceUUIDsKey] as? [CBUUID] == [clock])
        #expect(scanner.discoveries.first?[CBAdvertisementDataTxPowerLevelKey] as? NSNumber == -12)
    }

    @Test("advertises another name and other data as soon as a test changes them")
    func changedAdvertisement() throws {
        let world = World(seed: 1)
        let beacon = world.addPeripheral(ScriptedPeripheral(name: "Old"))
        let scanner = world.addDevice("phone").run { Reader(connects: false, scanServices: nil) }
        try world.run(until: !scanner.discoveries.isEmpty)
        #expect(scanner.discoveries.last?[CBAdvertisementDataLocalNameKey] as? String == "Old")
        beacon.advertisedName = "New"
        beacon.advertisement.manufacturerData = Data([0xFF, 0xFF, 2])
        scanner.central.stopScan()
        scanner.central.scanForPeripherals(withServices: nil)
        try world.run(until: scanner.discoveries.last?[CBAdvertisementDataLocalNameKey] as? String == "New")
        #expect(
            scanner.discoveries.last?[CBAdvertisementDataManufacturerDataKey] as? Data == Data([0xFF, 0xFF, 2])
        )
    }

    @Test("calls the script for connections, subscriptions and their ends")
    func calls() throws {
        final class Calls { var texts: [String] = [] }
        let calls = Calls()
        var script = ScriptedPeripheral.thermometer()
        script.onConnection = { _ in calls.texts.append("connected") }
        script.onDisconnection = { _ in calls.texts.append("disconnected") }
        script.update("2A1C") {
            $0.onSubscription = {
                calls.texts.append($0 ? "subscribed" : "unsubscribed")
                _ = $1
            }
        }
        let (world, thermo, reader) = Self.meet(script)
        try world.run(until: reader.calls.contains("notifying true"))
        #expect(calls.texts == ["connected", "subscribed"])
        thermo.disconnect()
        try world.run(until: calls.texts.contains("disconnected"))
        #expect(Set(calls.texts.dropFirst(2).prefix(2)) == ["unsubscribed", "disconnected"])
    }

    @Test("refuses a subscription with an error, and accepts the next, late")
    func subscriptionRequests() throws {
        var answers: [ScriptedPeripheral.Answer] = [
            .error(.insufficientResources), ScriptedPeripheral.Answer.success.delayed(by: .seconds(2)),
        ]
        var subscriptions: [Bool] = []
        var script = ScriptedPeripheral.thermometer()
        script.update("2A1C") {
            $0.onSubscriptionRequest = { _ in answers.removeFirst() }
            $0.onSubscription = { isSubscribed, device in
                subscriptions.append(isSubscribed)
                if isSubscribed { device.notify(Data([22]), for: "2A1C") }
            }
        }
        let (world, thermo, reader) = Self.meet(script)
        try world.run(until: reader.calls.contains("notifying false 17"))
        #expect((reader.errors.last as? CBATTError)?.code == .insufficientResources)
        #expect(!thermo.hasSubscriber(for: "2A1C") && subscriptions.isEmpty)
        let (characteristic, asked) = (try #require(reader.characteristic), world.now)
        reader.peripheral?.setNotifyValue(true, for: characteristic)
        try world.run(until: reader.calls.contains("notifying true"))
        #expect(world.now >= asked + .seconds(2))
        try world.run(until: reader.values.last == [22])
        reader.peripheral?.setNotifyValue(false, for: characteristic)
        try world.run(until: reader.calls.last == "notifying false")
        #expect(answers.isEmpty && subscriptions == [true, false])
    }

    @Test("knows which writes a central wants a response to")
    func writeTypes() throws {
        var types: [CBCharacteristicWriteType?] = []
        let (world, device, phone) = try Explorer.meet(
            .thing([
                .init(
                    "FFF1",
                    properties: [.write, .writeWithoutResponse],
                    onWrite: { _, device in
                        types.append(device.writes.last?.type)
                        return .success
                    }
                )
            ])
        )
        let characteristic = try #require(phone.characteristic("FFF1"))
        phone.peripheral?.writeValue(Data([1]), for: characteristic, type: .withoutResponse)
        phone.peripheral?.writeValue(Data([2]), for: characteristic, type: .withResponse)
        try world.run(until: types == [.withoutResponse, .withResponse])
        #expect(device.writes.map(\.value) == [Data([1]), Data([2])])
    }

    @Test("refuses discoveries while a test says so")
    func discoveryError() throws {
        let (world, thermo, reader) = Self.meet(.thermometer())
        thermo.discoveryError = .unlikelyError
        try world.run(until: reader.calls.contains("services 14"))
        #expect((reader.errors.last as? CBATTError)?.code == .unlikelyError && reader.peripheral?.services == nil)
        thermo.discoveryError = nil
        reader.peripheral?.discoverServices(nil)
        try world.run(until: reader.calls.contains("notifying true"))
    }

    @Test("asks its central for connection parameters, and reports invalid ones")
    func connectionParameters() throws {
        let (world, thermo, reader) = Self.meet(.thermometer())
        try world.run(until: reader.calls.contains("notifying true"))
        thermo.requestConnectionParameters(interval: .milliseconds(50), latency: 2)
        try world.run(until: world.trace.contains("Connection Parameter Update Response, accepted"))
        #expect(world.trace.of("Thermo").contains("Connection Parameter Update Request interval 50 ms to 50 ms"))
        thermo.requestConnectionParameters(interval: .milliseconds(1))
        let error = #expect(throws: WorldError.self) { try world.run(until: false, within: .seconds(1)) }
        #expect(error?.reason.contains("invalid connection parameters") == true)
    }

    @Test(
        "is found and read on extended PDUs and on LE Coded, with data that legacy PDUs have no space for",
        arguments: [ScriptedPeripheral.Advertisement.PDUs.extended, .coded]
    )
    func extendedAdvertising(pdus: ScriptedPeripheral.Advertisement.PDUs) throws {
        var script = ScriptedPeripheral.thermometer()
        script.advertisement.manufacturerData = Data([0xFF, 0xFF]) + Data(repeating: 7, count: 150)
        script.advertisement.pdus = pdus
        let (world, _, reader) = Self.meet(script)
        try world.run(until: reader.calls.contains("notifying true"))

        let scanner = world.addDevice("tablet").run {
            Reader(connects: false, scanServices: nil)
        }
        reader.peripheral.map(reader.central.cancelPeripheralConnection)
        try world.run(until: !scanner.discoveries.isEmpty)
        let found = try #require(scanner.discoveries.first)
        #expect(found[CBAdvertisementDataManufacturerDataKey] as? Data == script.advertisement.manufacturerData)
        #expect((found[CBAdvertisementDataIsConnectable] as? NSNumber)?.boolValue == true)
        #expect(world.addDevice("watch").run { CBCentralManager.supports(.extendedScanAndConnect) })
    }

    @Test("has the Generic Attribute service that the script says")
    func genericAttribute() throws {
        for (content, changes, hash) in [
            (ScriptedPeripheral.GenericAttribute.absent, false, false), (.empty, false, false),
            (.serviceChanged, true, false), (.databaseHash, true, true),
        ] {
            var script = ScriptedPeripheral.thing([.init("FFF1", properties: .read, value: Data([1]))])
            script.genericAttribute = content
            let (world, device, phone) = try Explorer.meet(script)
            #expect(phone.database.contains("FFF1 [1]"))
            let trace = world.trace.of("phone", .att)
            #expect(trace.contains("characteristic 2A05") == changes, "\(content)")
            #expect(trace.contains("characteristic 2B2A") == hash, "\(content)")
            device.publish([.init("FFF2", characteristics: [.init("FFF3", properties: .read)])])
            world.advance(by: .seconds(2))
            #expect(world.trace.of("phone", .att).contains("Indication") == changes, "\(content)")
        }
    }

    @Test("sends values without a Client Characteristic Configuration")
    func withoutConfiguration() throws {
        let (world, device, phone) = try Explorer.meet(
            ScriptedPeripheral.thing([
                .init(
                    "FFF1",
                    properties: [.read, .notify],
                    updates: .every(.seconds(1)) { Data([UInt8(truncatingIfNeeded: $0)]) },
                    hasClientConfiguration: false
                )
            ])
        )
        #expect(!phone.database.contains { $0.contains("2902") })
        #expect(world.trace.of("phone", .att).contains("Notification 0x"))
        #expect(device.updateCount >= 2)
        #expect(device.notify(Data([9]), for: "FFF1") == 1)
    }

    @Test("answers each request later if it is slow")
    func slow() throws {
        func time(_ latency: Duration) throws -> Duration {
            var script = ScriptedPeripheral.thing([.init("FFF1", properties: .read, value: Data([1]))])
            script.latency = latency
            let world = World(seed: 22)
            world.addPeripheral(script)
            let phone = world.addDevice("phone").run { Explorer() }
            try world.run(until: phone.isConnected)
            let start = world.now
            try world.run(until: phone.database.contains("FFF1 [1]"))
            return world.now - start
        }
        let fast = try time(.zero)
        let slow = try time(.milliseconds(500))
        #expect(slow > fast + .seconds(3) && slow < .seconds(20), "\(fast), \(slow)")
    }
}
