import BluetoothAir
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("6 Connecting and disconnecting")
struct ConnectingTests {
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

    @Test("6.7 reports isReconnecting and connects again by itself")
    func autoReconnect() throws {
        let talk = Conversation()
        let peripheral = try talk.connect(options: [CBConnectPeripheralOptionEnableAutoReconnect: true])
        peripheral.discoverServices(nil)
        talk.testbed.run { peripheral.services != nil }
        talk.central.calls = []
        try talk.interrupt(peripheral)
        #expect(peripheral.services == nil)
        talk.testbed.run { peripheral.state == .connected }
        talk.central.disconnect(peripheral, in: talk.testbed)
        #expect(talk.central.calls == ["disconnect 1 CBErrorDomain 6", "connect 2", "disconnect 0"])
        #expect(talk.central.ends.map(\.isReconnecting) == [true, false])
    }

    @Test("6.7 reports the time at which the link ended, also if the callback is late", arguments: [0, 30])
    func timestamps(delay: Int64) throws {
        let talk = Conversation()
        let peripheral = try talk.connect()
        func now() -> Double { Double(talk.testbed.loop.now.uptimeNanoseconds) / 1e9 }
        talk.testbed.run(.seconds(7))
        talk.centralAdapter.holdCallbacks(for: .seconds(delay))
        let before = now()
        talk.central.manager.cancelPeripheralConnection(peripheral)
        talk.testbed.run(.seconds(2))
        let after = now()
        try #require(talk.testbed.run { talk.central.ends.count == 1 })
        #expect((before...after).contains(talk.central.ends[0].timestamp))
    }
}
