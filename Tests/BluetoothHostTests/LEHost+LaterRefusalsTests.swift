// What a peer refuses for want of security while the link is being secured for something else, or after that has come
// to nothing (Vol 3, Part C, 10.3.2).

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Host: later refusals for want of security")
struct LEHostLaterRefusalsTests {
    /// The user of a host that may be bonded with its only peer.
    private final class User: LEHostDelegate {
        let bond: Bond?
        var link: LinkID?
        var errors: [PairingError] = []
        var reads: [Result<ByteBuffer, GATTError>] = []
        var channelCount = 0

        init(_ bond: Bond?) { self.bond = bond }

        func host(_ host: LEHost, bondOf link: LinkInformation) -> Bond? { self.bond }
        func host(_ host: LEHost, didConnect link: LinkInformation) { self.link = link.id }
        func host(_ host: LEHost, link: LinkID, didFailToPair error: PairingError) { self.errors.append(error) }
    }

    private let handle = ConnectionHandle(rawValue: 0x40)

    private func connected(_ user: User, role: ConnectionRole) -> HostTestbed {
        let testbed = HostTestbed.used(by: user)
        testbed.connect(role)
        testbed.forget()
        return testbed
    }

    @Test("A channel that is refused while a central pairs for another one waits for that pairing, and no other one")
    func whilePairing() throws {
        let user = User(nil)
        let testbed = self.connected(user, role: .central)
        let link = try #require(user.link)
        for spsm in [0x25, 0x26] as [SPSM] {
            testbed.host.openChannel(
                on: link,
                spsm: spsm,
                configuration: L2CAPChannelConfiguration(mtu: 64, mps: 32, window: 4)
            ) { _ in user.channelCount += 1 }
        }
        testbed.run()
        let requests = testbed.takeFrames().filter { $0.hasPrefix("05 00 14") }
        #expect(requests.map { String($0.prefix(11)) } == ["05 00 14 01", "05 00 14 02"])
        for identifier in ["01", "02"] {
            testbed.receive(5, "15 \(identifier) 0A 00 00 00 00 00 00 00 00 00 08 00")
        }
        let commands = testbed.takeFrames().filter { $0.hasPrefix("06 00") }
        #expect(commands.count == 1 && commands.first?.hasPrefix("06 00 01") == true, "one Pairing Request")
        #expect(user.errors == [] && user.channelCount == 0)
        // The peer refuses to pair: both have waited for that.
        testbed.receive(6, "05 05")
        #expect(user.errors == [.failedByPeer(.pairingNotSupported)] && user.channelCount == 2)
    }

    @Test("Why the link was not secured for an earlier read is not why a later one has failed")
    func laterRead() throws {
        let user = User(SecurityManagerTests.bond(.encrypted))
        let testbed = self.connected(user, role: .peripheral)
        let link = try #require(user.link)
        func read() {
            testbed.host.perform(ReadValue(3), on: link) { user.reads.append($0) }
            testbed.run()
            testbed.receive(4, "01 0A 03 00 0F")
        }
        read()
        testbed.controller.deliver(
            LELongTermKeyRequest(handle: self.handle, random: 0, encryptedDiversifier: 0).packet()
        )
        testbed.run()
        // The link goes on without its bond, and the central gives up.
        testbed.host.removeBond(of: link)
        testbed.controller.deliver(
            EncryptionChange(status: .pinOrKeyMissing, handle: self.handle, encryption: .off).packet()
        )
        testbed.run()
        testbed.receive(6, "05 05")
        #expect(user.reads == [.failure(.encryptionFailed(.pinOrKeyMissing))])
        _ = testbed.takeFrames()
        read()
        #expect(testbed.takeFrames().map { String($0.prefix(8)) } == ["04 00 0A", "06 00 0B"])
        testbed.receive(6, "05 05")
        #expect(user.reads.count == 2 && user.reads.last == .failure(.att(.insufficientEncryption, handle: 3)))
        #expect(testbed.host.links.map(\.id) == [link])
    }
}
