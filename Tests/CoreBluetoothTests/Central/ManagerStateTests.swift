import BluetoothAir
import NIOCore
import Testing

@testable import CoreBluetooth

@Suite("1 Life cycle and state")
struct ManagerStateTests {
    @Test("1.3 the state is unknown at first, then told")
    func first() {
        let room = Room()
        let adapter = room.adapter("One")
        let central = CentralApp(on: adapter)
        let peripheral = PeripheralApp(on: adapter)
        #expect(central.manager.state == .unknown)
        #expect(peripheral.manager.state == .unknown)
        #expect(central.calls.isEmpty)
        room.run()
        #expect(central.calls == ["state 5"])
        #expect(peripheral.calls == ["state 5"])
        #expect(central.manager.state == .poweredOn)
    }

    @Test("1.3 a manager that comes later is told, too, and never synchronously")
    func later() {
        let room = Room()
        let adapter = room.adapter("One")
        let first = CentralApp(on: adapter)
        room.run()
        let second = CentralApp(on: adapter)
        #expect(second.manager.state == .unknown)
        room.run()
        #expect(second.calls == ["state 5"])
        #expect(first.calls == ["state 5"])
    }

    @Test("client-code 9: a delegate that is set later hears the state")
    func lateDelegate() {
        final class Listener: NSObject, CBCentralManagerDelegate {
            var states: [CBManagerState] = []
            func centralManagerDidUpdateState(_ central: CBCentralManager) { self.states.append(central.state) }
        }
        let room = Room()
        let listener = Listener()
        let manager = room.adapter("One").run { CBCentralManager() }
        manager.delegate = listener
        room.run()
        #expect(listener.states == [.poweredOn])
    }

    @Test("1.2 the delegate is weak")
    func weakDelegate() {
        let room = Room()
        let adapter = room.adapter("One")
        var app: CentralApp? = CentralApp(on: adapter)
        let manager = app?.manager
        #expect(manager?.delegate != nil)
        app = nil
        #expect(manager?.delegate == nil)
        room.run()
        #expect(manager?.state == .poweredOn)
    }

    @Test("1.6 1.8 switching off stops scanning and ends connections without didDisconnect")
    func off() throws {
        let talk = Conversation()
        let (peripheral, _, answer) = try talk.discover()
        talk.central.manager.scanForPeripherals(withServices: nil)
        talk.room.run(.milliseconds(50))
        #expect(talk.central.manager.isScanning)
        talk.central.calls = []
        talk.centralAdapter.setPowered(false)
        talk.room.run()
        #expect(talk.central.calls == ["state 4"])
        #expect(!talk.central.manager.isScanning)
        #expect(peripheral.state == .disconnected)
        #expect(peripheral.services == nil)
        #expect(answer.service == nil)
        talk.centralAdapter.setPowered(true)
        talk.room.run()
        #expect(talk.central.calls == ["state 4", "state 5"])
        // The object is still good: only a reset makes it invalid.
        talk.central.manager.connect(peripheral)
        #expect(talk.room.run { peripheral.state == .connected })
    }

    @Test("1.7 switching off stops advertising and loses the centrals")
    func peripheralOff() throws {
        let talk = Conversation()
        let (peripheral, _, answer) = try talk.discover()
        peripheral.setNotifyValue(true, for: answer)
        talk.room.run { answer.isNotifying }
        #expect(talk.ball.answer.subscribedCentrals?.count == 1)
        #expect(talk.ball.manager.isAdvertising)
        talk.ballAdapter.setPowered(false)
        talk.room.run(.seconds(5))
        #expect(talk.ball.manager.state == .poweredOff)
        #expect(!talk.ball.manager.isAdvertising)
        #expect(talk.ball.answer.subscribedCentrals?.isEmpty == true)
        #expect(peripheral.state == .disconnected)
        #expect(talk.central.calls.last == "disconnect 0 CBErrorDomain 6")
        // Published services outlast being switched off.
        talk.ballAdapter.setPowered(true)
        talk.room.run { talk.ball.manager.state == .poweredOn }
        talk.ball.advertise(name: "Crystal")
        talk.central.found = []
        let again = try talk.discover()
        #expect(again.answer !== answer)
    }

    @Test("1.9 a lost controller is a reset: old peripherals are of no more use, work goes on with new ones")
    func reset() throws {
        let room = Room()
        let source = BreakableSource(air: room.air)
        let adapter = source.adapter("Curious", room)
        let ball = PeripheralApp(on: room.adapter("Crystal"))
        let central = CentralApp(on: adapter)
        room.run { ball.manager.state == .poweredOn && central.manager.state == .poweredOn }
        ball.open()
        central.manager.scanForPeripherals(withServices: nil)
        room.run { !central.found.isEmpty }
        let old = central.found[0]
        central.manager.connect(old)
        room.run { old.state == .connected }
        central.calls = []
        source.breakChannel()
        room.run(.milliseconds(10))
        #expect(central.calls == ["state 1"])
        #expect(old.state == .disconnected)
        room.run { central.manager.state == .poweredOn }
        #expect(central.calls == ["state 1", "state 5"])

        let lines = Lines()
        lines.listen { central.manager.connect(old) }
        #expect(old.state == .disconnected)
        #expect(lines.all.count == 1)

        central.found = []
        central.manager.scanForPeripherals(withServices: nil)
        room.run { !central.found.isEmpty }
        let new = central.found[0]
        #expect(new !== old)
        #expect(new.identifier == old.identifier)
        central.manager.connect(new)
        #expect(room.run { new.state == .connected })
    }

    @Test("1.9 a controller that dies as soon as it is up is tried more and more rarely, until it stays")
    func dyingController() {
        let room = Room()
        let source = BreakableSource(air: room.air)
        let central = CentralApp(on: source.adapter("Curious", room))
        let deadline = room.loop.now + .seconds(10)
        while room.run(until: { central.manager.state == .poweredOn }, within: .seconds(3)), room.loop.now < deadline {
            source.breakChannel()
        }
        // 25 ms, 50 ms, … 2 s, not 400 times in ten seconds.
        #expect((8...14).contains(source.opened))
        // Once it has stayed for a while, a loss is mended at once.
        room.run(.seconds(3))
        source.breakChannel()
        #expect(room.run(until: { central.manager.state == .resetting }, within: .milliseconds(20)))
        #expect(room.run(until: { central.manager.state == .poweredOn }, within: .milliseconds(200)))
    }

    @Test("1.7 a reset clears the database of a peripheral manager")
    func peripheralReset() throws {
        let room = Room()
        let source = BreakableSource(air: room.air)
        let ball = PeripheralApp(on: source.adapter("Crystal", room))
        let central = CentralApp(on: room.adapter("Curious"))
        room.run { ball.manager.state == .poweredOn && central.manager.state == .poweredOn }
        ball.open()
        room.run(.milliseconds(10))
        ball.calls = []
        source.breakChannel()
        room.run { ball.calls.count == 2 }
        #expect(ball.calls == ["state 1", "state 5"])
        #expect(!ball.manager.isAdvertising)
        ball.advertise(name: "Crystal")
        central.manager.scanForPeripherals(withServices: nil)
        room.run { !central.found.isEmpty }
        let peripheral = central.found[0]
        central.manager.connect(peripheral)
        room.run { peripheral.state == .connected }
        peripheral.discoverServices(nil)
        room.run { peripheral.services != nil }
        #expect(peripheral.services?.count == 0)
        // The same objects are published anew.
        ball.manager.add(ball.ball)
        #expect(room.run { ball.count("added 8E38") == 1 })
    }

    @Test("an adapter that cannot be opened is unsupported, and one line says why")
    func refused() {
        let lines = Lines()
        lines.listen {
            let room = Room()
            let adapter = BluetoothAdapter(
                eventLoop: room.loop,
                callbacks: .onEventLoop,
                identities: IdentityStore(),
                ground: nil
            ) { AdapterComponents(refused: "there is no adapter: plug one in") }
            let central = CentralApp(on: adapter)
            room.run(.seconds(60))
            #expect(central.calls == ["state 2"])
        }
        #expect(lines.all == ["[CoreBluetooth] there is no adapter: plug one in"])
    }

    @Test("a manager that is gone leaves nothing behind")
    func end() throws {
        let talk = Conversation()
        let (peripheral, _, _) = try talk.discover()
        let lines = Lines()
        lines.listen {
            talk.central.end()
            talk.room.run(.seconds(1))
        }
        #expect(peripheral.state == .disconnected)
        let other = CentralApp(on: talk.centralAdapter)
        talk.room.run { other.manager.state == .poweredOn }
        #expect(other.manager.retrieveConnectedPeripherals(withServices: [IDs.service]).isEmpty)
        talk.ball.end()
        talk.room.run(.seconds(1))
        other.manager.scanForPeripherals(withServices: nil)
        talk.room.run(.seconds(5))
        #expect(other.found.isEmpty)
    }
}
