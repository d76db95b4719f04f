import BluetoothHCI
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
        let services = setup.ball.restoredServices
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
        let mine = try setup.ball.restored(IDs.answer)
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

    @Test("13.1 properties, permissions, static values, descriptors and included services stay the same")
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
        let services = setup.ball.restoredServices
        #expect(services.map(\.uuid.uuidString) == ["AAA0", IDs.service.uuidString])
        #expect(services.map(\.isPrimary) == [false, true])
        #expect(services[1].includedServices?.first === services[0])
        let restored = try setup.ball.restored(CBUUID(string: "AAA1"))
        #expect(restored.value == "fixed".octets)
        #expect(restored.descriptors?.map { "\($0.value ?? "-")" }.first == "What is fixed")
        #expect((restored.descriptors?.last?.value as? NSData)?.length == 7)
        let other = try setup.ball.restored(IDs.other)
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

    @Test("13.1 services come back without an advertisement, an advertisement without services, and neither alone")
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

    @Test("13.1 a delegate that lacks the method is reported if there is something to restore")
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
                options: BluetoothAdapter.options(for: setup.crystal.adapter, restoring: "ball")
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
}

@Suite("13.1 Restored advertising that is refused")
struct PeripheralRestorationRefusalTests {
    private let testbed = Testbed()
    private let storage = MemoryStorage()

    /// Starts a process of the ball's device, with a controller that refuses to advertise or does not.
    private func start(isRefusing: Bool) -> (adapter: BluetoothAdapter, ball: PeripheralApp) {
        let source = BreakableSource(air: self.testbed.air)
        if isRefusing {
            let status = HCIErrorCode.commandDisallowed
            source.refused = [LESetAdvertisingEnable.opcode: status, LESetExtendedAdvertisingEnable.opcode: status]
        }
        let adapter = source.adapter("Crystal", self.testbed, storage: self.storage)
        let ball = self.testbed.ball(on: adapter, restoring: "ball")
        self.testbed.run(.milliseconds(100))
        return (adapter, ball)
    }

    private func end(_ adapter: BluetoothAdapter) {
        adapter.kill()
        self.testbed.run(.milliseconds(10))
    }

    @Test("13.1 restored advertising that the controller refuses is reported, and not restored again")
    func refused() {
        let first = self.start(isRefusing: false)
        first.ball.open()
        self.testbed.run(.milliseconds(100))
        #expect(first.ball.manager.isAdvertising)
        self.end(first.adapter)
        let second = self.start(isRefusing: true)
        #expect(second.ball.calls == ["restore 0", "state 5", "advertising false CBErrorDomain 0"])
        #expect(second.ball.restored.first?.count == 2 && !second.ball.manager.isAdvertising)
        self.end(second.adapter)
        let third = self.start(isRefusing: false)
        #expect(third.ball.calls == ["restore 0", "state 5"] && !third.ball.manager.isAdvertising)
        let keys = third.ball.restored.first.map { Array($0.keys) }
        #expect(keys == [CBPeripheralManagerRestoredStateServicesKey])
        // The app may ask for it again.
        third.ball.advertise(name: "Crystal")
        self.testbed.run(.milliseconds(100))
        #expect(third.ball.calls.last == "advertising true")
    }

    @Test("13.1 1.4 services and an advertisement that ended when the user forbade them are not stored any more")
    func forbidden() {
        let adapter = self.testbed.adapter("Crystal", storage: self.storage)
        let policy = PolicyStub("app")
        let ball = self.testbed.ball(on: adapter, restoring: "ball", of: policy)
        ball.open()
        self.testbed.run()
        #expect(self.storage.names.count { $0.hasPrefix("peripheral-") } == 1)
        policy.decide(.denied)
        self.testbed.run()
        #expect(ball.calls.last == "state 3" && !ball.manager.isAdvertising)
        #expect(!self.storage.names.contains { $0.hasPrefix("peripheral-") })
        withExtendedLifetime(ball) {}
    }
}
