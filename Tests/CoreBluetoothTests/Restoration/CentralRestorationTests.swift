import BluetoothAir
import NIOCore
import Testing

@testable import CoreBluetooth

/// A central whose process is killed, and a ball.
struct Lives {
    let room = Room()
    let curious: Device
    let crystal: Device
    let options: [String: Any] = [CBCentralManagerOptionRestoreIdentifierKey: "asker"]
    var ball: PeripheralApp
    var central: CentralApp

    init() {
        self.curious = Device("Curious", in: self.room)
        self.crystal = Device("Crystal", in: self.room)
        self.ball = PeripheralApp(on: self.crystal.adapter)
        self.central = CentralApp(on: self.curious.adapter, options: self.options)
        let (ball, central) = (self.ball, self.central)
        self.room.run { ball.manager.state == .poweredOn && central.manager.state == .poweredOn }
        ball.open()
        self.room.run(.milliseconds(1))
    }

    /// Kills the central's process and starts the next one.
    mutating func restartCentral(_ options: [String: Any]? = nil) {
        self.curious.restart()
        self.central = CentralApp(on: self.curious.adapter, options: options ?? self.options)
    }

    /// Finds the ball and connects.
    func connect() throws -> CBPeripheral {
        try self.central.connect(in: self.room)
    }

    /// Connects, discovers everything and subscribes.
    func subscribe() throws -> CBPeripheral {
        let peripheral = try self.connect()
        let answer = try peripheral.discover(nil, in: self.room).characteristic(IDs.answer)
        peripheral.discoverDescriptors(for: answer)
        peripheral.setNotifyValue(true, for: answer)
        try #require(self.room.run { answer.isNotifying })
        return peripheral
    }

    /// The answer of the restored peripheral.
    func answer() throws -> CBCharacteristic {
        try #require(self.central.found.first?.services?.first?.characteristics?.first { $0.uuid == IDs.answer })
    }
}

@Suite("13.1 Restoration of centrals")
struct CentralRestorationTests {
    @Test("13.1 a connection comes back by itself, with what was discovered and subscribed to")
    func connection() throws {
        var lives = Lives()
        let identifier = try lives.subscribe().identifier
        #expect(lives.ball.manager.updateValue("before".octets, for: lives.ball.answer, onSubscribedCentrals: nil))
        #expect(lives.room.run { lives.central.values == ["before"] })

        lives.restartCentral()
        #expect(lives.room.run { !lives.central.calls.isEmpty })
        #expect(lives.central.calls.prefix(2) == ["restore 0", "state 5"])
        let dictionary = try #require(lives.central.restored.first)
        #expect(Set(dictionary.keys) == [CBCentralManagerRestoredStatePeripheralsKey])
        let peripheral = try #require(lives.central.found.first)
        #expect(peripheral.identifier == identifier)
        #expect(peripheral.name == "Crystal")
        #expect(peripheral.state == .connecting)
        // What was discovered is there, with its subscription.
        let answer = try lives.answer()
        #expect(peripheral.services?.map(\.uuid) == [IDs.service])
        #expect(peripheral.services?.first?.characteristics?.map(\.uuid) == [IDs.question, IDs.answer])
        #expect(answer.descriptors?.map(\.uuid.uuidString) == ["2902"])
        #expect(answer.isNotifying)
        #expect(answer.service?.peripheral === peripheral)

        #expect(lives.room.run { peripheral.state == .connected })
        #expect(lives.central.count("connect 2") == 1)
        #expect(lives.room.run { lives.ball.answer.subscribedCentrals?.count == 1 })
        #expect(lives.ball.manager.updateValue("after".octets, for: lives.ball.answer, onSubscribedCentrals: nil))
        #expect(lives.room.run { lives.central.values == ["after"] })
        // The objects work, and nothing of this was told twice.
        peripheral.readValue(for: answer)
        #expect(lives.room.run { lives.central.values.count == 2 })
        #expect(lives.central.calls == ["restore 0", "state 5", "connect 2", "value", "value"])
        #expect(try lives.answer() === answer)
    }

    @Test("13.1 what is restored survives the next end, too, also before the link is back")
    func again() throws {
        var lives = Lives()
        _ = try lives.subscribe()
        for round in 1...4 {
            lives.restartCentral()
            // Every second time the process ends before the ball is connected again.
            if round.isMultiple(of: 2) {
                #expect(lives.room.run { lives.central.count("connect 2") == 1 })
            } else {
                #expect(lives.room.run { lives.central.calls == ["restore 0", "state 5"] })
            }
        }
        #expect(try lives.answer().isNotifying)
        #expect(lives.room.run { lives.ball.answer.subscribedCentrals?.count == 1 })
        lives.ball.manager.updateValue("still".octets, for: lives.ball.answer, onSubscribedCentrals: nil)
        #expect(lives.room.run { lives.central.values == ["still"] })
    }

    @Test("13.1 a pending connection survives while the peripheral is away")
    func pending() throws {
        var lives = Lives()
        let peripheral = try lives.connect()
        let identifier = peripheral.identifier
        lives.ball.manager.stopAdvertising()
        lives.central.manager.cancelPeripheralConnection(peripheral)
        #expect(lives.room.run { peripheral.state == .disconnected })
        lives.central.manager.connect(peripheral)
        lives.room.run(.seconds(1))
        #expect(peripheral.state == .connecting)

        lives.restartCentral()
        lives.room.run(.seconds(60))
        #expect(lives.central.calls == ["restore 0", "state 5"])
        let restored = try #require(lives.central.found.first)
        #expect(restored.identifier == identifier)
        #expect(restored.state == .connecting)
        #expect(restored.services == nil)
        lives.ball.advertise(name: "Crystal")
        #expect(lives.room.run { restored.state == .connected })
        #expect(lives.central.calls.last == "connect 2")
    }

    @Test("13.1 the scan goes on, with its services and options")
    func scan() throws {
        var lives = Lives()
        lives.ball.manager.stopAdvertising()
        lives.central.manager.scanForPeripherals(
            withServices: [IDs.service, IDs.other],
            options: [
                CBCentralManagerScanOptionAllowDuplicatesKey: true,
                CBCentralManagerScanOptionSolicitedServiceUUIDsKey: [IDs.other],
            ]
        )
        lives.room.run(.milliseconds(10))
        lives.restartCentral()
        #expect(lives.room.run { lives.central.calls == ["restore 0", "state 5"] })
        let dictionary = try #require(lives.central.restored.first)
        #expect(dictionary.count == 2)
        let services = dictionary[CBCentralManagerRestoredStateScanServicesKey] as? [CBUUID]
        #expect(services == [IDs.service, IDs.other])
        let options = try #require(dictionary[CBCentralManagerRestoredStateScanOptionsKey] as? [String: Any])
        #expect(options.count == 2)
        #expect((options[CBCentralManagerScanOptionAllowDuplicatesKey] as? NSNumber)?.boolValue == true)
        #expect(options[CBCentralManagerScanOptionSolicitedServiceUUIDsKey] as? [CBUUID] == [IDs.other])
        #expect(lives.central.manager.isScanning)
        lives.ball.advertise(name: "Crystal")
        #expect(lives.room.run { lives.central.count("discover Crystal") > 3 })
    }

    @Test("13.1 what there is none of has no key")
    func keys() throws {
        var lives = Lives()
        lives.central.manager.scanForPeripherals(withServices: nil)
        lives.room.run(.milliseconds(10))
        lives.restartCentral()
        lives.room.run { lives.central.manager.state == .poweredOn }
        #expect(lives.central.restored.count == 1)
        #expect(lives.central.restored.first?.isEmpty == true)
        #expect(lives.central.manager.isScanning)
        lives.central.manager.stopScan()
        lives.room.run(.milliseconds(10))
        // Nothing is going on: there is nothing to restore.
        lives.restartCentral()
        lives.room.run { lives.central.manager.state == .poweredOn }
        #expect(lives.central.calls.first == "state 5")
        #expect(!lives.curious.storage.names.contains { $0.hasPrefix("central-") })
    }

    @Test("13.1 without the identifier, or with another one, nothing is restored; it stays for who has it")
    func identifiers() throws {
        var lives = Lives()
        _ = try lives.subscribe()
        lives.restartCentral([:])
        lives.room.run(.seconds(1))
        #expect(lives.central.calls == ["state 5"])
        lives.restartCentral([CBCentralManagerOptionRestoreIdentifierKey: "another"])
        lives.room.run(.seconds(1))
        #expect(lives.central.calls == ["state 5"])
        lives.restartCentral()
        #expect(lives.room.run { lives.central.count("connect 2") == 1 })
    }

    @Test("13.1 a manager that is let go, a cancelled connection and an ended scan are not restored")
    func givenUp() throws {
        var lives = Lives()
        let peripheral = try lives.subscribe()
        lives.central.manager.cancelPeripheralConnection(peripheral)
        lives.room.run { peripheral.state == .disconnected }
        lives.restartCentral()
        lives.room.run { lives.central.manager.state == .poweredOn }
        #expect(lives.central.calls == ["state 5"])

        lives.central.manager.scanForPeripherals(withServices: [IDs.service])
        lives.room.run(.milliseconds(10))
        lives.central.end()
        lives.room.run(.milliseconds(10))
        lives.restartCentral()
        lives.room.run { lives.central.manager.state == .poweredOn }
        #expect(lives.central.calls == ["state 5"])
    }

    @Test("13.1 a peripheral that the app does not keep is given up")
    func notKept() throws {
        var lives = Lives()
        _ = try lives.connect()
        let lines = Lines()
        lines.listen {
            lives.restartCentral()
            lives.central.onCall = { [central = lives.central] call in
                guard call.hasPrefix("restore") else { return }
                central.found = []
                central.restored = []
            }
            lives.room.run(.seconds(1))
        }
        #expect(lives.central.calls == ["restore 0", "state 5"])
        #expect(lines.all.contains { $0.contains("Cancelling connection for unused peripheral") })
        lives.restartCentral()
        lives.room.run { lives.central.manager.state == .poweredOn }
        #expect(lives.central.calls == ["state 5"])
    }

    @Test("13.1 after Bluetooth was switched off nothing is restored")
    func switchedOff() throws {
        var lives = Lives()
        _ = try lives.subscribe()
        lives.central.manager.scanForPeripherals(withServices: nil)
        lives.room.run(.milliseconds(10))
        lives.curious.adapter.setPowered(false)
        lives.room.run { lives.central.manager.state == .poweredOff }
        lives.restartCentral()
        lives.room.run { lives.central.manager.state == .poweredOn }
        #expect(lives.central.calls == ["state 5"])
    }

    @Test("13.1 a controller that is lost as the process ends does not lose the state")
    func controllerLost() throws {
        var lives = Lives()
        _ = try lives.subscribe()
        lives.curious.breakController()
        lives.room.loop.run()
        #expect(lives.central.manager.state == .resetting)
        lives.restartCentral()
        #expect(lives.room.run { lives.central.count("connect 2") == 1 })
        // When it is back, the app begins anew, as everybody does then.
        lives.curious.breakController()
        lives.room.run { lives.central.count("state 5") == 2 }
        lives.room.run(.milliseconds(10))
        lives.restartCentral()
        lives.room.run { lives.central.manager.state == .poweredOn }
        #expect(lives.central.calls == ["state 5"])
    }

    @Test("13.1 two managers with one identifier: the second one has no state")
    func twice() throws {
        var lives = Lives()
        _ = try lives.subscribe()
        lives.restartCentral()
        let lines = Lines()
        let second = lines.listen {
            let second = CentralApp(on: lives.curious.adapter, options: lives.options)
            lives.room.run { lives.central.count("connect 2") == 1 }
            return second
        }
        #expect(second.calls == ["state 5"])
        #expect(lines.all.count { $0.contains("another manager has that restore identifier") } == 1)
        // The first one being gone, the second may not write either.
        second.manager.scanForPeripherals(withServices: nil)
        lives.room.run(.milliseconds(10))
        lives.restartCentral()
        #expect(lives.room.run { lives.central.count("connect 2") == 1 })
        #expect(!lives.central.manager.isScanning)
    }

    @Test("13.1 a peripheral whose services changed meanwhile is connected, and what was known of it is invalid")
    func changed() throws {
        var lives = Lives()
        _ = try lives.subscribe()
        lives.curious.adapter.kill()
        lives.room.run(.seconds(10))
        let further = CBMutableService(type: IDs.other, primary: true)
        lives.ball.manager.add(further)
        lives.room.run(.milliseconds(10))
        lives.restartCentral()
        let calls = ["restore 0", "state 5", "connect 2", "modified \(IDs.service.uuidString)"]
        #expect(lives.room.run { lives.central.calls == calls })
        let peripheral = try #require(lives.central.found.first)
        #expect(peripheral.services?.isEmpty == true)
        // It can be discovered again, and is restored as it is now.
        peripheral.discoverServices([IDs.other])
        #expect(lives.room.run { peripheral.services?.map(\.uuid) == [IDs.other] })
        lives.restartCentral()
        #expect(lives.room.run { lives.central.count("connect 2") == 1 })
        lives.room.run(.seconds(1))
        #expect(lives.central.found.first?.services?.map(\.uuid) == [IDs.other])
        #expect(lives.central.count("modified FFF0") == 0)
    }

    @Test("13.1 auto-reconnect is restored")
    func autoReconnect() throws {
        var lives = Lives()
        let peripheral = try lives.connect()
        lives.central.manager.cancelPeripheralConnection(peripheral)
        lives.room.run { peripheral.state == .disconnected }
        lives.central.manager.connect(peripheral, options: [CBConnectPeripheralOptionEnableAutoReconnect: true])
        lives.room.run { peripheral.state == .connected }
        lives.restartCentral()
        #expect(lives.room.run { lives.central.count("connect 2") == 1 })
        lives.crystal.adapter.setPowered(false)
        #expect(
            lives.room.run(until: { lives.central.calls.last?.hasPrefix("disconnect 1") == true }, within: .seconds(30))
        )
        lives.crystal.adapter.setPowered(true)
        lives.room.run { lives.ball.manager.state == .poweredOn }
        lives.ball.advertise(name: "Crystal")
        #expect(lives.room.run { lives.central.count("connect 2") == 2 })
    }
}
