// Links with controllers that have limits, duplicate links, and links that come back.

import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("6 Limits, reconnection and options of links")
struct LinkTests {
    @Test("6.9 6.3 fails with connectionLimitReached when the controller has no link left, and connects later")
    func limit() throws {
        let testbed = Testbed()
        var configuration = VirtualControllerConfiguration()
        configuration.model.maximumLinkCount = 2
        let source = BreakableSource(air: testbed.air, configuration: configuration)
        let central = CentralApp(on: source.adapter("Curious", testbed))
        let balls = (1...3).map { PeripheralApp(on: testbed.adapter("Ball \($0)")) }
        testbed.run { central.manager.state == .poweredOn && balls.allSatisfy { $0.manager.state == .poweredOn } }
        for ball in balls { ball.open() }
        central.manager.scanForPeripherals(withServices: [IDs.service])
        try #require(testbed.run { central.found.count == 3 })
        central.manager.stopScan()
        for peripheral in central.found.prefix(2) { central.connect(peripheral, in: testbed) }
        let third = central.found[2]
        central.manager.connect(third)
        #expect(testbed.run { central.calls.last == "fail CBErrorDomain 11" } && third.state == .disconnected)
        // With a free connection again the same object connects.
        central.disconnect(central.found[0], in: testbed)
        central.connect(third, in: testbed)
    }

    @Test("6.2 takes up a duplicate link to a peer when the first one ends")
    func secondLink() throws {
        // A peer that restarted connects before the loss of its old link is noticed.
        let testbed = Testbed()
        let source = BreakableSource(air: testbed.air)
        let central = CentralApp(on: source.adapter("Curious", testbed))
        let ballAdapter = testbed.adapter("Crystal")
        let ball = PeripheralApp(on: ballAdapter)
        testbed.run { ball.manager.state == .poweredOn && central.manager.state == .poweredOn }
        ball.open()
        let peripheral = try central.connect(in: testbed, services: nil)

        let second = ConnectionHandle(rawValue: 0x0E00)
        source.inject(
            LEEnhancedConnectionComplete(
                status: .success,
                handle: second,
                role: .peripheral,
                peer: peripheral.address,
                localResolvableAddress: nil,
                peerResolvableAddress: nil,
                interval: ConnectionInterval(.milliseconds(30)),
                latency: 0,
                supervisionTimeout: SupervisionTimeout(.milliseconds(720)),
                centralClockAccuracy: .ppm500
            ).packet()
        )
        testbed.run()
        #expect(peripheral.state == .connected)
        ballAdapter.setPowered(false)
        try #require(testbed.run { peripheral.state == .disconnected })
        #expect(central.calls.last == "disconnect 0 CBErrorDomain 6")

        // The second link serves both directions, and is there for the asking.
        central.manager.connect(peripheral)
        #expect(testbed.run(until: { peripheral.state == .connected }, within: .milliseconds(10)))
        source.inject(DisconnectionComplete(status: .success, handle: second, reason: .remoteUserTerminated).packet())
        #expect(testbed.run { central.calls.last == "disconnect 0 CBErrorDomain 7" })
        ballAdapter.setPowered(true)
        testbed.run { ball.manager.state == .poweredOn }
        ball.advertise(name: "Crystal")
        central.connect(peripheral, in: testbed)
    }

    @Test("6.7 B4 requires a new discovery after a reconnection, and reports the loss with the older method")
    func reconnected() throws {
        let talk = Conversation()
        let peripheral = try talk.connect(options: [CBConnectPeripheralOptionEnableAutoReconnect: true])
        let service = try peripheral.discover([IDs.service], in: talk.testbed)
        let answer = try service.characteristic(IDs.answer)
        peripheral.setNotifyValue(true, for: answer)
        talk.testbed.run { answer.isNotifying }
        talk.central.calls = []
        talk.ballAdapter.setPowered(false)
        talk.testbed.run { peripheral.state == .connecting }
        #expect(peripheral.services == nil)
        #expect(!answer.isNotifying)
        talk.ballAdapter.setPowered(true)
        talk.testbed.run { talk.ball.manager.state == .poweredOn }
        talk.ball.advertise(name: "Crystal")
        try #require(talk.testbed.run { peripheral.state == .connected })
        // The delegate has the older method alone, which reports each loss.
        #expect(talk.central.calls == ["disconnect 1 CBErrorDomain 6", "connect 2"])
        #expect(peripheral.services == nil)
        let lines = CapturedLog()
        lines.capture { peripheral.setNotifyValue(true, for: answer) }
        #expect(lines.all.first?.contains("is not a valid characteristic for peripheral") == true)
        let again = try peripheral.discover([IDs.service], in: talk.testbed)
        #expect(again !== service)
        let newAnswer = try again.characteristic(IDs.answer)
        #expect(newAnswer !== answer)
        peripheral.setNotifyValue(true, for: newAnswer)
        #expect(talk.testbed.run { newAnswer.isNotifying })
        talk.ball.manager.updateValue("again".octets, for: talk.ball.answer, onSubscribedCentrals: nil)
        #expect(talk.testbed.run { talk.central.values == ["again"] })
    }

    @Test("6.7 6.4 reports a cancelled reconnection once and does not connect again")
    func cancelledReconnection() throws {
        let talk = Conversation()
        let peripheral = try talk.connect(options: [CBConnectPeripheralOptionEnableAutoReconnect: true])
        talk.ballAdapter.setPowered(false)
        talk.testbed.run { peripheral.state == .connecting }
        talk.central.calls = []
        talk.central.manager.cancelPeripheralConnection(peripheral)
        talk.testbed.run()
        #expect(talk.central.calls == ["disconnect 0"])
        #expect(peripheral.state == .disconnected)
        #expect(peripheral.services == nil)
        talk.ballAdapter.setPowered(true)
        talk.testbed.run { talk.ball.manager.state == .poweredOn }
        talk.ball.advertise(name: "Crystal")
        talk.testbed.run(.seconds(5))
        #expect(talk.central.calls == ["disconnect 0"])
    }
}
