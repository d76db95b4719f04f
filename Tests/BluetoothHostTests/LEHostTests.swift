// The host driver against a scripted controller: start, and everything that a controller can do wrong.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Host")
struct HostTests {
    // MARK: Start

    @Test("the controller is reset first and asked before it is used")
    func start() {
        let testbed = HostTestbed(LEHostConfiguration(address: peer))
        testbed.host.attach(to: testbed.controller)
        #expect(testbed.delegate.lines.isEmpty, "nothing is called re-entrantly")
        testbed.run()
        #expect(testbed.controller.commands.first == Reset.opcode)
        #expect(testbed.controller.commands.contains(LEReadBufferSize.opcode))
        #expect(testbed.controller.commands.last == LESetRandomAddress.opcode)
        #expect(testbed.delegate.lines == ["state starting", "state ready"])
    }

    @Test("a controller without a public address is given a random static one, another keeps its own")
    func controllerWithoutAddress() {
        // Bumble's controllers answer Read BD_ADDR with zeros: two of them would be one device to each other.
        let poor = HostTestbed(LEHostConfiguration(fallbackAddress: other))
        poor.host.attach(to: poor.controller)
        poor.loop.run()
        #expect(poor.controller.commands.contains(LESetRandomAddress.opcode))
        #expect(poor.host.address == other)
        let rich = HostTestbed(LEHostConfiguration(fallbackAddress: other))
        rich.controller.address = DeviceAddress(0x0000_1234_5678, kind: .public)
        rich.host.attach(to: rich.controller)
        rich.loop.run()
        #expect(!rich.controller.commands.contains(LESetRandomAddress.opcode))
        #expect(rich.host.address == rich.controller.address)
    }

    @Test("a controller that refuses everything but Reset is used for what it has")
    func poorController() {
        let testbed = HostTestbed()
        for opcode in [
            ReadLocalSupportedCommands.opcode, ReadBDADDR.opcode, LEReadLocalSupportedFeatures.opcode,
            LEReadBufferSize.opcode, ReadBufferSize.opcode, LEReadFilterAcceptListSize.opcode, SetEventMask.opcode,
            LESetEventMask.opcode,
        ] {
            testbed.controller.refused[opcode] = .unknownCommand
        }
        testbed.host.attach(to: testbed.controller)
        testbed.run()
        #expect(testbed.host.state == .ready)
        #expect(testbed.host.transmitter.dataLength == 27)
        #expect(testbed.host.transmitter.credits == 1)
    }

    @Test("a controller that never answers Reset fails with a line that says so")
    func deadController() {
        let testbed = HostTestbed()
        testbed.controller.silent = [Reset.opcode]
        testbed.host.attach(to: testbed.controller)
        testbed.run(.milliseconds(1_999))
        #expect(testbed.host.state == .starting)
        testbed.run(.milliseconds(2))
        #expect(
            testbed.host.state == .failed("the controller does not answer HCI Reset; check that it is connected")
        )
        #expect(testbed.controller.isClosed)
    }

    @Test("a server of controllers that has no more of them is not taken for a dead controller")
    func limitedResources() {
        let testbed = HostTestbed()
        testbed.controller.refused[Reset.opcode] = .connectionRejectedLimitedResources
        testbed.host.attach(to: testbed.controller)
        testbed.run()
        #expect(
            testbed.host.state
                == .failed(
                    "what serves the controller has no resources for another host; "
                        + "end a program that uses it, or raise its limit"
                )
        )
    }

    @Test("a host that is given another controller lets the first one go, and its links")
    func anotherController() throws {
        let testbed = HostTestbed.started()
        _ = try #require(testbed.acceptLink(0x40, from: peer))
        _ = testbed.delegate.takeLines()
        let next = ScriptedController(eventLoop: testbed.loop)
        testbed.host.attach(to: next)
        testbed.run()
        #expect(testbed.controller.isClosed && !next.isClosed)
        #expect(
            testbed.delegate.takeLines() == [
                "disconnected \(peer) 8", "state detached", "state starting", "state ready",
            ]
        )
        #expect(testbed.host.links.isEmpty)
    }

    @Test("a controller that failed is let go once: nothing more is sent to it, and its end is reported once")
    func failedController() {
        let testbed = HostTestbed.started()
        testbed.controller.deliver(HardwareError(hardwareCode: 3).packet())
        testbed.run()
        #expect(testbed.delegate.takeLines() == ["state failed(\"the controller reported hardware error 3\")"])
        testbed.host.startScanning(ScanParameters())
        testbed.host.detach()
        testbed.run()
        #expect(testbed.controller.takeCommands() == [] && testbed.delegate.takeLines() == [])
        testbed.host.attach(to: ScriptedController(eventLoop: testbed.loop))
        testbed.run()
        #expect(testbed.delegate.takeLines() == ["state starting", "state ready"])
    }

    @Test("a command that is never answered is passed over")
    func unansweredCommand() {
        let testbed = HostTestbed()
        testbed.controller.silent = [ReadLocalSupportedCommands.opcode]
        testbed.host.attach(to: testbed.controller)
        testbed.run(.seconds(3))
        #expect(testbed.host.state == .ready)
    }

    @Test("a controller that can is asked for the longest data, and the longest time that it takes")
    func suggestedDataLength() throws {
        let testbed = HostTestbed.started { $0.features = .dataPacketLengthExtension }
        var parameters = try #require(testbed.controller.parameters[LEWriteSuggestedDefaultDataLength.opcode])
        #expect(
            try LEWriteSuggestedDefaultDataLength(parsing: &parameters)
                == LEWriteSuggestedDefaultDataLength(transmitOctets: 251, transmitTime: 2120)
        )
    }

    @Test("what is asked of a link leaves at once, without anything else to do")
    func validationLeaves() throws {
        let testbed = HostTestbed.started()
        let link = try #require(testbed.acceptLink(0x40))
        _ = testbed.controller.takeData()
        testbed.host.validateDatabaseCache(on: link)
        testbed.run()
        #expect(testbed.controller.takeData().count == 1)
    }

    // MARK: A controller that misbehaves

    @Test("events and data for unknown handles are ignored")
    func unknownHandles() {
        let testbed = HostTestbed.started()
        testbed.controller.disconnect(0x77, reason: .connectionTimeout)
        testbed.controller.complete(0x77, count: 9)
        testbed.controller.receive(0x77, channel: 4, [0x0A, 1, 0])
        testbed.run()
        #expect(testbed.delegate.takeLines() == [])
        #expect(testbed.host.state == .ready)
    }

    @Test("random octets as packets never trap")
    func randomPackets() {
        let testbed = HostTestbed.started()
        _ = testbed.subscribe(0x40, from: peer)
        var random = SeededGenerator(seed: 7)
        for _ in 0..<5_000 {
            let kind: UInt8 = Bool.random(using: &random) ? 0x04 : 0x02
            var bytes = ByteBuffer(integer: kind)
            for _ in 0..<Int.random(in: 0...40, using: &random) {
                bytes.writeInteger(UInt8.random(in: 0...255, using: &random))
            }
            testbed.controller.deliver(HCIPacket(h4: bytes))
        }
        testbed.run()
    }

    @Test("a hardware error ends the controller and every link")
    func hardwareError() throws {
        let testbed = HostTestbed.started()
        _ = try #require(testbed.subscribe(0x40, from: peer))
        testbed.controller.deliver(HardwareError(hardwareCode: 3).packet())
        testbed.run()
        #expect(testbed.delegate.lines.last == "state failed(\"the controller reported hardware error 3\")")
        #expect(testbed.delegate.lines.contains("disconnected \(peer) 8"))
        #expect(testbed.host.links.isEmpty)
    }

    @Test("the end of the channel ends links, and the host can start anew")
    func channelCloses() throws {
        let testbed = HostTestbed.started()
        _ = try #require(testbed.subscribe(0x40, from: peer))
        testbed.controller.fail("gone")
        testbed.run()
        #expect(testbed.host.state == .failed("gone"))
        let next = ScriptedController(eventLoop: testbed.loop)
        testbed.host.attach(to: next)
        testbed.run()
        #expect(testbed.host.state == .ready)
    }

    @Test("a handle that is given twice ends the older link")
    func handleGivenTwice() throws {
        let testbed = HostTestbed.started()
        testbed.controller.connect(0x40, peer: peer, role: .peripheral)
        testbed.controller.connect(0x40, peer: other, role: .peripheral)
        testbed.run()
        #expect(
            testbed.delegate.takeLines() == [
                "connected \(peer) peripheral", "disconnected \(peer) 8", "connected \(other) peripheral",
            ]
        )
        #expect(testbed.host.links.count == 1)
    }

    // MARK: Procedures

    @Test("GATT/CL/GAT/BV-01-C a server that does not answer for 30 s loses the link")
    func transactionTimeout() throws {
        let testbed = HostTestbed.started()
        testbed.host.connect(to: peer)
        testbed.run()
        var link: LinkID?
        testbed.delegate.onConnect = { link = $0.id }
        testbed.controller.connect(0x40, peer: peer, role: .central)
        testbed.run()
        var result: Result<ByteBuffer, GATTError>?
        testbed.host.perform(ReadValue(3), on: try #require(link)) { result = $0 }
        testbed.run(.seconds(29))
        #expect(result == nil)
        testbed.run(.seconds(2))
        #expect(result == .failure(.transactionTimeout))
        #expect(testbed.controller.commands.contains(Disconnect.opcode))
    }

    @Test("a central prefers 2M and allows 1M, so that a peer can ask for 1M later")
    func preferredPHYs() throws {
        let testbed = HostTestbed.started { $0.features = [.phy2M] }
        testbed.host.connect(to: peer)
        testbed.controller.connect(0x40, peer: peer, role: .central)
        testbed.run()
        var parameters = try #require(testbed.controller.parameters[LESetPHY.opcode])
        let command = try LESetPHY(parsing: &parameters)
        #expect(command.preference == PHYPreference(transmitter: [.le1M, .le2M], receiver: [.le1M, .le2M]))
    }

    @Test("open procedures end before the link's end is reported, each once")
    func proceduresEndWithTheLink() throws {
        let testbed = HostTestbed.started()
        testbed.host.connect(to: peer)
        var link: LinkID?
        testbed.delegate.onConnect = { link = $0.id }
        testbed.run()
        testbed.controller.connect(0x40, peer: peer, role: .central)
        testbed.run()
        _ = testbed.delegate.takeLines()
        var ended: [String] = []
        for handle in AttributeHandle(1)...3 {
            testbed.host.perform(ReadValue(handle), on: try #require(link)) { _ in
                ended.append("\(handle) \(testbed.delegate.lines)")
            }
        }
        testbed.controller.disconnect(0x40, reason: .remoteUserTerminated)
        testbed.run()
        #expect(ended == ["1 []", "2 []", "3 []"])
        #expect(testbed.delegate.lines == ["disconnected \(peer) 19"])
    }

    @Test("a host that does not pair refuses it in the words of the Security Manager")
    func pairingIsRefused() throws {
        let testbed = HostTestbed.started()
        testbed.host.pairing.isPairingAllowed = false
        testbed.controller.connect(0x40, peer: peer, role: .peripheral)
        testbed.controller.receive(0x40, channel: 6, [0x01, 0x03, 0x00, 0x01, 0x10, 0x00, 0x00])
        testbed.run()
        let packet = try #require(testbed.controller.takeData().last)
        #expect(Array(packet.bytes.readableBytesView.suffix(6)) == [0x02, 0x00, 0x06, 0x00, 0x05, 0x05])
    }
}

private let peer = DeviceAddress(0xC000_0000_0001, kind: .random)
private let other = DeviceAddress(0xC000_0000_0002, kind: .random)
