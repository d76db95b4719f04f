// How links end and why, what a host says of itself on them, and what is left when it is gone.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothHost

@Suite("Host: how links end")
struct LEHostLinkEndTests {
    private func connected(
        _ configuration: LEHostConfiguration = LEHostConfiguration()
    ) throws -> (HostTestbed, LinkID) {
        let testbed = HostTestbed(configuration)
        testbed.controller.dataIsAnswered = true
        testbed.start()
        let link = try #require(testbed.acceptLink(0x40))
        testbed.forget()
        _ = testbed.controller.takeData()
        return (testbed, link)
    }

    /// What is sent when an ATT PDU of the peer has come.
    private func answers(_ octets: String, _ testbed: HostTestbed) -> [String] {
        testbed.receive(4, octets)
        return testbed.takePayloads()
    }

    // MARK: Reasons

    @Test("A link that the user ends has ended for what the peer is told: Remote User Terminated Connection, 0x13")
    func endedByUser() throws {
        let (testbed, link) = try self.connected()
        testbed.host.disconnect(link)
        #expect(testbed.controller.takeCommands() == [], "nothing leaves re-entrantly")
        testbed.host.disconnect(link)
        testbed.run()
        let command = try testbed.controller.last(Disconnect.self)
        #expect(command.handle.rawValue == 0x40 && command.reason.rawValue == 0x13)
        #expect(testbed.controller.takeCommands() == [Disconnect.opcode])
        // The event says what is reported.
        testbed.controller.disconnect(0x40, reason: .localHostTerminated)
        testbed.run()
        #expect(testbed.delegate.takeLines() == ["disconnected 00:00:00:00:00:40 22"])
    }

    @Test("A link whose end the controller never reports was ended by this host, 0x16")
    func neverReported() throws {
        let (testbed, link) = try self.connected()
        testbed.host.disconnect(link)
        testbed.run(.seconds(35))
        #expect(testbed.delegate.takeLines() == ["disconnected 00:00:00:00:00:40 22"])
    }

    @Test("A controller that does not answer the command to end a link has none any more, after the command's time")
    func unansweredDisconnect() throws {
        let (testbed, link) = try self.connected()
        testbed.controller.silent = [Disconnect.opcode]
        testbed.host.disconnect(link)
        testbed.run(.seconds(2) - .nanoseconds(1))
        #expect(testbed.host.links.count == 1)
        testbed.run(.nanoseconds(1))
        // Unspecified Error.
        #expect(testbed.delegate.takeLines() == ["disconnected 00:00:00:00:00:40 31"])
        #expect(testbed.host.links.isEmpty && testbed.host.state == .ready)
    }

    @Test("The answer to the command to end a link may come behind the event that it has ended, and means nothing then")
    func lateAnswer() throws {
        for status in [HCIErrorCode.success, .unknownConnectionIdentifier] {
            let (testbed, link) = try self.connected()
            testbed.controller.silent = [Disconnect.opcode]
            testbed.host.disconnect(link)
            testbed.run()
            testbed.controller.disconnect(0x40, reason: .connectionTimeout)
            testbed.controller.deliver(CommandStatus(status: status, opcode: Disconnect.opcode).packet())
            testbed.run(.seconds(40))
            #expect(testbed.delegate.takeLines() == ["disconnected 00:00:00:00:00:40 8"])
        }
    }

    @Test("A client that sends a request before the last one was answered loses its link (Vol 3, Part F, 3.3.2)")
    func failedBearer() throws {
        let (testbed, _) = try self.connected()
        let value = try testbed.host.addService(
            GATTServiceDefinition(
                uuid: 0xA000,
                characteristics: [
                    GATTCharacteristicDefinition(uuid: 0xA001, properties: .read, permissions: .readable)
                ]
            )
        ).characteristics[0].value
        let request = "0A " + hex(ByteBuffer(integer: value, endianness: .little))
        #expect(self.answers(request, testbed) == [] && testbed.controller.takeCommands() == [])
        #expect(self.answers(request, testbed) == [])
        #expect(testbed.controller.takeCommands() == [Disconnect.opcode])
        #expect(try testbed.disconnected().reason.rawValue == 0x13)
    }

    // MARK: Channels and frames

    @Test("A frame that is too long for any channel is nothing to a fixed one, nor are frames on channels of no kind")
    func strayFrames() throws {
        let (testbed, link) = try self.connected()
        for channel in [0x0004, 0x0005, 0x0006, 0x003F, 0x0080] as [UInt16] {
            var fragment = ByteBuffer()
            fragment.writeMultipleIntegers(UInt16(0x0801), channel, UInt32(0), endianness: .little)
            testbed.controller.deliver(
                .aclData(handle: ConnectionHandle(rawValue: 0x40), boundary: .firstFlushable, fragment: fragment)
            )
        }
        for channel in [0x0000, 0x0001, 0x0007, 0x003F, 0x0040, 0x0080] as [UInt16] {
            testbed.controller.receive(0x40, channel: channel, [0x01, 0x00, 0xAA])
        }
        // Frames without a payload, on each fixed channel.
        for channel in [4, 5, 6] as [UInt16] { testbed.controller.receive(0x40, channel: channel, []) }
        testbed.run()
        #expect(testbed.controller.takeData().isEmpty && testbed.controller.takeCommands() == [])
        #expect(testbed.host.links.map(\.id) == [link] && testbed.delegate.takeLines() == [])
    }

    @Test("What the user has asked for leaves in front of the answer to a packet that is worked on afterwards")
    func userComesFirst() throws {
        let (testbed, link) = try self.connected()
        // An Information Request, which is no command of an LE link.
        testbed.controller.receive(0x40, channel: 5, [0x0A, 0x09, 0x02, 0x00, 0x02, 0x00])
        testbed.host.writeWithoutResponse(hex("AA"), to: 3, on: link)
        testbed.run()
        #expect(testbed.takeFrames() == ["04 00 52 03 00 AA", "05 00 01 09 02 00 00 00"])
    }

    /// Counts the channels that are reported as ready.
    private final class ReadyCounter: LEHostDelegate {
        var count = 0
        func host(_ host: LEHost, channelIsReadyToSend channel: L2CAPChannelID) { self.count += 1 }
    }

    @Test("A channel that has ended before the turn does is not reported as ready")
    func endedChannel() {
        let testbed = HostTestbed.started()
        let user = ReadyCounter()
        testbed.host.delegate = user
        testbed.host.l2capChannels.writable = [L2CAPChannelID(rawValue: 1), L2CAPChannelID(rawValue: 2)]
        testbed.host.reportWritability()
        #expect(user.count == 0 && testbed.host.l2capChannels.writable == [])
    }

    // MARK: What a host says of itself

    @Test("A host has the name and the appearance of its configuration (Vol 3, Part C, 12.1 and 12.2)")
    func nameAndAppearance() throws {
        let (testbed, _) = try self.connected(LEHostConfiguration(deviceName: "Pulse", appearance: 0x0341))
        let name = self.answers("08 01 00 FF FF 00 2A", testbed)
        #expect(name.count == 1 && name.first?.hasPrefix("09 07") == true)
        #expect(name.first?.hasSuffix("50 75 6C 73 65") == true)
        let appearance = self.answers("08 01 00 FF FF 01 2A", testbed)
        #expect(appearance.first?.hasPrefix("09 04") == true && appearance.first?.hasSuffix("41 03") == true)
    }

    @Test("A host has the Database Hash where its Generic Attribute service is a full one (Vol 3, Part G, 7)")
    func genericAttribute() throws {
        let services: [(GenericAttributeService, String)] = [
            (.full, "09"), (.serviceChanged, "01"), (.empty, "01"), (.absent, "01"),
        ]
        for (service, opcode) in services {
            let (testbed, _) = try self.connected(LEHostConfiguration(genericAttribute: service))
            #expect(self.answers("08 01 00 FF FF 2A 2B", testbed).map { String($0.prefix(2)) } == [opcode])
            let found = self.answers("06 01 00 FF FF 00 28 01 18", testbed).map { String($0.prefix(2)) }
            #expect(found == [service == .absent ? "01" : "07"])
        }
    }

    @Test("What a host asks of a bonded peer's privacy is one octet, by its type, wherever it stands")
    func privacyRequests() {
        for (type, octets) in [
            (GATTAttributeType.centralAddressResolution, "A6 2A"),
            (GATTAttributeType.resolvablePrivateAddressOnly, "C9 2A"),
        ] {
            var procedure = ReadGAPOctet(type)
            guard case .request(let pdu) = procedure.begin(mtu: 23) else {
                Issue.record("no request")
                continue
            }
            #expect(hex(pdu) == "08 01 00 FF FF \(octets)")
        }
    }

    // MARK: The end of the host

    @Test("A controller and timers whose host is gone speak to nobody")
    func hostIsGone() {
        let loop = EmbeddedEventLoop()
        let controller = ScriptedController(eventLoop: loop)
        var host: LEHost? = LEHost(eventLoop: loop)
        host?.attach(to: controller)
        loop.advanceTime(by: .seconds(1))
        #expect(host?.state == .ready)
        let isGone = { [weak host] in host == nil }
        host?.startScanning(ScanParameters())
        host = nil
        #expect(isGone())
        controller.deliver(HardwareError(hardwareCode: 1).packet())
        controller.fail("unplugged")
        loop.advanceTime(by: .seconds(100))
        #expect(!controller.commands.contains(LESetScanEnable.opcode))
    }
}
