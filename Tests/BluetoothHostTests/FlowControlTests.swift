// Flow control from the controller to the host (Vol 4, Part E, 4.2): which packets the host reports as finished, and when.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Controller to host flow control")
struct FlowControlTests {
    private static let first: UInt16 = 0x40
    private static let second: UInt16 = 0x41
    private static let configuration = LEHostConfiguration(limitsReceivedData: true)

    private static func started(_ prepare: (ScriptedController) -> Void = { _ in }) -> HostTestbed {
        let testbed = HostTestbed(Self.configuration)
        prepare(testbed.controller)
        testbed.start()
        return testbed
    }

    /// Commands on a link's L2CAP signalling channel, which need no user.
    private func receive(_ count: Int, on handle: UInt16, _ testbed: HostTestbed) {
        for _ in 0..<count { testbed.controller.receive(handle, channel: 0x0006, [0x05, 0x05]) }
        testbed.run()
    }

    /// What the last report said of each link; nil where there was none since the last call.
    private func report(_ testbed: HostTestbed) throws -> [UInt16: UInt16]? {
        guard testbed.controller.takeCommands().contains(HostNumberOfCompletedPackets.opcode) else { return nil }
        var octets = try #require(testbed.controller.parameters[HostNumberOfCompletedPackets.opcode])
        let completed = try HostNumberOfCompletedPackets(parsing: &octets).completed
        return Dictionary(uniqueKeysWithValues: completed.map { ($0.handle.rawValue, $0.count) })
    }

    @Test("The controller is given the host's buffers before flow control is turned on")
    func setup() throws {
        let testbed = HostTestbed(Self.configuration)
        testbed.host.attach(to: testbed.controller)
        testbed.run()
        let commands = testbed.controller.takeCommands()
        let size = try #require(commands.firstIndex(of: HostBufferSize.opcode))
        #expect(commands[size + 1] == SetControllerToHostFlowControl.opcode)
        var octets = try #require(testbed.controller.parameters[HostBufferSize.opcode])
        let buffers = try HostBufferSize(parsing: &octets)
        #expect(buffers.aclDataPacketLength == 251 && buffers.aclDataPacketCount == 256)
        #expect(testbed.host.limitsReceivedData)
    }

    @Test(
        "A controller that refuses either command, or does not know them, gets no reports",
        arguments: [HostBufferSize.opcode, SetControllerToHostFlowControl.opcode]
    )
    func refused(opcode: HCIOpcode) throws {
        let testbed = Self.started { $0.refused[opcode] = .unknownCommand }
        #expect(testbed.host.state == .ready)
        #expect(!testbed.host.limitsReceivedData)
        _ = testbed.acceptLink(Self.first)
        self.receive(64, on: Self.first, testbed)
        #expect(try self.report(testbed) == nil)
    }

    @Test("A host that is not configured for it does not ask for flow control")
    func notConfigured() {
        let testbed = HostTestbed()
        testbed.host.attach(to: testbed.controller)
        testbed.run()
        #expect(!testbed.controller.takeCommands().contains(HostBufferSize.opcode))
        #expect(!testbed.host.limitsReceivedData)
    }

    @Test("Packets are reported from the 32nd of one link on, not before")
    func ofOneLink() throws {
        let testbed = Self.started()
        _ = testbed.acceptLink(Self.first)
        self.receive(31, on: Self.first, testbed)
        #expect(try self.report(testbed) == nil)
        self.receive(1, on: Self.first, testbed)
        #expect(try self.report(testbed) == [Self.first: 32])
    }

    @Test("Packets are reported from the 64th of all links on, not before")
    func ofAllLinks() throws {
        let testbed = Self.started()
        for handle in Self.first..<Self.first + 4 { _ = testbed.acceptLink(handle) }
        for handle in Self.first..<Self.first + 3 { self.receive(20, on: handle, testbed) }
        self.receive(3, on: Self.first + 3, testbed)
        #expect(try self.report(testbed) == nil)
        self.receive(1, on: Self.first + 3, testbed)
        #expect(try self.report(testbed) == [0x40: 20, 0x41: 20, 0x42: 20, 0x43: 4])
    }

    @Test("A1: the packets of a link that is held back are not reported, those of another are; when it goes on all are")
    func heldBack() throws {
        let testbed = Self.started()
        let link = try #require(testbed.acceptLink(Self.first))
        _ = testbed.acceptLink(Self.second)
        self.receive(10, on: Self.first, testbed)
        testbed.host.pauseReceiving(on: link)
        self.receive(60, on: Self.first, testbed)
        #expect(try self.report(testbed) == nil)
        self.receive(1, on: Self.second, testbed)
        #expect(try self.report(testbed) == [Self.second: 1])
        testbed.host.resumeReceiving(on: link)
        testbed.run()
        #expect(try self.report(testbed) == [Self.first: 70])
        self.receive(31, on: Self.first, testbed)
        #expect(try self.report(testbed) == nil)
        self.receive(1, on: Self.first, testbed)
        #expect(try self.report(testbed) == [Self.first: 32])
    }

    @Test("While a link is held back each turn reports what the others have received: it may be all that they get")
    func othersOfOneHeldBack() throws {
        let testbed = Self.started()
        let link = try #require(testbed.acceptLink(Self.first))
        _ = testbed.acceptLink(Self.second)
        self.receive(1, on: Self.second, testbed)
        #expect(try self.report(testbed) == nil)
        testbed.host.pauseReceiving(on: link)
        self.receive(1, on: Self.first, testbed)
        #expect(try self.report(testbed) == [Self.second: 1])
        self.receive(1, on: Self.second, testbed)
        #expect(try self.report(testbed) == [Self.second: 1])
        testbed.controller.disconnect(Self.first, reason: .remoteUserTerminated)
        testbed.run()
        self.receive(31, on: Self.second, testbed)
        #expect(try self.report(testbed) == nil)
        self.receive(1, on: Self.second, testbed)
        #expect(try self.report(testbed) == [Self.second: 32])
    }

    @Test("The packets of a link that has ended are not reported: the controller counts them as finished")
    func ended() throws {
        let testbed = Self.started()
        let link = try #require(testbed.acceptLink(Self.first))
        _ = testbed.acceptLink(Self.second)
        testbed.host.pauseReceiving(on: link)
        self.receive(40, on: Self.first, testbed)
        testbed.controller.disconnect(Self.first, reason: .remoteUserTerminated)
        testbed.run()
        self.receive(32, on: Self.second, testbed)
        #expect(try self.report(testbed) == [Self.second: 32])
    }
}
