// The bond of a link that is removed while the link is being encrypted with its key: what fails then does not show that
// the peer has lost the key of a bond.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Host: a bond that is removed during encryption")
struct LEHostRemovedBondTests {
    /// The user of a host that is bonded with its only peer.
    private final class User: LEHostDelegate {
        var link: LinkID?

        func host(_ host: LEHost, bondOf link: LinkInformation) -> Bond? { SecurityManagerTests.bond(.encrypted) }
        func host(_ host: LEHost, didConnect link: LinkInformation) { self.link = link.id }
    }

    @Test(
        "A link whose encryption fails is ended for want of the key where it has a bond, and goes on where it has none",
        arguments: [true, false]
    )
    func encryptionFails(isRemoved: Bool) throws {
        let user = User()
        defer { withExtendedLifetime(user) {} }
        let testbed = HostTestbed.used(by: user)
        testbed.connect(.peripheral)
        let link = try #require(user.link)
        let handle = ConnectionHandle(rawValue: 0x40)
        testbed.controller.deliver(
            LELongTermKeyRequest(handle: handle, random: 0, encryptedDiversifier: 0).packet()
        )
        testbed.run()
        #expect(testbed.controller.takeCommands().contains(LELongTermKeyRequestReply.opcode))
        if isRemoved { testbed.host.removeBond(of: link) }
        testbed.controller.deliver(
            EncryptionChange(status: .pinOrKeyMissing, handle: handle, encryption: .off).packet()
        )
        testbed.run()
        #expect((testbed.controller.parameters[Disconnect.opcode] == nil) == isRemoved)
        #expect(testbed.host.links.map(\.id) == [link])
    }
}
