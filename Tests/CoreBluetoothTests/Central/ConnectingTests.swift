import BluetoothAir
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("6 Connecting and disconnecting")
struct ConnectingTests {
    @Test("6.2 6.4 reports a connection, and its cancellation without an error")
    func connect() throws {
        let talk = Conversation()
        let peripheral = try talk.find()
        talk.central.calls = []
        talk.central.manager.stopScan()
        talk.central.manager.connect(peripheral)
        #expect(peripheral.state == .connecting)
        talk.testbed.run { peripheral.state == .connected }
        talk.central.manager.cancelPeripheralConnection(peripheral)
        #expect(peripheral.state == .disconnecting)
        #expect(peripheral.description.contains("mtu = 517, state = disconnecting"))
        talk.testbed.run { peripheral.state == .disconnected }
        #expect(peripheral.description.contains("mtu = 0, state = disconnected"))
        talk.testbed.run()
        #expect(talk.central.calls == ["connect 2", "disconnect 0"])
    }

    @Test("6.1 6.4 keeps a request until the device comes, after a day, or reports its cancellation without an error")
    func pending() throws {
        let talk = Conversation()
        let peripheral = try talk.requestConnection()
        talk.central.calls = []
        talk.central.manager.cancelPeripheralConnection(peripheral)
        talk.testbed.run()
        #expect(talk.central.calls == ["disconnect 0"] && peripheral.state == .disconnected)
        talk.central.manager.connect(peripheral)
        talk.testbed.run(.hours(24))
        #expect(talk.central.calls == ["disconnect 0"] && peripheral.state == .connecting)
        talk.ball.advertise(name: "Crystal")
        #expect(talk.testbed.run { peripheral.state == .connected })
    }

    @Test("6.4 ends connected after connect, cancel and connect in one turn, also if it was connected before")
    func flicker() throws {
        let talk = Conversation()
        let peripheral = try talk.find()
        talk.central.calls = []
        for round in 1...2 {
            talk.central.manager.connect(peripheral)
            talk.central.manager.cancelPeripheralConnection(peripheral)
            talk.central.connect(peripheral, in: talk.testbed)
            talk.testbed.run()
            #expect(talk.central.count("disconnect 1") == round && talk.central.calls.last == "connect 2")
        }
        talk.central.manager.cancelPeripheralConnection(peripheral)
        talk.central.manager.cancelPeripheralConnection(peripheral)
        talk.testbed.run(.seconds(2))
        #expect(talk.central.count("disconnect 0") == 1)
    }

    @Test("reports didConnect again when a connected peripheral is connected")
    func twice() throws {
        let talk = Conversation()
        let peripheral = try talk.connect()
        talk.central.manager.connect(peripheral)
        talk.testbed.run()
        #expect(talk.central.count("connect 2") == 2)
    }

    @Test("6.7 reports isReconnecting and connects again by itself")
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

    @Test("6.8 delays a connection by StartDelay")
    func delay() throws {
        let talk = Conversation()
        let peripheral = try talk.find()
        talk.central.manager.connect(peripheral, options: [CBConnectPeripheralOptionStartDelayKey: NSNumber(value: 3)])
        talk.testbed.run(.milliseconds(2900))
        #expect(peripheral.state == .connecting)
        talk.testbed.run(.seconds(2))
        #expect(peripheral.state == .connected)
    }

    @Test("6.7 reports the time at which the link ended, also if the callback is late")
    func timestamps() throws {
        let talk = Conversation()
        let listener = DisconnectListener()
        let manager = talk.centralAdapter.run { CBCentralManager(delegate: listener, queue: nil) }
        try #require(talk.testbed.run { listener.found != nil })
        let peripheral = try #require(listener.found)
        manager.stopScan()
        func now() -> Double { Double(talk.testbed.loop.now.uptimeNanoseconds) / 1e9 }
        for round in 1...2 {
            manager.connect(peripheral)
            try #require(talk.testbed.run { peripheral.state == .connected })
            talk.testbed.run(.seconds(7))
            if round == 2 { talk.centralAdapter.holdCallbacks(for: .seconds(30)) }
            let before = now()
            manager.cancelPeripheralConnection(peripheral)
            talk.testbed.run(.seconds(2))
            let after = now()
            try #require(talk.testbed.run { listener.times.count == round })
            #expect((before...after).contains(listener.times[round - 1]))
        }
        withExtendedLifetime(manager) {}
    }
}
