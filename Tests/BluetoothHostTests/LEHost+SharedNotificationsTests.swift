// Notifications to a client that takes several in one PDU (Vol 3, Part F, 3.4.7.4): which share one, and which do not.
// And those that wait for the end of the MTU exchange.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Host: notifications that share a PDU")
struct LEHostSharedNotificationsTests {
    private static let peer = DeviceAddress(0xC000_0000_0001, kind: .random)

    /// A host with a client that is subscribed to a characteristic, and takes several notifications in one PDU.
    private struct Setup {
        let testbed: HostTestbed
        let link: LinkID
        let handle: AttributeHandle

        init() throws {
            let testbed = HostTestbed.started()
            testbed.controller.dataIsAnswered = true
            let (link, handle) = try #require(testbed.subscribe(0x40, from: LEHostSharedNotificationsTests.peer))
            self.testbed = testbed
            self.link = link
            self.handle = handle
            // The Client Supported Features: one octet, behind the length and the handle.
            let found = self.answers("08 01 00 FF FF 29 2B")
            let answer = try #require(found.first)
            #expect(found.count == 1 && answer.hasPrefix("09 03 "))
            #expect(self.answers("12 \(answer.dropFirst(6).prefix(5)) 04") == ["13"])
            self.testbed.forget()
        }

        /// The handle of the characteristic's value, as it is sent.
        var name: String { hex(ByteBuffer(integer: self.handle, endianness: .little)) }

        /// The ATT PDUs that were sent since the last call.
        func sent() -> [String] {
            self.testbed.run()
            return self.testbed.takePayloads()
        }

        func answers(_ octets: String) -> [String] {
            self.testbed.receive(4, octets)
            return self.testbed.takePayloads()
        }

        func notify(_ octets: String) {
            self.testbed.host.notify(
                hex(octets),
                characteristic: self.handle,
                to: self.link,
                token: .notification
            )
        }
    }

    @Test("The notifications of one turn share a PDU, and those of the next turn another one")
    func turns() throws {
        let setup = try Setup()
        let name = setup.name
        for octets in [("A1", "A2"), ("B1", "B2"), ("C1", "C2")] {
            setup.notify(octets.0)
            setup.notify(octets.1)
            #expect(setup.sent() == ["23 \(name) 01 00 \(octets.0) \(name) 01 00 \(octets.1)"])
            #expect(setup.testbed.delegate.takeLines() == ["transmitted 2 notification"])
        }
        setup.notify("D1")
        #expect(setup.sent() == ["1B \(name) D1"])
    }

    @Test("A notification from before the security of the link was set shares no PDU with one from behind that")
    func security() throws {
        let setup = try Setup()
        setup.notify("A1")
        setup.testbed.host.removeBond(of: setup.link)
        setup.notify("A2")
        #expect(setup.sent() == ["1B \(setup.name) A1", "1B \(setup.name) A2"])
        #expect(setup.testbed.delegate.takeLines() == ["transmitted 2 notification"])
    }

    @Test("A value for a link that there is is taken, whether the client is subscribed or need not be")
    func taken() throws {
        let setup = try Setup()
        let host = setup.testbed.host
        let isTaken = host.notify(hex("A1"), characteristic: setup.handle, to: setup.link)
        let isCounted = host.notify(hex("A2"), characteristic: 0x7777, to: setup.link)
        let isSent = host.notifyUnconditionally(hex("A3"), characteristic: 0x7777, to: setup.link)
        #expect(isTaken && isCounted && isSent)
        setup.testbed.run()
    }

    @Test("What waits for the end of the MTU exchange leaves then, in its order (Vol 3, Part F, 3.4.2.2)")
    func deferred() throws {
        let testbed = HostTestbed.started()
        testbed.controller.dataIsAnswered = true
        let definition = GATTServiceDefinition(
            uuid: 0xA000,
            characteristics: [GATTCharacteristicDefinition(uuid: 0xA001, properties: .notify, permissions: [])]
        )
        let characteristic = try testbed.host.addService(definition).characteristics[0]
        let configuration = try #require(characteristic.clientConfiguration)
        var connected: LinkID?
        testbed.delegate.onConnect = { connected = $0.id }
        testbed.host.connect(to: Self.peer)
        testbed.run()
        testbed.controller.connect(0x40, peer: Self.peer, role: .central)
        testbed.run()
        let link = try #require(connected)
        // The peer subscribes before it answers the MTU request.
        let octets = [UInt8(truncatingIfNeeded: configuration), UInt8(truncatingIfNeeded: configuration >> 8)]
        testbed.controller.receive(0x40, channel: 4, [0x12] + octets + [0x01, 0x00])
        testbed.run()
        testbed.forget()
        _ = testbed.controller.takeData()
        for octets in ["A1", "A2"] {
            testbed.host.notify(hex(octets), characteristic: characteristic.value, to: link, token: .notification)
        }
        testbed.run()
        #expect(testbed.controller.takeData().isEmpty && testbed.delegate.takeLines() == [])
        testbed.controller.receive(0x40, channel: 4, [0x03, 0x17, 0x00])
        testbed.run()
        let name = hex(ByteBuffer(integer: characteristic.value, endianness: .little))
        let sent = testbed.takePayloads()
        #expect(sent.filter { $0.hasPrefix("1B") } == ["1B \(name) A1", "1B \(name) A2"])
        #expect(testbed.delegate.takeLines().filter { $0.hasPrefix("transmitted") } == ["transmitted 2 notification"])
    }
}
