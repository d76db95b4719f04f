// Flow control from the controller to the host (Vol 4, Part E, 4.2): the reports of completed packets.

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

    private static func started(_ prepare: (ScriptedController) -> Void = { _ in }) -> HostTestbed {
        HostTestbed.started(LEHostConfiguration(limitsReceivedData: true), prepare)
    }

    /// Commands on a link's L2CAP signalling channel, which need no user.
    private func receive(_ count: Int, on handle: UInt16, _ testbed: HostTestbed) {
        for _ in 0..<count { testbed.controller.receive(handle, channel: 0x0006, [0x05, 0x05]) }
        testbed.run()
    }

    /// The counts of the last report by link; `nil` if there was none since the last call.
    private func report(_ testbed: HostTestbed) throws -> [UInt16: UInt16]? {
        guard testbed.controller.takeCommands().contains(HostNumberOfCompletedPackets.opcode) else { return nil }
        let completed = try testbed.controller.last(HostNumberOfCompletedPackets.self).completed
        return Dictionary(uniqueKeysWithValues: completed.map { ($0.handle.rawValue, $0.count) })
    }

    @Test(
        "sends no reports to a controller that refuses either command",
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

    @Test("reports more than 63 links in two commands (Vol 4, Part E, 7.3.40)", arguments: [62, 63, 64] as [UInt16])
    func manyLinks(count: UInt16) throws {
        let testbed = Self.started()
        let handles = (0..<count).map { 0x40 + $0 }
        for handle in handles { _ = testbed.acceptLink(handle) }
        testbed.forget()
        // The first link has enough extra packets to make the last one the 64th.
        self.receive(64 - Int(count), on: handles[0], testbed)
        for handle in handles.dropLast() { self.receive(1, on: handle, testbed) }
        #expect(testbed.controller.takeCommands() == [])
        let last = try #require(handles.last)
        self.receive(1, on: last, testbed)
        let reports = testbed.controller.takeCommands()
        #expect(reports == Array(repeating: HostNumberOfCompletedPackets.opcode, count: count > 63 ? 2 : 1))
        let report = try testbed.controller.last(HostNumberOfCompletedPackets.self).completed.map(\.handle.rawValue)
        #expect(report == (count > 63 ? [last] : handles))
    }

    /// ATT PDUs that go directly to the user, and those that do not.
    private static func values(_ characteristic: AttributeHandle) -> [(pdu: [UInt8], isForTheUser: Bool)] {
        [
            ([0x1B, 0x03, 0x00, 0xAA], true), ([0x1B, 0x00, 0x00, 0xAA], false),
            ([0x52] + characteristic.octets + [0xAA], true), ([0x52, 0x77, 0x77, 0xAA], false),
        ]
    }

    @Test("reports packets with values that go directly to the user, each once", arguments: 0..<4)
    func values(index: Int) throws {
        let testbed = Self.started()
        let handle = try testbed.addCharacteristic(.writeWithoutResponse, .writeable).value
        _ = testbed.acceptLink(Self.first)
        testbed.forget()
        let (pdu, isForTheUser) = Self.values(handle)[index]
        for _ in 0..<31 { testbed.controller.receive(Self.first, channel: 4, pdu) }
        testbed.run()
        #expect(try self.report(testbed) == nil)
        #expect(testbed.delegate.takeLines().count == (isForTheUser ? 31 : 0))
        testbed.controller.receive(Self.first, channel: 4, pdu)
        testbed.run()
        #expect(try self.report(testbed) == [Self.first: 32])
    }

    // MARK: Links that are held back

    @Test("A1: holds back the packets of a paused link, not those of others, and reports all when it resumes")
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
}
