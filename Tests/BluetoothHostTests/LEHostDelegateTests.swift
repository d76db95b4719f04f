// The defaults of a delegate: requests of a peer are refused, and its data is accepted.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("LEHostDelegate: defaults")
struct LEHostDelegateTests {
    private final class Nobody: LEHostDelegate {}

    /// Implements write requests only.
    private final class Writer: LEHostDelegate {
        var requests: [GATTWriteRequest] = []
        func host(_ host: LEHost, didReceiveWriteRequest request: GATTWriteRequest) { self.requests.append(request) }
    }

    /// A host with a link, and the handle of a value that the user handles.
    private func connected(_ user: any LEHostDelegate) throws -> (testbed: HostTestbed, handle: AttributeHandle) {
        let testbed = HostTestbed.used(by: user)
        _ = try #require(testbed.acceptLink(0x40))
        let properties: CharacteristicProperties = [.read, .write, .writeWithoutResponse]
        let handle = try testbed.addCharacteristic(properties, [.readable, .writeable]).value
        testbed.run()
        _ = testbed.controller.takeData()
        return (testbed, handle)
    }

    @Test("refuses reads and writes that wait for the user")
    func refusals() throws {
        let (testbed, handle) = try self.connected(Nobody())
        let name = handle.inHex
        #expect(testbed.answers("0A \(name)") == ["01 0A \(name) 0E"])
        #expect(testbed.answers("12 \(name) AA") == ["01 12 \(name) 0E"])
        #expect(testbed.answers("52 \(name) AA") == [])
        #expect(testbed.answers("0A \(name)") == ["01 0A \(name) 0E"])
    }

    @Test("passes a write without response to a user who implements write requests, without an identifier")
    func writeCommand() throws {
        let user = Writer()
        let (testbed, handle) = try self.connected(user)
        #expect(testbed.answers("52 \(handle.inHex) AA BB") == [])
        #expect(user.requests.map(\.parts) == [[.init(handle: handle, offset: 0, value: hex("AA BB"))]])
        #expect(user.requests[0].id == nil && user.requests[0].link == testbed.host.links[0].id)
        #expect(testbed.answers("12 \(handle.inHex) CC") == [], "the user answers it")
        #expect(user.requests.count == 2 && user.requests[1].id != nil)
    }

    @Test(
        "accepts channels, with and without a delegate, and gives their octets back immediately",
        arguments: [true, false]
    )
    func channel(hasDelegate: Bool) throws {
        let (testbed, handle) = try self.connected(Nobody())
        if !hasDelegate { testbed.host.delegate = nil }
        _ = try testbed.host.listenForChannels(
            spsm: 0x80,
            configuration: L2CAPChannelConfiguration(mtu: 64, mps: 32, window: 1)
        )
        func answers(_ channel: UInt16, _ octets: String) -> [String] {
            testbed.receive(channel, octets)
            return testbed.takePayloads()
        }
        #expect(
            answers(5, "14 01 0A 00 80 00 41 00 40 00 20 00 02 00") == ["15 01 0A 00 40 00 40 00 20 00 01 00 00 00"]
        )
        guard hasDelegate else { return #expect(testbed.answers("0A \(handle.inHex)") == []) }
        #expect(answers(0x40, "01 00 AA") == ["16 01 04 00 40 00 01 00"])
        #expect(answers(0x40, "01 00 BB") == ["16 02 04 00 40 00 01 00"])
    }
}
