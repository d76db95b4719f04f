// Links as the central sees them when more than one device, app or controller has a hand in them.

import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("6 Links with several hands in them")
struct LinkTests {
    /// A central whose controller has its limits, and balls that it has found.
    private struct Crowd {
        let testbed = Testbed()
        let source: BreakableSource
        let central: CentralApp
        let balls: [PeripheralApp]

        init(of count: Int, limit: (inout VirtualControllerConfiguration) -> Void) throws {
            let testbed = self.testbed
            var configuration = VirtualControllerConfiguration()
            limit(&configuration)
            self.source = BreakableSource(air: testbed.air, configuration: configuration)
            let central = CentralApp(on: self.source.adapter("Curious", testbed))
            let balls = (1...count).map { PeripheralApp(on: testbed.adapter("Ball \($0)")) }
            self.central = central
            self.balls = balls
            testbed.run { central.manager.state == .poweredOn && balls.allSatisfy { $0.manager.state == .poweredOn } }
            for (index, ball) in balls.enumerated() { ball.open(name: "Ball \(index + 1)") }
            central.manager.scanForPeripherals(withServices: [IDs.service])
            try #require(testbed.run { central.found.count == count })
            central.manager.stopScan()
        }
    }

    @Test("6.9 6.3 one connection too many fails with connectionLimitReached, and its peripheral is disconnected again")
    func limit() throws {
        let crowd = try Crowd(of: 3) { $0.maximumLinkCount = 2 }
        let (testbed, central) = (crowd.testbed, crowd.central)
        for peripheral in central.found.prefix(2) {
            central.connect(peripheral, in: testbed)
        }
        let third = central.found[2]
        central.manager.connect(third)
        #expect(third.state == .connecting)
        #expect(testbed.run { central.calls.last == "fail CBErrorDomain 11" })
        #expect((central.errors.last as? CBError)?.code == .connectionLimitReached)
        #expect(third.state == .disconnected)
        // With a free connection again the same object connects.
        central.manager.cancelPeripheralConnection(central.found[0])
        try #require(testbed.run { central.found[0].state == .disconnected })
        central.connect(third, in: testbed)
    }

    @Test("6.2 of two links with a peer, the second is taken up when the first has ended")
    func secondLink() throws {
        // A peer that started anew connects before its old link is missed. The air does not let it; other controllers
        // do.
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

    @Test("6.1 devices that never come do not keep out those that do, whatever the size of the controller's list")
    func absentDevices() throws {
        let crowd = try Crowd(of: 6) { $0.filterAcceptListSize = 2 }
        let (testbed, central, balls) = (crowd.testbed, crowd.central, crowd.balls)
        for ball in balls { ball.manager.stopAdvertising() }
        testbed.run()
        for peripheral in central.found { central.manager.connect(peripheral) }
        testbed.run(.minutes(1))
        let last = try #require(central.found.first { $0.name == "Ball 6" })
        balls[5].advertise(name: "Ball 6")
        #expect(testbed.run(until: { last.state == .connected }, within: .seconds(15)))
        #expect(central.found.count { $0.state == .connecting } == 5)
    }

    @Test("6.8 13.3 options that mean something to an iPhone alone are taken without effect")
    func options() throws {
        let talk = Conversation()
        let peripheral = try talk.connect(options: [
            CBConnectPeripheralOptionNotifyOnConnectionKey: true,
            CBConnectPeripheralOptionNotifyOnDisconnectionKey: NSNumber(value: true),
            CBConnectPeripheralOptionNotifyOnNotificationKey: false,
            CBConnectPeripheralOptionEnableTransportBridgingKey: true,
            CBConnectPeripheralOptionRequiresANCS: true,
            CBConnectPeripheralOptionEnableAutoReconnect: false,
        ])
        #expect(!peripheral.ancsAuthorized)
        talk.central.disconnect(peripheral, in: talk.testbed)
        #expect(talk.central.calls.suffix(2) == ["connect 2", "disconnect 0"])
    }

    @Test("6.7 B4 a reconnected peripheral has new services, which have to be discovered again")
    func reconnected() throws {
        let talk = Conversation()
        talk.central.manager.scanForPeripherals(withServices: [IDs.service])
        try #require(talk.testbed.run { !talk.central.found.isEmpty })
        let peripheral = try talk.connect(options: [CBConnectPeripheralOptionEnableAutoReconnect: true])
        peripheral.discoverServices([IDs.service])
        talk.testbed.run { peripheral.services != nil }
        let service = try #require(peripheral.services?.first)
        peripheral.discoverCharacteristics([IDs.answer], for: service)
        talk.testbed.run { service.characteristics != nil }
        let answer = try #require(service.characteristics?.first)
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

    @Test("6.7 6.4 a reconnection that is cancelled is reported once and does not come back")
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

    @Test("6.2 5.5 a peripheral that another app has linked connects without advertising")
    func linkedByOthers() throws {
        let talk = Conversation()
        let (peripheral, _, _) = try talk.discover()
        talk.ball.manager.stopAdvertising()
        talk.testbed.run()
        let other = CentralApp(on: talk.centralAdapter)
        talk.testbed.run { other.manager.state == .poweredOn }
        // Any of the services is enough.
        let found = other.manager.retrieveConnectedPeripherals(withServices: [IDs.other, IDs.service])
        let same = try #require(found.first)
        #expect(same.state == .disconnected, "it has to be connected to here, too")
        #expect(same.name == peripheral.name)
        other.manager.connect(same)
        #expect(talk.testbed.run(until: { same.state == .connected }, within: .milliseconds(50)))
    }

    @Test("5.2 letting the last reference go ends a connection, and a pending one")
    func dropped() throws {
        let talk = Conversation()
        _ = try talk.connect()
        let lines = CapturedLog()
        lines.capture { talk.central.found = [] }
        #expect(lines.all.count == 1)
        talk.testbed.run()
        let fresh = CentralApp(on: talk.centralAdapter)
        talk.testbed.run { fresh.manager.state == .poweredOn }
        #expect(fresh.manager.retrieveConnectedPeripherals(withServices: [IDs.service]).isEmpty)
        // Nothing is left that would connect by itself.
        talk.ball.manager.stopAdvertising()
        fresh.manager.scanForPeripherals(withServices: nil)
        talk.ball.advertise(name: "Crystal")
        try #require(talk.testbed.run { !fresh.found.isEmpty })
        talk.ball.manager.stopAdvertising()
        talk.testbed.run()
        fresh.manager.connect(fresh.found[0])
        talk.testbed.run()
        lines.capture { fresh.found = [] }
        #expect(lines.all.count == 2)
        talk.ball.advertise(name: "Crystal")
        talk.testbed.run(.seconds(3))
        #expect(fresh.count("connect 2") == 0)
    }
}
