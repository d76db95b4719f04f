import BluetoothAir
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("6 Connecting and disconnecting")
struct ConnectingTests {
    @Test("6.2 state and callback of a connection")
    func connect() throws {
        let talk = Conversation()
        let peripheral = try talk.find()
        talk.central.manager.connect(peripheral)
        #expect(peripheral.state == .connecting)
        talk.testbed.run { peripheral.state == .connected }
        #expect(talk.central.calls.last == "connect 2")
        talk.testbed.run()
        #expect(talk.central.count("connect 2") == 1)
    }

    @Test("6.1 a request never expires; it is met when the device comes")
    func pending() throws {
        let talk = Conversation()
        let peripheral = try talk.find()
        talk.ball.manager.stopAdvertising()
        talk.testbed.run()
        talk.central.manager.connect(peripheral)
        talk.testbed.run(.hours(24))
        #expect(peripheral.state == .connecting)
        #expect(talk.central.count("connect 2") == 0)
        talk.ball.advertise(name: "Crystal")
        #expect(talk.testbed.run { peripheral.state == .connected })
    }

    @Test("6.4 cancelling a connection ends with didDisconnect without error")
    func cancel() throws {
        let talk = Conversation()
        let peripheral = try talk.connect()
        talk.central.manager.cancelPeripheralConnection(peripheral)
        #expect(peripheral.state == .disconnecting)
        talk.testbed.run { peripheral.state == .disconnected }
        #expect(talk.central.calls.last == "disconnect 0")
    }

    @Test("6.4 cancelling a pending connection ends with didDisconnect without error, not didFail")
    func cancelPending() throws {
        let talk = Conversation()
        let peripheral = try talk.find()
        talk.ball.manager.stopAdvertising()
        talk.testbed.run()
        talk.central.manager.connect(peripheral)
        talk.testbed.run()
        talk.central.manager.cancelPeripheralConnection(peripheral)
        talk.testbed.run()
        #expect(talk.central.calls.suffix(1) == ["disconnect 0"])
        #expect(peripheral.state == .disconnected)
        talk.ball.advertise(name: "Crystal")
        talk.testbed.run(.seconds(3))
        #expect(talk.central.count("connect 2") == 0)
    }

    @Test("6.4 cancelling and connecting at once gives both callbacks, in order")
    func reconnect() throws {
        let talk = Conversation()
        let peripheral = try talk.connect()
        talk.central.calls = []
        talk.central.manager.cancelPeripheralConnection(peripheral)
        talk.central.manager.connect(peripheral)
        #expect(peripheral.state == .connecting)
        talk.testbed.run { peripheral.state == .connected }
        #expect(talk.central.calls == ["disconnect 1", "connect 2"])
    }

    @Test("6.4 connect, cancel and connect in one turn ends connected")
    func flicker() throws {
        let talk = Conversation()
        let peripheral = try talk.find()
        talk.central.calls = []
        talk.central.manager.connect(peripheral)
        talk.central.manager.cancelPeripheralConnection(peripheral)
        talk.central.connect(peripheral, in: talk.testbed)
        talk.testbed.run()
        #expect(talk.central.calls == ["disconnect 1", "connect 2"])
        talk.central.manager.cancelPeripheralConnection(peripheral)
        talk.central.manager.cancelPeripheralConnection(peripheral)
        talk.testbed.run(.seconds(2))
        #expect(talk.central.calls == ["disconnect 1", "connect 2", "disconnect 0"])
    }

    @Test("connecting once more reports didConnect once more")
    func twice() throws {
        let talk = Conversation()
        let peripheral = try talk.connect()
        talk.central.manager.connect(peripheral)
        talk.testbed.run()
        #expect(talk.central.count("connect 2") == 2)
    }

    @Test("6.5 a device that goes away is a timeout, and its services are gone")
    func timeout() throws {
        let talk = Conversation()
        let (peripheral, _, answer) = try talk.discover()
        peripheral.setNotifyValue(true, for: answer)
        talk.testbed.run { answer.isNotifying }
        talk.ballAdapter.setPowered(false)
        talk.testbed.run { peripheral.state == .disconnected }
        #expect(talk.central.calls.last == "disconnect 0 CBErrorDomain 6")
        #expect((talk.central.errors.last as? CBError)?.code == .connectionTimeout)
        #expect(peripheral.services == nil)
        // Commands in flight are not reported.
        #expect(talk.central.calls.suffix(2).first != "value")
    }

    @Test("6.5 the other device can end the link")
    func remote() throws {
        let talk = Conversation()
        let peripheral = try talk.connect()
        // An app beside the ball is a central, too: the link stays, since it is not its own.
        let other = CentralApp(on: talk.ballAdapter)
        talk.testbed.run { other.manager.state == .poweredOn }
        #expect(peripheral.state == .connected)
    }

    @Test("6.6 a new connection makes new objects, and the old ones are dead")
    func newObjects() throws {
        let talk = Conversation()
        let first = try talk.discover()
        talk.central.disconnect(first.peripheral, in: talk.testbed)
        #expect(first.peripheral.services == nil)
        #expect(first.answer.service == nil)
        let second = try talk.discover()
        #expect(second.peripheral === first.peripheral)
        #expect(second.answer !== first.answer)
    }

    @Test("6.7 with auto-reconnect the system connects again and says so")
    func autoReconnect() throws {
        let talk = Conversation()
        let listener = DisconnectListener()
        let manager = talk.centralAdapter.run { CBCentralManager(delegate: listener, queue: nil) }
        talk.testbed.run { listener.found != nil }
        let peripheral = try #require(listener.found)
        manager.connect(peripheral, options: [CBConnectPeripheralOptionEnableAutoReconnect: true])
        talk.testbed.run { peripheral.state == .connected }
        peripheral.discoverServices(nil)
        talk.testbed.run { peripheral.services != nil }
        talk.ballAdapter.setPowered(false)
        talk.testbed.run { peripheral.state == .connecting }
        #expect(peripheral.services == nil)
        talk.ballAdapter.setPowered(true)
        talk.testbed.run { talk.ball.manager.state == .poweredOn }
        talk.ball.advertise(name: "Crystal")
        talk.testbed.run { peripheral.state == .connected }
        manager.cancelPeripheralConnection(peripheral)
        talk.testbed.run { peripheral.state == .disconnected }
        #expect(listener.calls == ["connect", "disconnect true 1 true", "connect", "disconnect false 0 true"])
    }

    @Test("6.8 StartDelay puts the connection off")
    func delay() throws {
        let talk = Conversation()
        let peripheral = try talk.find()
        talk.central.manager.connect(peripheral, options: [CBConnectPeripheralOptionStartDelayKey: NSNumber(value: 3)])
        talk.testbed.run(.milliseconds(2900))
        #expect(peripheral.state == .connecting)
        talk.testbed.run(.seconds(2))
        #expect(peripheral.state == .connected)
        talk.central.disconnect(peripheral, in: talk.testbed)
        talk.central.manager.connect(peripheral, options: [CBConnectPeripheralOptionStartDelayKey: 5])
        talk.testbed.run(.seconds(1))
        talk.central.manager.cancelPeripheralConnection(peripheral)
        talk.testbed.run(.seconds(10))
        #expect(talk.central.calls.suffix(2) == ["disconnect 0", "disconnect 0"])
        #expect(talk.central.count("connect 2") == 1)
    }

    @Test("many pending connections are met in whatever order the devices come")
    func many() throws {
        let testbed = Testbed()
        let central = CentralApp(on: testbed.adapter("Curious"))
        let balls = (1...20).map { PeripheralApp(on: testbed.adapter("Ball \($0)")) }
        testbed.run { central.manager.state == .poweredOn && balls.allSatisfy { $0.manager.state == .poweredOn } }
        for (index, ball) in balls.enumerated() { ball.open(name: "Ball \(index)") }
        central.manager.scanForPeripherals(withServices: [IDs.service])
        #expect(testbed.run { central.found.count == 20 })
        central.manager.stopScan()
        for peripheral in central.found { central.manager.connect(peripheral) }
        #expect(testbed.run { central.found.allSatisfy { $0.state == .connected } })
        for peripheral in central.found { central.manager.cancelPeripheralConnection(peripheral) }
        #expect(testbed.run { central.found.allSatisfy { $0.state == .disconnected } })
        #expect(central.count("disconnect 0") == 20)
    }

    @Test("5.3 6.4 two managers of a process share a link; each sees its own connection")
    func shared() throws {
        let talk = Conversation()
        let (peripheral, _, answer) = try talk.discover()
        let other = CentralApp(on: talk.centralAdapter)
        talk.testbed.run { other.manager.state == .poweredOn }
        let same = try #require(other.manager.retrieveConnectedPeripherals(withServices: [IDs.service]).first)
        #expect(same !== peripheral)
        #expect(same.identifier == peripheral.identifier)
        #expect(same.state == .disconnected)
        same.delegate = other
        other.connect(same, in: talk.testbed)
        same.discoverServices([IDs.service])
        talk.testbed.run { same.services != nil }
        let service = try #require(same.services?.first)
        same.discoverCharacteristics([IDs.answer], for: service)
        talk.testbed.run { service.characteristics != nil }
        let sameAnswer = try #require(service.characteristics?.first)
        peripheral.setNotifyValue(true, for: answer)
        same.setNotifyValue(true, for: sameAnswer)
        talk.testbed.run { answer.isNotifying && sameAnswer.isNotifying }
        #expect(talk.ball.count("subscribed 1") == 1)
        talk.ball.manager.updateValue("both".octets, for: talk.ball.answer, onSubscribedCentrals: nil)
        talk.testbed.run()
        #expect(talk.central.values == ["both"])
        #expect(other.values == ["both"])

        // One stops listening, then leaves: the other one goes on.
        peripheral.setNotifyValue(false, for: answer)
        talk.testbed.run { !answer.isNotifying }
        talk.ball.manager.updateValue("one".octets, for: talk.ball.answer, onSubscribedCentrals: nil)
        talk.testbed.run()
        #expect(talk.central.values == ["both"])
        #expect(other.values == ["both", "one"])
        talk.central.disconnect(peripheral, in: talk.testbed)
        #expect(talk.central.calls.last == "disconnect 0")
        #expect(same.state == .connected)
        #expect(talk.ball.count("unsubscribed 0") == 0)
        other.disconnect(same, in: talk.testbed)
        talk.testbed.run()
        #expect(talk.ball.count("unsubscribed 0") == 1)
    }

    @Test("a peripheral can use the link of its central in the other direction")
    func bothWays() throws {
        let talk = Conversation()
        _ = try talk.connect()
        // The central publishes a service, too, and the ball looks at it.
        let publisher = PeripheralApp(on: talk.centralAdapter)
        let looker = CentralApp(on: talk.ballAdapter)
        talk.testbed.run { publisher.manager.state == .poweredOn && looker.manager.state == .poweredOn }
        publisher.open(name: "Curious")
        looker.manager.scanForPeripherals(withServices: [IDs.service])
        #expect(talk.testbed.run { !looker.found.isEmpty })
        let peripheral = try #require(looker.found.first)
        looker.connect(peripheral, in: talk.testbed)
        peripheral.discoverServices([IDs.service])
        #expect(talk.testbed.run { peripheral.services?.count == 1 })
        looker.manager.cancelPeripheralConnection(peripheral)
        talk.testbed.run()
        #expect(looker.calls.last == "disconnect 0")
        #expect(talk.central.found[0].state == .connected)
    }

    @Test("6.8 a StartDelay of more than a day is one of a day")
    func longDelay() throws {
        let talk = Conversation()
        let peripheral = try talk.find()
        // On a quiet air, where a day is short.
        talk.central.manager.stopScan()
        talk.ball.manager.stopAdvertising()
        talk.central.manager.connect(peripheral, options: [CBConnectPeripheralOptionStartDelayKey: 1e300])
        talk.testbed.run(.hours(24) - .seconds(2))
        talk.ball.advertise(name: "Crystal")
        talk.testbed.run(.seconds(1))
        #expect(peripheral.state == .connecting)
        talk.testbed.run(.seconds(3))
        #expect(peripheral.state == .connected)
        #expect(peripheral.description.contains("mtu = 517, state = connected"))
        // There is a link until its end is reported.
        talk.central.manager.cancelPeripheralConnection(peripheral)
        #expect(peripheral.description.contains("mtu = 517, state = disconnecting"))
        talk.testbed.run { peripheral.state == .disconnected }
        #expect(peripheral.description.contains("mtu = 0, state = disconnected"))
    }
}
