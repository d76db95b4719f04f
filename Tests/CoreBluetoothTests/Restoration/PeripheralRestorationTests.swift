import BluetoothAir
import NIOCore
import Testing

@testable import CoreBluetooth

/// A ball whose process is killed, and a central.
struct BallLives {
    let room = Room()
    let crystal: Device
    let curious: Device
    let options: [String: Any] = [CBPeripheralManagerOptionRestoreIdentifierKey: "ball"]
    var ball: PeripheralApp
    let central: CentralApp

    init() {
        self.crystal = Device("Crystal", in: self.room)
        self.curious = Device("Curious", in: self.room)
        self.ball = PeripheralApp(on: self.crystal.adapter, options: self.options)
        self.central = CentralApp(on: self.curious.adapter)
        let (ball, central) = (self.ball, self.central)
        self.room.run { ball.manager.state == .poweredOn && central.manager.state == .poweredOn }
    }

    /// Kills the ball's process and starts the next one, which publishes nothing by itself.
    mutating func restartBall() {
        self.crystal.restart()
        self.ball = PeripheralApp(on: self.crystal.adapter, options: self.options)
        let ball = self.ball
        self.room.run { ball.manager.state == .poweredOn }
    }

    /// Finds the ball and discovers its services.
    func visit() throws -> CBPeripheral {
        self.central.found = []
        let peripheral = try self.central.connect(in: self.room)
        peripheral.discoverServices(nil)
        try #require(self.room.run { peripheral.services != nil })
        for service in peripheral.services ?? [] {
            peripheral.discoverIncludedServices(nil, for: service)
            peripheral.discoverCharacteristics(nil, for: service)
        }
        try #require(self.room.run { peripheral.services?.allSatisfy { $0.characteristics != nil } == true })
        for characteristic in (peripheral.services ?? []).flatMap({ $0.characteristics ?? [] }) {
            peripheral.discoverDescriptors(for: characteristic)
        }
        self.room.run(.milliseconds(100))
        return peripheral
    }

    /// The app's object for a characteristic, among those restored.
    func restored(_ uuid: CBUUID) throws -> CBMutableCharacteristic {
        let services = ball.restored.first?[CBPeripheralManagerRestoredStateServicesKey] as? [CBMutableService]
        let all = (services ?? []).flatMap { $0.characteristics ?? [] }
        return try #require(all.first { $0.uuid == uuid } as? CBMutableCharacteristic)
    }
}

@Suite("13.1 Restoration of peripherals")
struct PeripheralRestorationTests {
    @Test("13.1 services and advertisement come back by themselves, and the app serves them")
    func services() throws {
        var lives = BallLives()
        lives.ball.open()
        lives.room.run { lives.ball.manager.isAdvertising }
        lives.restartBall()
        #expect(lives.ball.calls == ["restore 0", "state 5"])
        let dictionary = try #require(lives.ball.restored.first)
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
        #expect(lives.ball.manager.isAdvertising)

        // A central finds it, reads, writes and subscribes: the restored objects are served.
        lives.ball.reading = "Yes".octets
        let peripheral = try lives.visit()
        #expect(peripheral.name == "Crystal")
        let characteristics = peripheral.services?.first?.characteristics ?? []
        let question = try #require(characteristics.first { $0.uuid == IDs.question })
        let answer = try #require(characteristics.first { $0.uuid == IDs.answer })
        peripheral.setNotifyValue(true, for: answer)
        peripheral.writeValue("Rain?".octets, for: question, type: .withResponse)
        peripheral.readValue(for: answer)
        #expect(lives.room.run { lives.central.values == ["Yes"] })
        #expect(lives.ball.written.map(\.text) == ["Rain?"])
        let mine = try lives.restored(IDs.answer)
        #expect(lives.ball.requests.last?.characteristic === mine)
        #expect(mine.subscribedCentrals?.count == 1)
        #expect(lives.ball.manager.updateValue("No".octets, for: mine, onSubscribedCentrals: nil))
        #expect(lives.room.run { lives.central.values == ["Yes", "No"] })
        // Neither was added or advertised by the app.
        #expect(!lives.ball.calls.contains { $0.hasPrefix("added") || $0.hasPrefix("advertising") })
        // And they can be withdrawn like any other.
        lives.ball.manager.remove(services[0])
        #expect(lives.room.run { lives.central.calls.last == "modified \(IDs.service.uuidString)" })
    }

    @Test("13.1 properties, permissions, static values, descriptors and included services are what they were")
    func details() throws {
        var lives = BallLives()
        let inner = CBMutableService(type: CBUUID(string: "AAA0"), primary: false)
        let fixed = CBMutableCharacteristic(
            type: CBUUID(string: "AAA1"),
            properties: [.read],
            value: "fixed".octets,
            permissions: [.readable]
        )
        fixed.descriptors = [
            CBMutableDescriptor(type: CBUUID(string: "2901"), value: "What is fixed"),
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
        lives.ball.manager.add(inner)
        lives.ball.manager.add(outer)
        lives.ball.manager.add(lives.ball.ball)
        lives.ball.manager.remove(lives.ball.ball)
        lives.ball.advertise(name: nil)
        lives.room.run(.milliseconds(100))
        let before = try lives.visit()
        let text = Self.describe(before)
        lives.central.manager.cancelPeripheralConnection(before)
        lives.room.run(.milliseconds(100))

        lives.restartBall()
        let services = try #require(
            lives.ball.restored.first?[CBPeripheralManagerRestoredStateServicesKey] as? [CBMutableService]
        )
        #expect(services.map(\.uuid.uuidString) == ["AAA0", IDs.service.uuidString])
        #expect(services.map(\.isPrimary) == [false, true])
        #expect(services[1].includedServices?.first === services[0])
        let restored = try lives.restored(CBUUID(string: "AAA1"))
        #expect(restored.value == "fixed".octets)
        #expect(restored.descriptors?.map { "\($0.value ?? "-")" }.first == "What is fixed")
        #expect((restored.descriptors?.last?.value as? NSData)?.length == 7)
        let other = try lives.restored(IDs.other)
        #expect(other.properties == [.read, .write, .notifyEncryptionRequired])
        #expect(other.permissions == [.readable, .writeEncryptionRequired])
        let advertisement = lives.ball.restored.first?[CBPeripheralManagerRestoredStateAdvertisementDataKey]
        #expect((advertisement as? [String: Any])?.count == 1)
        // The peripheral is the same to a central, handle by handle: it knows it by its Database Hash.
        _ = lives.curious.takeSent()
        #expect(Self.describe(try lives.visit()) == text)
        #expect(lives.curious.takeSent() == [0x02, 0x08, 0x12, 0x12])
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
        var lives = BallLives()
        lives.ball.manager.add(lives.ball.ball)
        lives.room.run(.milliseconds(10))
        lives.restartBall()
        #expect(lives.ball.restored.first.map { Set($0.keys) } == [CBPeripheralManagerRestoredStateServicesKey])
        #expect(!lives.ball.manager.isAdvertising)
        lives.ball.manager.removeAllServices()
        lives.ball.advertise(name: "Crystal", services: [])
        lives.room.run(.milliseconds(10))
        lives.restartBall()
        let key = CBPeripheralManagerRestoredStateAdvertisementDataKey
        #expect(lives.ball.restored.first.map { Set($0.keys) } == [key])
        #expect(lives.ball.manager.isAdvertising)
        lives.ball.manager.stopAdvertising()
        lives.room.run(.milliseconds(10))
        lives.restartBall()
        #expect(lives.ball.calls == ["state 5"])
    }

    @Test("13.1 both ends are killed at once, again and again, and go on talking")
    func bothEnds() throws {
        var lives = Lives()
        let options: [String: Any] = [CBPeripheralManagerOptionRestoreIdentifierKey: "ball"]
        lives.crystal.restart()
        lives.ball = PeripheralApp(on: lives.crystal.adapter, options: options)
        lives.room.run { [ball = lives.ball] in ball.manager.state == .poweredOn }
        lives.ball.open()
        lives.room.run(.milliseconds(100))
        _ = try lives.subscribe()
        for round in 1...3 {
            lives.curious.restart()
            lives.crystal.restart()
            lives.ball = PeripheralApp(on: lives.crystal.adapter, options: options)
            lives.central = CentralApp(on: lives.curious.adapter, options: lives.options)
            let (ball, central) = (lives.ball, lives.central)
            #expect(lives.room.run { central.count("connect 2") == 1 })
            let services = try #require(
                ball.restored.first?[CBPeripheralManagerRestoredStateServicesKey] as? [CBMutableService]
            )
            let answer = try #require(services.first?.characteristics?.last as? CBMutableCharacteristic)
            #expect(lives.room.run { answer.subscribedCentrals?.count == 1 })
            #expect(ball.manager.updateValue("\(round)".octets, for: answer, onSubscribedCentrals: nil))
            #expect(lives.room.run { central.values == ["\(round)"] })
        }
    }

    @Test("13.1 a delegate without the method is told so when there is something to restore")
    func missingMethod() throws {
        final class Silent: NSObject, CBPeripheralManagerDelegate {
            func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {}
        }
        let lives = BallLives()
        lives.ball.open()
        lives.room.run(.milliseconds(100))
        lives.crystal.restart()
        let silent = Silent()
        let lines = Lines()
        let manager = lines.listen {
            let manager = CBPeripheralManager(
                delegate: silent,
                queue: nil,
                options: lives.options.merging([BluetoothAdapter.optionKey: lives.crystal.adapter] as [String: Any]) {
                    $1
                }
            )
            lives.room.run { manager.state == .poweredOn }
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
