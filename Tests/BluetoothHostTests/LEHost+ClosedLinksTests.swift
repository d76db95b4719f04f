// What a host tells its user when a link ends while something else is going on: each thing once, and nothing is left.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Host: links that end meanwhile")
struct LEHostClosedLinksTests {
    /// The user of a host that is bonded with its only peer.
    private final class User: LEHostDelegate {
        var link: LinkID?
        var ends = 0

        func host(_ host: LEHost, bondOf link: LinkInformation) -> Bond? { SecurityManagerTests.bond(.encrypted) }
        func host(_ host: LEHost, didConnect link: LinkInformation) { self.link = link.id }
        func host(_ host: LEHost, didDisconnect link: LinkInformation, reason: HCIErrorCode) { self.ends += 1 }
    }

    private func connected(_ user: User) throws -> (HostTestbed, LinkID) {
        let testbed = HostTestbed()
        testbed.host.delegate = user
        testbed.controller.dataIsAnswered = true
        testbed.controller.silent = [LEEnableEncryption.opcode]
        testbed.start()
        testbed.host.connect(to: SecurityManagerPair.peripheralAddress)
        testbed.run()
        testbed.controller.connect(0x40, peer: SecurityManagerPair.peripheralAddress, role: .central)
        testbed.run()
        return (testbed, try #require(user.link))
    }

    @Test("A channel that waits for the encryption of a bond has failed when the link ends")
    func waitingChannel() throws {
        let user = User()
        let (testbed, link) = try self.connected(user)
        var results: [Bool] = []
        testbed.host.openChannel(
            on: link,
            spsm: 0x25,
            configuration: L2CAPChannelConfiguration(mtu: 64, mps: 32, window: 4)
        ) { result in
            results.append((try? result.get()) != nil)
        }
        testbed.run()
        testbed.controller.receive(
            0x40,
            channel: 5,
            Array(hex("15 01 0A 00 00 00 00 00 00 00 00 00 08 00").readableBytesView)
        )
        testbed.run()
        #expect(results.isEmpty)
        testbed.controller.disconnect(0x40, reason: .connectionTimeout)
        testbed.run()
        #expect(results == [false] && user.ends == 1)
    }
}
