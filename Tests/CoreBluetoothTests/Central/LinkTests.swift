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
        var configuration = VirtualController.Configuration()
        configuration.model.maximumLinkCount = 2
        let source = BreakableSource(air: testbed.air, configuration: configuration)
        let central = testbed.central(on: source.adapter("Curious", testbed))
        let balls = (1...3).map { testbed.ball(on: testbed.adapter("Ball \($0)")) }
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
        let central = testbed.central(on: source.adapter("Curious", testbed))
        let ballAdapter = testbed.adapter("Crystal")
        let ball = testbed.ball(on: ballAdapter)
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
        central.connect(peripheral, in: testbed)
    }

    /// Has only the older of the two methods for the end of a connection.
    private final class OlderDelegate: NSObject, CBCentralManagerDelegate {
        var calls: [String] = []

        func centralManagerDidUpdateState(_ central: CBCentralManager) {}

        func centralManager(
            _ central: CBCentralManager,
            didDisconnectPeripheral peripheral: CBPeripheral,
            error: (any Error)?
        ) { self.calls.append("disconnect \(peripheral.state.rawValue) \((error as? CBError)?.code.rawValue ?? 0)") }
    }

    @Test("6.7 B4 requires a new discovery after a reconnection, and reports the loss with the older method")
    func reconnected() throws {
        let talk = Conversation()
        let older = OlderDelegate()
        let peripheral = try talk.connect(options: [CBConnectPeripheralOptionEnableAutoReconnect: true])
        let answer = try peripheral.subscribeToAnswer(in: talk.testbed)
        let service = answer.service
        talk.central.manager.delegate = older
        try talk.interrupt(peripheral)
        #expect(peripheral.services == nil && !answer.isNotifying)
        try #require(talk.testbed.run { peripheral.state == .connected })
        #expect(older.calls == ["disconnect 1 6"] && peripheral.services == nil)
        let lines = logLines { peripheral.setNotifyValue(true, for: answer) }
        #expect(lines.first?.contains("is not a valid characteristic for peripheral") == true)
        let newAnswer = try peripheral.subscribeToAnswer(in: talk.testbed)
        #expect(newAnswer !== answer && newAnswer.service !== service)
        talk.update("again")
        #expect(talk.testbed.run { talk.central.values == ["again"] })
        // A reconnection that is cancelled ends once, and for good.
        talk.ballAdapter.setPowered(false)
        talk.testbed.run { peripheral.state == .connecting }
        talk.central.disconnect(peripheral, in: talk.testbed)
        talk.ballAdapter.setPowered(true)
        talk.testbed.run(.seconds(5))
        #expect(older.calls == ["disconnect 1 6", "disconnect 1 6", "disconnect 0 0"])
        #expect(peripheral.state == .disconnected)
    }
}
