// The host driver against a scripted controller: start, flow control, and everything that a controller can do wrong.

import BluetoothHCI
import BluetoothTypes
import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothHost

@Suite("Host")
struct HostTests {
    /// A host on a scripted controller in virtual time.
    private final class Scene {
        let loop = EmbeddedEventLoop()
        let controller: ScriptedController
        let host: LEHost
        let delegate = RecordingDelegate()

        init(_ configuration: LEHostConfiguration = LEHostConfiguration()) {
            self.controller = ScriptedController(eventLoop: self.loop)
            self.host = LEHost(eventLoop: self.loop, configuration: configuration)
            self.host.delegate = self.delegate
        }

        func start() {
            self.host.attach(to: self.controller)
            self.loop.run()
            _ = self.controller.takeCommands()
            _ = self.delegate.takeLines()
        }

        /// A link in the peripheral role, over which a client subscribes to a characteristic of the host.
        func subscribe(_ handle: UInt16) -> (link: LinkID, characteristic: AttributeHandle)? {
            let definition = GATTServiceDefinition(
                uuid: 0xA000,
                characteristics: [GATTCharacteristicDefinition(uuid: 0xA001, properties: .notify, permissions: [])]
            )
            guard let handles = try? self.host.addService(definition) else { return nil }
            var link: LinkID?
            self.delegate.onConnect = { link = $0.id }
            self.controller.connect(handle, peer: peer, role: .peripheral)
            self.loop.run()
            let characteristic = handles.characteristics[0]
            guard let link, let configuration = characteristic.clientConfiguration else { return nil }
            let low = UInt8(truncatingIfNeeded: configuration)
            let high = UInt8(truncatingIfNeeded: configuration >> 8)
            self.controller.receive(handle, channel: 4, [0x12, low, high, 0x01, 0x00])
            self.loop.run()
            self.controller.complete(handle, count: 1)
            self.loop.run()
            _ = self.controller.takeData()
            _ = self.delegate.takeLines()
            return (link, characteristic.value)
        }
    }

    // MARK: Start

    @Test("the controller is reset first and asked before it is used")
    func start() {
        let scene = Scene(LEHostConfiguration(address: peer))
        scene.host.attach(to: scene.controller)
        #expect(scene.delegate.lines.isEmpty, "nobody is called from inside his own call")
        scene.loop.run()
        #expect(scene.controller.commands.first == Reset.opcode)
        #expect(scene.controller.commands.contains(LEReadBufferSize.opcode))
        #expect(scene.controller.commands.last == LESetRandomAddress.opcode)
        #expect(scene.delegate.lines == ["state starting", "state ready"])
    }

    @Test("a controller without a public address is given a random static one, another keeps its own")
    func controllerWithoutAddress() {
        // Bumble's controllers answer Read BD_ADDR with zeros: two of them would be one device to each other.
        let poor = Scene(LEHostConfiguration(fallbackAddress: other))
        poor.host.attach(to: poor.controller)
        poor.loop.run()
        #expect(poor.controller.commands.contains(LESetRandomAddress.opcode))
        #expect(poor.host.address == other)
        let rich = Scene(LEHostConfiguration(fallbackAddress: other))
        rich.controller.address = DeviceAddress(0x0000_1234_5678, kind: .public)
        rich.host.attach(to: rich.controller)
        rich.loop.run()
        #expect(!rich.controller.commands.contains(LESetRandomAddress.opcode))
        #expect(rich.host.address == rich.controller.address)
    }

    @Test("a controller that refuses everything but Reset is used for what it has")
    func poorController() {
        let scene = Scene()
        for opcode in [
            ReadLocalSupportedCommands.opcode, ReadBDADDR.opcode, LEReadLocalSupportedFeatures.opcode,
            LEReadBufferSize.opcode, ReadBufferSize.opcode, LEReadFilterAcceptListSize.opcode, SetEventMask.opcode,
            LESetEventMask.opcode,
        ] {
            scene.controller.refused[opcode] = .unknownCommand
        }
        scene.host.attach(to: scene.controller)
        scene.loop.run()
        #expect(scene.host.state == .ready)
        #expect(scene.host.transmitter.dataLength == 27)
        #expect(scene.host.transmitter.credits == 1)
    }

    @Test("a controller that never answers Reset fails with a line that says so")
    func deadController() {
        let scene = Scene()
        scene.controller.silent = [Reset.opcode]
        scene.host.attach(to: scene.controller)
        scene.loop.advanceTime(by: .milliseconds(1_999))
        #expect(scene.host.state == .starting)
        scene.loop.advanceTime(by: .milliseconds(2))
        #expect(
            scene.host.state == .failed("the controller does not answer HCI Reset; check that it is connected")
        )
        #expect(scene.controller.isClosed)
    }

    @Test("a command that is never answered is passed over")
    func unansweredCommand() {
        let scene = Scene()
        scene.controller.silent = [ReadLocalSupportedCommands.opcode]
        scene.host.attach(to: scene.controller)
        scene.loop.advanceTime(by: .seconds(3))
        #expect(scene.host.state == .ready)
    }

    // MARK: Flow control

    @Test("no more packets than the controller has buffers, and the next one when a buffer is free")
    func creditsAreObeyed() throws {
        let scene = Scene()
        scene.controller.packetCount = 2
        scene.start()
        let (link, characteristic) = try #require(scene.subscribe(0x40))
        for _ in 0..<5 {
            scene.host.notify(
                ByteBuffer(bytes: [1, 2, 3]),
                characteristic: characteristic,
                to: link,
                token: .notification
            )
        }
        scene.loop.run()
        #expect(scene.controller.takeData().count == 2)
        #expect(scene.delegate.takeLines() == ["transmitted 2 notification"])
        scene.controller.complete(0x40, count: 1)
        scene.loop.run()
        #expect(scene.controller.takeData().count == 1)
        scene.controller.complete(0x40, count: 200)
        scene.loop.run()
        #expect(scene.controller.takeData().count == 2, "more completions than packets are not believed")
    }

    @Test("a frame longer than the controller's buffers is cut")
    func fragments() throws {
        let scene = Scene()
        scene.controller.dataLength = 27
        scene.start()
        let (link, characteristic) = try #require(scene.subscribe(0x40))
        scene.host.notify(
            ByteBuffer(repeating: 7, count: 100),
            characteristic: characteristic,
            to: link,
            token: .notification
        )
        scene.loop.run()
        let packets = scene.controller.takeData()
        // The MTU is 23: the value is cut to 20 octets, and 4 + 3 + 20 octets are one packet.
        #expect(packets.count == 1)
        scene.controller.receive(0x40, channel: 4, [0x02, 0x00, 0x02])
        scene.loop.run()
        _ = scene.controller.takeData()
        scene.host.notify(
            ByteBuffer(repeating: 7, count: 100),
            characteristic: characteristic,
            to: link,
            token: .notification
        )
        scene.loop.run()
        let boundaries = try scene.controller.takeData().map { try ACLDataHeader($0).boundary }
        #expect(boundaries == [.firstNonFlushable, .continuing, .continuing, .continuing])
    }

    @Test("the end of a link frees what the controller held of it, and tells what died")
    func disconnectionFreesCredits() throws {
        let scene = Scene()
        scene.controller.packetCount = 2
        scene.start()
        let (link, characteristic) = try #require(scene.subscribe(0x40))
        for _ in 0..<5 {
            scene.host.notify(ByteBuffer(bytes: [1]), characteristic: characteristic, to: link, token: .notification)
        }
        scene.loop.run()
        _ = scene.delegate.takeLines()
        #expect(scene.host.transmitter.credits == 0)
        scene.controller.disconnect(0x40, reason: .connectionTimeout)
        scene.loop.run()
        #expect(scene.host.transmitter.credits == 2)
        #expect(
            scene.delegate.takeLines() == [
                "subscribed \(characteristic) false", "transmitted 3 notification", "disconnected \(peer) 8",
            ]
        )
    }

    // MARK: A controller that misbehaves

    @Test("events and data for handles that nobody knows are ignored")
    func unknownHandles() {
        let scene = Scene()
        scene.start()
        scene.controller.disconnect(0x77, reason: .connectionTimeout)
        scene.controller.complete(0x77, count: 9)
        scene.controller.receive(0x77, channel: 4, [0x0A, 1, 0])
        scene.loop.run()
        #expect(scene.delegate.takeLines() == [])
        #expect(scene.host.state == .ready)
    }

    @Test("random octets as packets never trap")
    func randomPackets() {
        let scene = Scene()
        scene.start()
        _ = scene.subscribe(0x40)
        var random = SeededGenerator(seed: 7)
        for _ in 0..<5_000 {
            let kind: UInt8 = Bool.random(using: &random) ? 0x04 : 0x02
            var bytes = ByteBuffer(integer: kind)
            for _ in 0..<Int.random(in: 0...40, using: &random) {
                bytes.writeInteger(UInt8.random(in: 0...255, using: &random))
            }
            scene.controller.deliver(HCIPacket(h4: bytes))
        }
        scene.loop.run()
    }

    @Test("a hardware error ends the controller and every link")
    func hardwareError() throws {
        let scene = Scene()
        scene.start()
        _ = try #require(scene.subscribe(0x40))
        scene.controller.deliver(HardwareError(hardwareCode: 3).packet())
        scene.loop.run()
        #expect(scene.delegate.lines.last == "state failed(\"the controller reported hardware error 3\")")
        #expect(scene.delegate.lines.contains("disconnected \(peer) 8"))
        #expect(scene.host.links.isEmpty)
    }

    @Test("the end of the channel ends links, and the host can start anew")
    func channelCloses() throws {
        let scene = Scene()
        scene.start()
        _ = try #require(scene.subscribe(0x40))
        scene.controller.fail("gone")
        scene.loop.run()
        #expect(scene.host.state == .failed("gone"))
        let next = ScriptedController(eventLoop: scene.loop)
        scene.host.attach(to: next)
        scene.loop.run()
        #expect(scene.host.state == .ready)
    }

    @Test("a handle that is given twice ends the older link")
    func handleGivenTwice() throws {
        let scene = Scene()
        scene.start()
        scene.controller.connect(0x40, peer: peer, role: .peripheral)
        scene.controller.connect(0x40, peer: other, role: .peripheral)
        scene.loop.run()
        #expect(
            scene.delegate.takeLines() == [
                "connected \(peer) peripheral", "disconnected \(peer) 8", "connected \(other) peripheral",
            ]
        )
        #expect(scene.host.links.count == 1)
    }

    // MARK: Procedures

    @Test("GATT/CL/GAT/BV-01-C a server that does not answer for 30 s loses the link")
    func transactionTimeout() throws {
        let scene = Scene()
        scene.start()
        scene.host.connect(to: peer)
        scene.loop.run()
        var link: LinkID?
        scene.delegate.onConnect = { link = $0.id }
        scene.controller.connect(0x40, peer: peer, role: .central)
        scene.loop.run()
        var result: Result<ByteBuffer, GATTError>?
        scene.host.perform(ReadValue(3), on: try #require(link)) { result = $0 }
        scene.loop.advanceTime(by: .seconds(29))
        #expect(result == nil)
        scene.loop.advanceTime(by: .seconds(2))
        #expect(result == .failure(.transactionTimeout))
        #expect(scene.controller.commands.contains(Disconnect.opcode))
    }

    @Test("a central asks for 2M and bears 1M, so that a peer can ask for 1M later")
    func wishesOfPHYs() throws {
        let scene = Scene()
        scene.controller.features = [.phy2M]
        scene.start()
        scene.host.connect(to: peer)
        scene.controller.connect(0x40, peer: peer, role: .central)
        scene.loop.run()
        var parameters = try #require(scene.controller.parameters[LESetPHY.opcode])
        let command = try LESetPHY(parsing: &parameters)
        #expect(command.preference == PHYPreference(transmitter: [.le1M, .le2M], receiver: [.le1M, .le2M]))
    }

    @Test("open procedures end before the link's end is told, each once")
    func proceduresEndWithTheLink() throws {
        let scene = Scene()
        scene.start()
        scene.host.connect(to: peer)
        var link: LinkID?
        scene.delegate.onConnect = { link = $0.id }
        scene.loop.run()
        scene.controller.connect(0x40, peer: peer, role: .central)
        scene.loop.run()
        _ = scene.delegate.takeLines()
        var ended: [String] = []
        for handle in AttributeHandle(1)...3 {
            scene.host.perform(ReadValue(handle), on: try #require(link)) { _ in
                ended.append("\(handle) \(scene.delegate.lines)")
            }
        }
        scene.controller.disconnect(0x40, reason: .remoteUserTerminated)
        scene.loop.run()
        #expect(ended == ["1 []", "2 []", "3 []"])
        #expect(scene.delegate.lines == ["disconnected \(peer) 19"])
    }

    @Test("pairing is refused in its own words")
    func pairingIsRefused() throws {
        let scene = Scene()
        scene.start()
        scene.controller.connect(0x40, peer: peer, role: .peripheral)
        scene.controller.receive(0x40, channel: 6, [0x01, 0x03, 0x00, 0x01, 0x10, 0x00, 0x00])
        scene.loop.run()
        let packet = try #require(scene.controller.takeData().last)
        #expect(Array(packet.bytes.readableBytesView.suffix(6)) == [0x02, 0x00, 0x06, 0x00, 0x05, 0x05])
    }
}

private let peer = DeviceAddress(0xC000_0000_0001, kind: .random)
private let other = DeviceAddress(0xC000_0000_0002, kind: .random)
