import NIOCore
import Testbed
import Testing

@testable import BluetoothAir
@testable import CoreBluetooth

@Suite("1 Life cycle and state")
struct ManagerStateTests {
    /// A manager with a delegate property of its own.
    private final class OwnManager: CBCentralManager {
        private weak var own: (any CBCentralManagerDelegate)?

        override var delegate: (any CBCentralManagerDelegate)? {
            get { self.own }
            set { self.own = newValue }
        }
    }

    @Test("asks a subclass that overrides the delegate")
    func overriddenDelegate() {
        let testbed = Testbed()
        let adapter = testbed.adapter("One")
        let app = CentralApp(on: adapter)
        let manager = adapter.run { OwnManager(delegate: nil, queue: nil) }
        manager.delegate = app
        testbed.run()
        #expect(app.calls == ["state 5", "state 5"])
    }

    @Test("ignores calls of an app that has not yet seen Bluetooth go off and on")
    func unseenStop() throws {
        let testbed = Testbed()
        let adapters = [testbed.adapter("Server"), testbed.adapter("Client")]
        let server = testbed.ball(on: adapters[0])
        let client = testbed.central(on: adapters[1])
        server.open()
        _ = try client.find(in: testbed)
        client.manager.stopScan()
        server.manager.stopAdvertising()
        testbed.run()
        // The apps' queues are blocked while Bluetooth goes off and comes on.
        for adapter in adapters {
            adapter.holdCallbacks(for: .seconds(10))
            adapter.setPowered(false)
        }
        testbed.run(.seconds(1))
        for adapter in adapters { adapter.setPowered(true) }
        testbed.run(.seconds(1))
        #expect(client.manager.state == .poweredOn && server.manager.state == .poweredOn)
        let (calls, serverCalls) = (client.calls.count, server.calls.count)
        server.advertise(name: "Server")
        server.manager.unpublishL2CAPChannel(0x80)
        client.manager.connect(client.found[0])
        client.manager.scanForPeripherals(withServices: nil)
        testbed.run(.seconds(20))
        #expect(Array(client.calls[calls...]) == ["state 4", "state 5"])
        #expect(Array(server.calls[serverCalls...]) == ["state 4", "state 5"])
        #expect(client.found[0].state == .disconnected && !client.manager.isScanning && !server.manager.isAdvertising)
        #expect(testbed.air.controllers.allSatisfy { $0.linkCount == 0 })
        server.advertise(name: "Server")
        client.manager.connect(client.found[0])
        #expect(testbed.run { client.found[0].state == .connected })
    }

    @Test("client-code 9: reports the state to a delegate that is set later, and keeps it weakly")
    func lateDelegate() {
        final class Listener: NSObject, CBCentralManagerDelegate {
            var states: [CBManagerState] = []
            func centralManagerDidUpdateState(_ central: CBCentralManager) { self.states.append(central.state) }
        }
        let testbed = Testbed()
        var listener: Listener? = Listener()
        let manager = testbed.adapter("One").run { CBCentralManager() }
        manager.delegate = listener
        testbed.run()
        #expect(listener?.states == [.poweredOn])
        listener = nil
        #expect(manager.delegate == nil)
    }

    @Test("1.6 1.8 stops scanning and ends connections without didDisconnect when switched off, before it says so")
    func off() throws {
        let talk = Conversation()
        let (peripheral, _, answer) = try talk.discover()
        talk.central.manager.scanForPeripherals(withServices: nil)
        talk.testbed.run(.milliseconds(50))
        #expect(talk.central.manager.isScanning)
        self.expectEffects(of: "state 4", on: talk.central, peripheral)
        talk.centralAdapter.setPowered(false)
        talk.testbed.run()
        #expect(talk.central.calls == ["state 4"] && answer.service == nil)
        talk.centralAdapter.setPowered(true)
        talk.testbed.run()
        #expect(talk.central.calls == ["state 4", "state 5"])
        // Only a reset makes the object invalid.
        talk.central.connect(peripheral, in: talk.testbed)
    }

    @Test("1.7 B5 pauses advertising while the adapter is off, loses centrals, and keeps services")
    func peripheralOff() throws {
        let talk = Conversation()
        let (peripheral, _, answer) = try talk.subscribe()
        talk.ball.calls = []
        talk.ballAdapter.setPowered(false)
        talk.testbed.run(.seconds(5))
        #expect(talk.ball.manager.state == .poweredOff && !talk.ball.manager.isAdvertising)
        #expect(talk.ball.answer.subscribedCentrals?.isEmpty == true)
        #expect(talk.central.calls.last == "disconnect 0 CBErrorDomain 6" && peripheral.services == nil)
        talk.central.found = []
        talk.central.manager.scanForPeripherals(withServices: nil)
        talk.testbed.run(.seconds(5))
        #expect(talk.central.found.isEmpty)
        talk.ballAdapter.setPowered(true)
        #expect(talk.testbed.run { !talk.central.found.isEmpty } && talk.ball.manager.isAdvertising)
        #expect(talk.ball.calls == ["state 4", "state 5"], "it was reported as started before")
        #expect(try talk.discover().answer !== answer)
    }

    /// Expects that the delegate sees the effects of a new state in the call that reports it.
    private func expectEffects(of state: String, on app: CentralApp, _ peripheral: CBPeripheral) {
        app.calls = []
        app.onCall = { [unowned app] call in
            guard call == state else { return }
            #expect(!app.manager.isScanning && peripheral.state == .disconnected && peripheral.services == nil)
            #expect(peripheral.maximumWriteValueLength(for: .withoutResponse) == 20)
        }
    }

    @Test("1.9 reports a lost controller as a reset and invalidates peripherals")
    func reset() throws {
        let testbed = Testbed()
        let source = BreakableSource(air: testbed.air)
        let adapter = source.adapter("Curious", testbed)
        let ball = testbed.ball(on: testbed.adapter("Crystal"))
        let central = testbed.central(on: adapter)
        ball.open()
        let old = try central.connect(in: testbed)
        _ = try old.discover(nil, in: testbed)
        central.manager.scanForPeripherals(withServices: [IDs.other])
        testbed.run(.milliseconds(10))
        self.expectEffects(of: "state 1", on: central, old)
        source.breakChannel()
        testbed.run(.milliseconds(10))
        #expect(central.calls == ["state 1"])
        testbed.run { central.manager.state == .poweredOn }
        #expect(central.calls == ["state 1", "state 5"])

        #expect(logLines { central.manager.connect(old) }.count == 1 && old.state == .disconnected)

        central.found = []
        let new = try central.connect(in: testbed)
        #expect(new !== old && new.identifier == old.identifier)
    }

    @Test("1.7 B5 ends advertising and clears the database on a reset")
    func peripheralReset() throws {
        let testbed = Testbed()
        let source = BreakableSource(air: testbed.air)
        let ball = testbed.ball(on: source.adapter("Crystal", testbed))
        let central = testbed.central(on: testbed.adapter("Curious"))
        ball.open()
        testbed.run(.milliseconds(10))
        ball.calls = []
        source.breakChannel()
        testbed.run { ball.calls.count == 2 }
        #expect(ball.calls == ["state 1", "state 5"])
        #expect(!ball.manager.isAdvertising)
        ball.advertise(name: "Crystal")
        let peripheral = try central.connect(in: testbed)
        peripheral.discoverServices(nil)
        #expect(testbed.run { peripheral.services == [] })
        ball.manager.add(ball.ball)
        #expect(testbed.run { ball.count("added 8E38") == 1 })
    }

    @Test("reports an adapter that cannot be opened as unsupported, and logs why once")
    func refused() {
        let lines = logLines {
            let testbed = Testbed()
            let adapter = BluetoothAdapter(
                eventLoop: testbed.loop,
                configuration: .init(),
                callbacks: .onEventLoop,
                identities: IdentityStore(),
                retained: nil
            ) { AdapterComponents(refused: "there is no adapter: plug one in") }
            let central = CentralApp(on: adapter)
            testbed.run(.seconds(60))
            #expect(central.calls == ["state 2"])
        }
        #expect(lines == ["[CoreBluetooth] there is no adapter: plug one in"])
    }

    @Test("ends links and advertising of a manager that is released")
    func end() throws {
        let talk = Conversation()
        let (peripheral, _, _) = try talk.discover()
        CapturedLog().capture {
            talk.central.end()
            talk.testbed.run(.seconds(1))
        }
        #expect(peripheral.state == .disconnected)
        let other = talk.testbed.central(on: talk.centralAdapter)
        #expect(other.manager.retrieveConnectedPeripherals(withServices: [IDs.service]).isEmpty)
        talk.ball.end()
        talk.testbed.run(.seconds(1))
        other.manager.scanForPeripherals(withServices: nil)
        talk.testbed.run(.seconds(5))
        #expect(other.found.isEmpty)
    }
}
