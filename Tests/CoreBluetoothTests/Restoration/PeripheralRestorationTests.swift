import BluetoothAir
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("13.1 Restoration of peripherals")
struct PeripheralRestorationTests {
    @Test("13.1 services and advertisement come back by themselves, and the app serves them")
    func services() throws {
        var setup = RestorationSetup(.peripheral)
        setup.ball.open()
        setup.testbed.run { setup.ball.manager.isAdvertising }
        setup.restartBall()
        #expect(setup.ball.calls == ["restore 0", "state 5"])
        let dictionary = try #require(setup.ball.restored.first)
        #expect(dictionary.count == 2)
        let services = try #require(dictionary[CBPeripheralManagerRestoredStateServicesKey] as? [CBMutableService])
        #expect(services.map(\.uuid) == [IDs.service])
        #expect(services[0].isPrimary)
        #expect(services[0].characteristics?.map(\.uuid) == [IDs.question, IDs.answer])
        let advertisement = try #require(
            dictionary[CBPeripheralManagerRestoredStateAdvertisementDataKey] as? [String: Any]
        )
        #expect(advertisement.count == 2)
        #expect(advertisement[CBAdvertisementDataLocalNameKey] as? String == "Crystal")
        #expect(advertisement[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] == [IDs.service])
        #expect(setup.ball.manager.isAdvertising)

        // A central finds it, reads, writes and subscribes: the restored objects are served.
        setup.ball.reading = "Yes".octets
        let peripheral = try setup.visit()
        #expect(peripheral.name == "Crystal")
        let characteristics = peripheral.services?.first?.characteristics ?? []
        let question = try #require(characteristics.first { $0.uuid == IDs.question })
        let answer = try #require(characteristics.first { $0.uuid == IDs.answer })
        peripheral.setNotifyValue(true, for: answer)
        peripheral.writeValue("Rain?".octets, for: question, type: .withResponse)
        peripheral.readValue(for: answer)
        #expect(setup.testbed.run { setup.central.values == ["Yes"] })
        #expect(setup.ball.written.map(\.text) == ["Rain?"])
        let mine = try setup.restored(IDs.answer)
        #expect(setup.ball.requests.last?.characteristic === mine)
        #expect(mine.subscribedCentrals?.count == 1)
        #expect(setup.ball.manager.updateValue("No".octets, for: mine, onSubscribedCentrals: nil))
        #expect(setup.testbed.run { setup.central.values == ["Yes", "No"] })
        // Neither was added or advertised by the app.
        #expect(!setup.ball.calls.contains { $0.hasPrefix("added") || $0.hasPrefix("advertising") })
        // And they can be withdrawn like any other.
        setup.ball.manager.remove(services[0])
        #expect(setup.testbed.run { setup.central.calls.last == "modified \(IDs.service.uuidString)" })
    }

    @Test("13.1 properties, permissions, static values, descriptors and included services are what they were")
    func details() throws {
        var setup = RestorationSetup(.peripheral)
        let inner = CBMutableService(type: CBUUID(string: "AAA0"), primary: false)
        let fixed = CBMutableCharacteristic(
            type: CBUUID(string: "AAA1"),
            properties: [.read],
            value: "fixed".octets,
            permissions: [.readable]
        )
        fixed.descriptors = [
            CBMutableDescriptor(type: CBUUID(string: "2901"), value: NSString(string: "What is fixed")),
            CBMutableDescriptor(type: CBUUID(string: "2904"), value: Data([4, 0, 0, 0x27, 1, 0, 0])),
        ]
        inner.characteristics = [fixed]
        let outer = CBMutableService(type: IDs.service, primary: true)
        outer.includedServices = [inner]
        outer.characteristics = [
            CBMutableCharacteristic(
                type: IDs.other,
                properties: [.read, .write, .notifyEncryptionRequired],
                value: nil,
                permissions: [.readable, .writeEncryptionRequired]
            )
        ]
        setup.ball.manager.add(inner)
        setup.ball.manager.add(outer)
        setup.ball.manager.add(setup.ball.ball)
        setup.ball.manager.remove(setup.ball.ball)
        setup.ball.advertise(name: nil)
        setup.testbed.run(.milliseconds(100))
        let before = try setup.visit()
        let text = Self.describe(before)
        setup.central.manager.cancelPeripheralConnection(before)
        setup.testbed.run(.milliseconds(100))

        setup.restartBall()
        let services = try #require(
            setup.ball.restored.first?[CBPeripheralManagerRestoredStateServicesKey] as? [CBMutableService]
        )
        #expect(services.map(\.uuid.uuidString) == ["AAA0", IDs.service.uuidString])
        #expect(services.map(\.isPrimary) == [false, true])
        #expect(services[1].includedServices?.first === services[0])
        let restored = try setup.restored(CBUUID(string: "AAA1"))
        #expect(restored.value == "fixed".octets)
        #expect(restored.descriptors?.map { "\($0.value ?? "-")" }.first == "What is fixed")
        #expect((restored.descriptors?.last?.value as? NSData)?.length == 7)
        let other = try setup.restored(IDs.other)
        #expect(other.properties == [.read, .write, .notifyEncryptionRequired])
        #expect(other.permissions == [.readable, .writeEncryptionRequired])
        let advertisement = setup.ball.restored.first?[CBPeripheralManagerRestoredStateAdvertisementDataKey]
        #expect((advertisement as? [String: Any])?.count == 1)
        // The peripheral is the same to a central, handle by handle: it knows it by its Database Hash.
        _ = setup.curious.takeSent()
        #expect(Self.describe(try setup.visit()) == text)
        #expect(setup.curious.takeSent() == [0x02, 0x08, 0x12, 0x12])
    }

    private static func describe(_ peripheral: CBPeripheral) -> [String] {
        (peripheral.services ?? []).flatMap { service in
            ["\(service.uuid) \(service.handles ?? 0...0) includes \((service.includedServices ?? []).map(\.uuid))"]
                + (service.characteristics ?? []).map { characteristic in
                    """
                    \(characteristic.uuid) \(characteristic.record?.valueHandle ?? 0) \
                    \(characteristic.properties.rawValue) \((characteristic.descriptors ?? []).map(\.uuid))
                    """
                }
        }
    }

    @Test("13.1 services without advertisement, and the other way round")
    func halves() throws {
        var setup = RestorationSetup(.peripheral)
        setup.ball.manager.add(setup.ball.ball)
        setup.testbed.run(.milliseconds(10))
        setup.restartBall()
        #expect(setup.ball.restored.first.map { Set($0.keys) } == [CBPeripheralManagerRestoredStateServicesKey])
        #expect(!setup.ball.manager.isAdvertising)
        setup.ball.manager.removeAllServices()
        setup.ball.advertise(name: "Crystal", services: [])
        setup.testbed.run(.milliseconds(10))
        setup.restartBall()
        let key = CBPeripheralManagerRestoredStateAdvertisementDataKey
        #expect(setup.ball.restored.first.map { Set($0.keys) } == [key])
        #expect(setup.ball.manager.isAdvertising)
        setup.ball.manager.stopAdvertising()
        setup.testbed.run(.milliseconds(10))
        setup.restartBall()
        #expect(setup.ball.calls == ["state 5"])
    }

    @Test("13.1 both ends are killed at once, again and again, and go on talking")
    func bothEnds() throws {
        var setup = RestorationSetup(.central)
        let options: [String: Any] = [CBPeripheralManagerOptionRestoreIdentifierKey: "ball"]
        setup.crystal.restart()
        setup.ball = PeripheralApp(on: setup.crystal.adapter, options: options)
        setup.testbed.run { [ball = setup.ball] in ball.manager.state == .poweredOn }
        setup.ball.open()
        setup.testbed.run(.milliseconds(100))
        _ = try setup.subscribe()
        for round in 1...3 {
            setup.curious.restart()
            setup.crystal.restart()
            setup.ball = PeripheralApp(on: setup.crystal.adapter, options: options)
            setup.central = CentralApp(on: setup.curious.adapter, options: setup.options)
            let (ball, central) = (setup.ball, setup.central)
            #expect(setup.testbed.run { central.count("connect 2") == 1 })
            let services = try #require(
                ball.restored.first?[CBPeripheralManagerRestoredStateServicesKey] as? [CBMutableService]
            )
            let answer = try #require(services.first?.characteristics?.last as? CBMutableCharacteristic)
            #expect(setup.testbed.run { answer.subscribedCentrals?.count == 1 })
            #expect(ball.manager.updateValue("\(round)".octets, for: answer, onSubscribedCentrals: nil))
            #expect(setup.testbed.run { central.values == ["\(round)"] })
        }
    }

    @Test("13.1 a delegate that lacks the method is logged when there is something to restore")
    func missingMethod() throws {
        final class Silent: NSObject, CBPeripheralManagerDelegate {
            func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {}
        }
        let setup = RestorationSetup(.peripheral)
        setup.ball.open()
        setup.testbed.run(.milliseconds(100))
        setup.crystal.restart()
        let silent = Silent()
        let lines = CapturedLog()
        let manager = lines.capture {
            let manager = CBPeripheralManager(
                delegate: silent,
                queue: nil,
                options: setup.options.merging([BluetoothAdapter.optionKey: setup.crystal.adapter] as [String: Any]) {
                    $1
                }
            )
            setup.testbed.run { manager.state == .poweredOn }
            return manager
        }
        #expect(manager.isAdvertising)
        #expect(
            lines.all.count {
                $0.contains("has provided a restore identifier but the delegate doesn't implement the")
            } == 1
        )
    }

    @Test("13.1 services that were all removed are not restored")
    func allRemoved() {
        var setup = RestorationSetup(.peripheral)
        setup.ball.manager.add(setup.ball.ball)
        setup.testbed.run(.milliseconds(10))
        setup.ball.manager.removeAllServices()
        setup.testbed.run(.milliseconds(10))
        setup.restartBall()
        #expect(setup.ball.calls == ["state 5"])
    }

    @Test(
        "13.1 a characteristic that no app can have published is not restored: a foreign record must not end the program",
        arguments: [
            (.read, .readable, nil, true), (.read, .readable, 512, true), (.read, .readable, 513, false),
            ([.read, .write], .readable, 1, false), ([.read, .write], .readable, nil, true),
            (.read, [.readable, .writeable], 1, false), (.read, .readEncryptionRequired, 1, true),
            ([.read, .broadcast], .readable, nil, false), ([.read, .extendedProperties], .readable, nil, false),
        ] as [(CBCharacteristicProperties, CBAttributePermissions, Int?, Bool)]
    )
    func publishable(
        properties: CBCharacteristicProperties,
        permissions: CBAttributePermissions,
        length: Int?,
        isPublishable: Bool
    ) {
        let record = PeripheralRecord.Characteristic(
            uuid: 0xFFF1,
            properties: properties.rawValue,
            permissions: permissions.rawValue,
            value: length.map { Data(count: $0) },
            descriptors: []
        )
        #expect(record.isPublishable == isPublishable)
    }
}
