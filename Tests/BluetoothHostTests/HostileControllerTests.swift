// Controllers that are limited, broken or hostile: the host uses their working features or closes them, and never waits
// forever. docs/coverage/hostile-controllers.md lists them.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Hostile and poor controllers")
struct HostileControllerTests {
    private let first = HostTestbed.peers[0]
    private let second = HostTestbed.peers[1]

    // MARK: Silence

    @Test("closes a controller that stops answering after the command's time limit and one more command")
    func stopsAnswering() {
        let testbed = HostTestbed.started()
        testbed.connect(0x40, self.first)
        testbed.controller.isDead = true
        testbed.host.startScanning(ScanParameters())
        testbed.run(.milliseconds(2_010))
        #expect(testbed.host.state == .ready)
        testbed.run(.milliseconds(2_000))
        guard case .failed(let reason) = testbed.host.state else {
            Issue.record("the host is \(testbed.host.state)")
            return
        }
        #expect(reason.hasPrefix("the controller has stopped answering"))
        #expect(testbed.controller.isClosed)
        let lines = testbed.delegate.takeLines()
        #expect(lines.contains("disconnected \(self.first) 8") && lines.contains("state failed(\"\(reason)\")"))
    }

    @Test("sends a command after 2 s to a controller that allows none")
    func allowsNothing() {
        let testbed = HostTestbed.started()
        // Zero commands allowed, with an answer to nothing.
        testbed.deliver(CommandComplete(numberOfCommandPackets: 0, opcode: .none).packet())
        testbed.host.startScanning(ScanParameters())
        testbed.run(.milliseconds(1_900))
        #expect(testbed.controller.takeCommands().isEmpty)
        testbed.run(.milliseconds(200))
        #expect(testbed.controller.takeCommands() == [LESetScanParameters.opcode, LESetScanEnable.opcode])
        #expect(testbed.host.state == .ready)
    }

    @Test("makes the next connection 2 s after a cancellation whose end is not reported")
    func cancelWithoutEvent() {
        let testbed = HostTestbed.started()
        testbed.host.connect(to: self.first)
        testbed.run()
        testbed.host.cancelConnection(to: self.first)
        testbed.host.connect(to: self.second)
        testbed.run()
        #expect(testbed.controller.takeCommands() == [LECreateConnection.opcode, LECreateConnectionCancel.opcode])
        testbed.run(.milliseconds(1_900))
        #expect(testbed.controller.takeCommands().isEmpty)
        testbed.run(.milliseconds(200))
        #expect(testbed.controller.takeCommands() == [LECreateConnection.opcode])
        testbed.controller.connect(0x40, peer: self.second, role: .central)
        testbed.run()
        #expect(testbed.delegate.takeLines() == ["connected \(self.second) central"])
    }

    // MARK: Resets and floods

    @Test("closes a controller that resets by itself, and ends its links")
    func resetsItself() {
        let testbed = HostTestbed.started()
        testbed.connect(0x40, self.first)
        testbed.deliver(CommandComplete.packet(Reset.self, .init(status: .success)))
        #expect(testbed.host.state == .failed("the controller has reset itself"))
        #expect(testbed.delegate.takeLines().contains("disconnected \(self.first) 8"))
    }

    @Test("ignores events and data for unknown handles")
    func unknownHandles() {
        let testbed = HostTestbed.started()
        let handle = ConnectionHandle(rawValue: 0x0777)
        for _ in 0..<1_000 {
            testbed.controller.deliver(
                LELongTermKeyRequest(handle: handle, random: 0, encryptedDiversifier: 0).packet()
            )
            testbed.controller.disconnect(0x0777, reason: .connectionTimeout)
            testbed.controller.complete(0x0777, count: 0xFFFF)
            testbed.controller.receive(0x0777, channel: 4, [0x0A, 0x01, 0x00])
        }
        testbed.run()
        #expect(testbed.controller.takeCommands().isEmpty)
        #expect(testbed.controller.takeData().isEmpty)
        #expect(testbed.delegate.takeLines().isEmpty)
        #expect(testbed.host.state == .ready)
    }

    @Test("ends the older link each time a handle is reused, ten thousand times, and keeps one")
    func handleGivenAgain() {
        let testbed = HostTestbed.started()
        let peers = (1...10_000).map { DeviceAddress(UInt64($0), kind: .public) }
        for peer in peers { testbed.controller.connect(0x40, peer: peer, role: .peripheral) }
        testbed.run()
        let lines = testbed.delegate.takeLines()
        #expect(lines.count == 2 * peers.count - 1 && testbed.host.links.map(\.peer) == [peers[9_999]])
        #expect(
            lines.prefix(3) == [
                "connected \(peers[0]) peripheral", "disconnected \(peers[0]) 8", "connected \(peers[1]) peripheral",
            ]
        )
    }

    @Test(
        "queues at most 64 replies for a controller that accepts none",
        arguments: [(1, 0), (2, 1), (64, 63), (65, 64), (66, 64), (10_000, 64)]
    )
    func waitingAnswers(requests: Int, waiting: Int) {
        let testbed = HostTestbed.started()
        testbed.connect(0x40, self.first)
        testbed.controller.silent = [LELongTermKeyRequestNegativeReply.opcode]
        let handle = ConnectionHandle(rawValue: 0x40)
        let request = LELongTermKeyRequest(handle: handle, random: 0, encryptedDiversifier: 0).packet()
        for _ in 0..<requests { testbed.controller.deliver(request) }
        testbed.run()
        #expect(testbed.host.controller.waitingCommandCount == waiting)
    }

    // MARK: Poor controllers

    @Test(
        "retries a refused scan when a link begins or ends, and not before",
        arguments: [false, true]
    )
    func refusedScan(hasLink: Bool) {
        let testbed = HostTestbed.started { $0.refused[LESetScanParameters.opcode] = .commandDisallowed }
        if hasLink { testbed.connect(0x40, self.first) }
        testbed.host.startScanning(ScanParameters())
        testbed.run()
        testbed.controller.refused = [:]
        testbed.forget()
        testbed.run(.seconds(5))
        #expect(testbed.controller.takeCommands() == [])
        if hasLink {
            testbed.controller.disconnect(0x40, reason: .remoteUserTerminated)
        } else {
            testbed.controller.connect(0x40, peer: self.first, role: .peripheral)
        }
        testbed.run()
        #expect(testbed.controller.takeCommands() == [LESetScanParameters.opcode, LESetScanEnable.opcode])
    }

    @Test("rotates devices beyond an accept list of one entry every 5 s, even if a command may take longer")
    func rotation() {
        let testbed = HostTestbed.started(LEHostConfiguration(commandTimeout: .seconds(20))) { $0.acceptListSize = 1 }
        testbed.controller.scansOrInitiates()
        let peers = HostTestbed.peers
        for peer in peers { testbed.host.connect(to: peer) }
        testbed.run()
        for count in 1...3 {
            testbed.run(.seconds(5) - .nanoseconds(1))
            #expect(testbed.controller.createdPeers == Array((peers + peers).prefix(count)))
            testbed.run(.nanoseconds(1))
            #expect(testbed.controller.createdPeers == Array((peers + peers).prefix(count + 1)))
        }
        #expect(testbed.delegate.takeLines().isEmpty)
    }
}
