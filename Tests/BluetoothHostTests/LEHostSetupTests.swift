// Taking a controller into use: what it is asked, what it says, and what follows from that; and losing it again.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Host: taking a controller into use")
struct LEHostSetupTests {
    private static let all: [any HCICommand.Type] = HCICommandTable.entries.map(\.command)

    /// The commands of the start, with a controller that knows all commands but some.
    private func commands(
        without missing: [any HCICommand.Type] = [],
        features: LEFeatures = LEFeatures(),
        configuration: LEHostConfiguration = LEHostConfiguration()
    ) -> [HCIOpcode] {
        let testbed = HostTestbed(configuration)
        testbed.controller.features = features
        let known = Self.all.filter { command in !missing.contains { $0 == command } }
        testbed.controller.supportedCommands = SupportedCommands(known)
        testbed.host.attach(to: testbed.controller)
        testbed.run()
        #expect(testbed.host.state == .ready)
        return testbed.controller.takeCommands()
    }

    @Test("flow control to the host needs its three commands, and a host that wants it (Vol 4, Part E, 4.2)")
    func flowControlToTheHost() {
        let configuration = LEHostConfiguration(limitsReceivedData: true)
        let whole = self.commands(configuration: configuration)
        #expect(whole.contains(HostBufferSize.opcode) && whole.contains(SetControllerToHostFlowControl.opcode))
        let needed: [any HCICommand.Type] = [
            HostBufferSize.self, SetControllerToHostFlowControl.self, HostNumberOfCompletedPackets.self,
        ]
        for missing in needed {
            let commands = self.commands(without: [missing], configuration: configuration)
            #expect(!commands.contains(HostBufferSize.opcode), "\(missing)")
            #expect(!commands.contains(SetControllerToHostFlowControl.opcode), "\(missing)")
        }
        #expect(!self.commands().contains(HostBufferSize.opcode))
    }

    @Test("longer packets are suggested to a controller that has them and knows the command")
    func suggestedDataLength() {
        let opcode = LEWriteSuggestedDefaultDataLength.opcode
        let feature = LEFeatures.dataPacketLengthExtension
        #expect(self.commands(features: feature).contains(opcode))
        #expect(!self.commands().contains(opcode))
        #expect(
            !self.commands(without: [LEWriteSuggestedDefaultDataLength.self], features: feature).contains(opcode)
        )
    }

    @Test("a command that the controller does not list is not tried; a list without Reset says nothing")
    func supportedCommands() {
        let opcode = LEReadFilterAcceptListSize.opcode
        #expect(self.commands().contains(opcode))
        #expect(!self.commands(without: [LEReadFilterAcceptListSize.self]).contains(opcode))
        #expect(self.commands(without: [LEReadFilterAcceptListSize.self, Reset.self]).contains(opcode))
    }

    @Test("a random address is set where one was chosen, or where the controller has none of its own")
    func randomAddress() {
        let address = DeviceAddress(0xC000_0000_0007, kind: .random)
        let opcode = LESetRandomAddress.opcode
        #expect(!self.commands().contains(opcode))
        #expect(self.commands(configuration: LEHostConfiguration(address: address)).contains(opcode))
        #expect(self.commands(configuration: LEHostConfiguration(fallbackAddress: address)).contains(opcode))
    }

    @Test("buffers that are shared with BR/EDR are used where LE has none of its own (Vol 4, Part E, 7.8.2)")
    func buffers() {
        let cases: [(le: (UInt16, UInt8), shared: (UInt16, UInt16), used: (Int, Int))] = [
            ((27, 1), (1_021, 9), (27, 1)), ((251, 8), (1_021, 9), (251, 8)), ((0, 8), (1_021, 9), (1_021, 9)),
            ((251, 0), (1_021, 9), (1_021, 9)), ((0, 0), (339, 1), (339, 1)), ((0, 0), (339, 0), (27, 1)),
        ]
        for (le, shared, used) in cases {
            let testbed = HostTestbed.started {
                ($0.dataLength, $0.packetCount) = le
                $0.sharedBuffers = shared
            }
            #expect(testbed.host.transmitter.dataLength == used.0, "\(le) \(shared)")
            #expect(testbed.host.transmitter.credits == used.1, "\(le) \(shared)")
        }
    }

    @Test("the host takes packets that are as long as its own, and of 251 octets at least", arguments: [27, 251, 400])
    func hostBufferSize(length: UInt16) throws {
        let testbed = HostTestbed(LEHostConfiguration(limitsReceivedData: true))
        testbed.controller.dataLength = length
        testbed.start()
        var parameters = try #require(testbed.controller.parameters[HostBufferSize.opcode])
        let size = try HostBufferSize(parsing: &parameters)
        #expect(size.aclDataPacketLength == max(length, 251))
        #expect(size.aclDataPacketCount == 256)
    }

    // MARK: Losing it

    @Test("a host without a controller refuses what needs one, in a later turn")
    func withoutController() {
        let testbed = HostTestbed()
        var result: Result<ReadBDADDR.ReturnParameters, LEHostError>?
        testbed.host.send(ReadBDADDR()) { result = $0 }
        #expect(result == nil)
        testbed.run()
        #expect(result == .failure(.controllerLost))
        // Nothing of it is left for the controller that comes.
        testbed.host.attach(to: testbed.controller)
        testbed.run()
        #expect(testbed.controller.commands.first == Reset.opcode)
    }

    @Test("a controller that did not answer Reset leaves no question for the next one")
    func resetUnanswered() {
        let testbed = HostTestbed()
        testbed.controller.isDead = true
        testbed.host.attach(to: testbed.controller)
        testbed.run(.seconds(3))
        #expect(testbed.controller.isClosed)
        let next = ScriptedController(eventLoop: testbed.loop)
        testbed.host.attach(to: next)
        testbed.run()
        #expect(next.commands.first == Reset.opcode)
        #expect(testbed.host.state == .ready)
    }

    @Test("a controller that failed is let go once: there is none to detach from any more, and the reason stays")
    func detachedAfterFailure() {
        let testbed = HostTestbed.started()
        testbed.host.receive(HardwareError(hardwareCode: 1).packet(), from: testbed.controller)
        testbed.run()
        let state = testbed.host.state
        guard case .failed = state else {
            Issue.record("\(state)")
            return
        }
        testbed.forget()
        testbed.host.detach()
        testbed.run()
        #expect(testbed.host.state == state && testbed.delegate.takeLines() == [])
    }

    @Test("what a controller that was let go still sends is ignored, and so is its end")
    func formerController() {
        let testbed = HostTestbed.started()
        let former = testbed.controller
        let next = ScriptedController(eventLoop: testbed.loop)
        testbed.host.attach(to: next)
        testbed.run()
        testbed.forget()
        testbed.host.receive(HardwareError(hardwareCode: 1).packet(), from: former)
        testbed.host.finishBatch(of: former)
        testbed.host.closed(former, reason: "gone")
        testbed.run()
        #expect(testbed.host.state == .ready && testbed.delegate.takeLines() == [])
    }

    @Test("a controller that answers nothing is asked once whether it is there, however many commands are overdue")
    func probedOnce() throws {
        let testbed = HostTestbed.started()
        testbed.controller.silent = [ReadRSSI.opcode, ReadBDADDR.opcode]
        let link = try #require(testbed.acceptLink(0x40))
        testbed.forget()
        testbed.host.readRSSI(of: link) { _ in }
        testbed.run(.milliseconds(500))
        testbed.host.readRSSI(of: link) { _ in }
        testbed.run(.milliseconds(3_400))
        #expect(testbed.controller.takeCommands().filter { $0 == ReadBDADDR.opcode }.count == 1)
    }
}
