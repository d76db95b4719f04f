// When a bonded peer is asked what it says of its privacy, octet by octet, and what is made of each answer (Vol 3, Part
// C, 12.4 and 12.5).

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Host: asking a peer for its privacy")
struct LEHostPeerPrivacyQuestionsTests {
    /// The user of a host that is bonded with its only peer.
    private final class User: LEHostDelegate {
        var bond: Bond
        var link: LinkID?
        var said: [PeerPrivacy] = []

        init(_ key: Octets16) {
            var bond = SecurityManagerTests.bond(.encrypted)
            bond.peer.identity = IdentityInformation(
                identityResolvingKey: key,
                address: SecurityManagerPair.peripheralAddress
            )
            self.bond = bond
        }

        func host(_ host: LEHost, bondOf link: LinkInformation) -> Bond? { self.bond }
        func host(_ host: LEHost, didConnect link: LinkInformation) { self.link = link.id }
        func host(_ host: LEHost, link: LinkInformation, didReadPrivacy privacy: PeerPrivacy) {
            self.said.append(privacy)
        }
    }

    private static let key = Octets16(high: 1, low: 2)
    private static let resolution = "08 01 00 FF FF A6 2A"
    private static let only = "08 01 00 FF FF C9 2A"

    /// The ATT PDUs that were sent since the last call.
    private func sent(_ testbed: HostTestbed) -> [String] {
        testbed.run()
        return testbed.takePayloads()
    }

    @Test(
        "A peer resolves addresses where it says 1, and uses private ones alone where it says 0",
        arguments: [
            ("09 03 10 00 01", "09 03 12 00 00", PeerPrivacy(resolvesAddresses: true, usesOnlyPrivateAddresses: true)),
            ("09 03 10 00 00", "09 03 12 00 01", PeerPrivacy()),
            ("09 03 10 00 01", "01 08 01 00 0A", PeerPrivacy(resolvesAddresses: true)),
            ("01 08 01 00 0A", "09 03 12 00 00", PeerPrivacy(usesOnlyPrivateAddresses: true)),
            ("09 03 10 00 02", "09 03 12 00 02", PeerPrivacy()), ("01 08 01 00 0A", "01 08 01 00 0A", PeerPrivacy()),
        ]
    )
    func answers(resolution: String, only: String, privacy: PeerPrivacy) {
        let user = User(Self.key)
        let testbed = HostTestbed.used(by: user)
        testbed.connect(.peripheral)
        #expect(self.sent(testbed) == [], "the link is not encrypted yet")
        testbed.encrypt()
        #expect(self.sent(testbed) == [Self.resolution])
        testbed.receive(4, resolution)
        #expect(self.sent(testbed) == [Self.only] && user.said == [])
        testbed.receive(4, only)
        #expect(self.sent(testbed) == [] && user.said == [privacy])
        // It has been asked on this link, whatever the host keeps of it.
        testbed.encrypt()
        #expect(self.sent(testbed) == [] && user.said == [privacy])
    }

    @Test("A peer whose privacy is known, or that has no key and so cannot hide, is not asked")
    func notAsked() {
        let address = SecurityManagerPair.peripheralAddress
        for (key, known) in [(Self.key, [address: PeerPrivacy()]), (.zero, [:])]
            as [(Octets16, [DeviceAddress: PeerPrivacy])]
        {
            let user = User(key)
            let testbed = HostTestbed.used(by: user)
            testbed.host.peerPrivacy = known
            testbed.connect(.peripheral)
            testbed.encrypt()
            #expect(testbed.host.links.count == 1 && self.sent(testbed) == [] && user.said == [])
        }
        // What is known of another one is not known of this one.
        let user = User(Self.key)
        let testbed = HostTestbed.used(by: user)
        testbed.host.peerPrivacy = [DeviceAddress(7, kind: .public): PeerPrivacy()]
        testbed.connect(.peripheral)
        testbed.encrypt()
        #expect(self.sent(testbed) == [Self.resolution])
    }

    @Test("A peer whose database is out of sync is not asked further, and is asked again on its next link")
    func outOfSync() {
        let user = User(Self.key)
        let testbed = HostTestbed.used(by: user)
        testbed.connect(.peripheral)
        testbed.encrypt()
        #expect(self.sent(testbed) == [Self.resolution])
        testbed.receive(4, "01 08 01 00 12")
        #expect(self.sent(testbed) == [] && user.said == [])
        testbed.controller.disconnect(0x40, reason: .remoteUserTerminated)
        testbed.run()
        testbed.connect(.peripheral)
        testbed.encrypt()
        #expect(self.sent(testbed) == [Self.resolution])
    }

    @Test("A link that ends between the two questions says nothing of the peer")
    func linkEnds() {
        let user = User(Self.key)
        let testbed = HostTestbed.used(by: user)
        testbed.connect(.peripheral)
        testbed.encrypt()
        testbed.receive(4, "09 03 10 00 01")
        #expect(self.sent(testbed) == [Self.resolution, Self.only])
        testbed.controller.disconnect(0x40, reason: .remoteUserTerminated)
        testbed.run()
        #expect(user.said == [] && testbed.host.links.isEmpty)
    }
}
