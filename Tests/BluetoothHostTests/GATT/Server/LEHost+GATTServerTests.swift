// The GATT server of a host: its database, and notifications, alone and sharing a PDU.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("LEHost: GATT server")
struct LEHostGATTServerTests {
    private func connected(
        _ configuration: LEHostConfiguration = LEHostConfiguration()
    ) throws -> (HostTestbed, LinkID) {
        let testbed = HostTestbed.started(configuration) { $0.dataIsAnswered = true }
        let link = try #require(testbed.acceptLink(0x40))
        testbed.forget()
        _ = testbed.controller.takeData()
        return (testbed, link)
    }

    // MARK: The database

    @Test(
        "serves the configured name, appearance and Generic Attribute service (Vol 3, Part C, 12.1 and 12.2)",
        arguments: [(.full, "07"), (.absent, "01")] as [(GenericAttributeService, String)]
    )
    func configured(service: GenericAttributeService, opcode: String) throws {
        let (testbed, _) = try self.connected(
            LEHostConfiguration(deviceName: "Pulse", appearance: 0x0341, genericAttribute: service)
        )
        #expect(testbed.answers("08 01 00 FF FF 00 2A").map { $0.hasSuffix("50 75 6C 73 65") } == [true])
        #expect(testbed.answers("08 01 00 FF FF 01 2A").map { $0.hasSuffix("41 03") } == [true])
        #expect(testbed.answers("06 01 00 FF FF 00 28 01 18").map { String($0.prefix(2)) } == [opcode])
    }

    @Test("does not find a removed service, and ignores the removal of one that does not exist")
    func removeService() throws {
        let (testbed, _) = try self.connected()
        let characteristic = GATTCharacteristicDefinition(
            uuid: 0xA001,
            properties: .read,
            permissions: .readable,
            value: hex("2A")
        )
        let handles = try testbed.host.addService(
            GATTServiceDefinition(uuid: 0xA000, characteristics: [characteristic])
        )
        let name = handles.characteristics[0].value.inHex
        #expect(testbed.answers("0A \(name)") == ["0B 2A"])
        testbed.host.removeService(0x7000)
        testbed.host.removeService(handles.range.lowerBound)
        testbed.host.removeService(handles.range.lowerBound)
        #expect(testbed.answers("0A \(name)") == ["01 0A \(name) 01"])
    }

    // MARK: Notifications

    @Test("sends an unconditional notification without counting it, and counts one without a subscriber")
    func unconditionalNotification() throws {
        let (testbed, link) = try self.connected()
        #expect(testbed.host.notifyUnconditionally(hex("AA BB"), characteristic: 0x1234, to: link))
        #expect(testbed.sent() == ["1B 34 12 AA BB"] && testbed.delegate.takeLines() == [])
        #expect(testbed.host.notify(hex("AA"), characteristic: 0x1234, to: link))
        #expect(testbed.sent() == [] && testbed.delegate.takeLines() == ["transmitted 1 0"])
    }

    /// A client that is subscribed, and takes several notifications in one PDU (Vol 3, Part F, 3.4.7.4).
    private func subscribed() throws -> (testbed: HostTestbed, link: LinkID, handle: AttributeHandle) {
        let testbed = HostTestbed.started { $0.dataIsAnswered = true }
        let (link, handle) = try testbed.subscribe(0x40, from: HostTestbed.peers[0])
        // The Client Supported Features: one octet, behind the length and the handle.
        let found = try #require(testbed.answers("08 01 00 FF FF 29 2B").first)
        #expect(found.hasPrefix("09 03 "))
        #expect(testbed.answers("12 \(found.dropFirst(6).prefix(5)) 04") == ["13"])
        testbed.forget()
        return (testbed, link, handle)
    }

    @Test("sends the notifications of one turn in one PDU, and a single one by itself")
    func sharedNotifications() throws {
        let (testbed, link, handle) = try self.subscribed()
        for octets in [(0xA1, 0xA2), (0xB1, 0xB2)] as [(UInt8, UInt8)] {
            testbed.notify([octets.0], of: handle, to: link)
            testbed.notify([octets.1], of: handle, to: link)
            #expect(
                testbed.sent() == [
                    "23 \(handle.inHex) 01 00 \(octets.0.hexDigits) \(handle.inHex) 01 00 \(octets.1.hexDigits)"
                ]
            )
            #expect(testbed.delegate.takeLines() == ["transmitted 2 notification"])
        }
        testbed.notify([0xD1], of: handle, to: link)
        #expect(testbed.sent() == ["1B \(handle.inHex) D1"])
    }

    @Test("does not join notifications from before and after a change of the link's security")
    func notificationsAroundSecurity() throws {
        let (testbed, link, handle) = try self.subscribed()
        testbed.notify([0xA1], of: handle, to: link)
        testbed.host.removeBond(of: link)
        testbed.notify([0xA2], of: handle, to: link)
        #expect(testbed.sent() == ["1B \(handle.inHex) A1", "1B \(handle.inHex) A2"])
        #expect(testbed.delegate.takeLines() == ["transmitted 2 notification"])
    }

    @Test(
        "holds notifications during the MTU exchange (Vol 3, Part F, 3.4.2.2), and counts them if the link ends",
        arguments: [true, false]
    )
    func notificationsDuringExchange(isAnswered: Bool) throws {
        let testbed = HostTestbed.started { $0.dataIsAnswered = true }
        let characteristic = try testbed.addCharacteristic(.notify)
        let peer = HostTestbed.peers[0]
        let link = try #require(testbed.connect(0x40, peer))
        // The peer subscribes before it answers the MTU request.
        try testbed.subscribe(0x40, to: characteristic)
        testbed.forget()
        _ = testbed.controller.takeData()
        testbed.notify([0xA1], of: characteristic.value, to: link)
        testbed.notify([0xA2], of: characteristic.value, to: link)
        #expect(testbed.sent() == [] && testbed.delegate.takeLines() == [])
        guard isAnswered else {
            testbed.controller.disconnect(0x40, reason: .remoteUserTerminated)
            testbed.run()
            #expect(
                testbed.delegate.takeLines() == [
                    "subscribed \(characteristic.value) false", "transmitted 2 notification", "disconnected \(peer) 19",
                ]
            )
            return
        }
        let name = characteristic.value.inHex
        let sent = testbed.answers("03 17 00")
        #expect(sent.filter { $0.hasPrefix("1B") } == ["1B \(name) A1", "1B \(name) A2"])
        #expect(testbed.delegate.takeLines().filter { $0.hasPrefix("transmitted") } == ["transmitted 2 notification"])
    }
}
