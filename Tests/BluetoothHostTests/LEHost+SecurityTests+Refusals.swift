// Requests that a peer refuses until the link is more secure: they are repeated on a secured link, or fail
// (Vol 3, Part C, 10.3.2).

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("LEHost: requests refused until the link is secure")
struct LEHostSecurityRefusalTests {
    private static let read = "04 00 0A 03 00"
    private static let needsEncryption = "01 0A 03 00 0F"

    /// A host in a role, on a link that is not encrypted.
    private func connected(_ user: BondedUser, _ role: ConnectionRole = .peripheral) -> HostTestbed {
        let testbed = HostTestbed.used(by: user)
        testbed.connect(role)
        testbed.forget()
        return testbed
    }

    @Test("repeats a read on the encrypted link that was refused without encryption")
    func repeated() throws {
        let user = BondedUser(nil)
        let testbed = self.connected(user)
        user.read(testbed)
        #expect(testbed.takeFrames() == [Self.read])
        testbed.receive(4, Self.needsEncryption)
        #expect(testbed.takeFrames().map { $0.prefix(8) } == ["06 00 0B"], "a Security Request")
        #expect(user.reads == [])
        #expect(try PairingCentral(testbed).pair() == [Self.read])
        testbed.receive(4, "0B AA")
        #expect(user.reads == [.success(hex("AA"))])
    }

    @Test("keeps the refusal if the central refuses to pair, or the host may not", arguments: [true, false])
    func refusalStands(isPairingAllowed: Bool) throws {
        let user = BondedUser(nil)
        let testbed = self.connected(user)
        testbed.host.pairing.isPairingAllowed = isPairingAllowed
        user.read(testbed)
        _ = testbed.takeFrames()
        testbed.receive(4, "01 0A 03 00 05")
        #expect(testbed.takeFrames().isEmpty == !isPairingAllowed)
        if isPairingAllowed {
            #expect(user.reads == [])
            testbed.receive(6, "05 05")
        }
        #expect(user.reads == [.failure(.att(.insufficientAuthentication, handle: 3))])
        user.read(testbed)
        #expect(testbed.takeFrames() == [Self.read])
        testbed.receive(4, "0B BB")
        #expect(user.reads.last == .success(hex("BB")))
    }

    @Test(
        "keeps a refusal that encryption does not lift",
        arguments: [("08", .insufficientAuthorization), ("0C", .encryptionKeySizeTooShort), ("02", .readNotPermitted)]
            as [(String, ATTErrorCode)]
    )
    func otherRefusals(octet: String, error: ATTErrorCode) throws {
        let user = BondedUser(nil)
        let testbed = self.connected(user)
        user.read(testbed)
        _ = testbed.takeFrames()
        testbed.receive(4, "01 0A 03 00 \(octet)")
        #expect(user.reads == [.failure(.att(error, handle: 3))] && testbed.takeFrames() == [])
    }

    @Test("fails the read if the central does nothing for 30 s, and asks it for nothing more")
    func timedOut() throws {
        let user = BondedUser(nil)
        let testbed = self.connected(user)
        user.read(testbed)
        testbed.receive(4, Self.needsEncryption)
        testbed.run(.seconds(30) - .nanoseconds(1))
        #expect(user.reads == [])
        testbed.run(.nanoseconds(1))
        #expect(user.reads == [.failure(.pairingTimedOut)])
        user.read(testbed)
        _ = testbed.takeFrames()
        testbed.receive(4, Self.needsEncryption)
        #expect(user.reads == [.failure(.pairingTimedOut), .failure(.pairingTimedOut)])
        #expect(testbed.takeFrames() == [])
    }

    @Test("fails the read and ends the link if the key of the bond does not encrypt it")
    func encryptionFails() throws {
        let user = BondedUser()
        let testbed = self.connected(user)
        user.read(testbed)
        testbed.encrypt(.pinOrKeyMissing)
        #expect(try testbed.disconnected().reason == .authenticationFailure)
        testbed.controller.disconnect(0x40, reason: .localHostTerminated)
        testbed.run()
        #expect(user.reads == [.failure(.disconnected(.pinOrKeyMissing))])
    }

    @Test("does not fail a later read for the reason of an earlier one")
    func laterRead() throws {
        let user = BondedUser()
        let testbed = self.connected(user)
        let link = try #require(user.link)
        user.read(testbed)
        testbed.requestKey()
        // The link goes on without its bond, and the central gives up.
        testbed.host.removeBond(of: link)
        testbed.encryptionChanged(.pinOrKeyMissing)
        testbed.receive(6, "05 05")
        #expect(user.reads == [.failure(.encryptionFailed(.pinOrKeyMissing))])
        _ = testbed.takeFrames()
        user.read(testbed)
        #expect(testbed.takeFrames().map { $0.prefix(8) } == ["06 00 0B"])
        testbed.receive(6, "05 05")
        #expect(user.reads.dropFirst() == [.failure(.att(.insufficientEncryption, handle: 0))])
        #expect(testbed.host.links.map(\.id) == [link])
    }

    // MARK: Channels

    /// Opens channels on two SPSMs.
    private func openChannels(_ testbed: HostTestbed, _ link: LinkID, _ ended: @escaping () -> Void) {
        let configuration = L2CAPChannelConfiguration(mtu: 64, mps: 32, window: 4)
        for spsm in [0x25, 0x26] as [SPSM] {
            testbed.host.openChannel(on: link, spsm: spsm, configuration: configuration) { result in
                if case .failure = result { ended() }
            }
        }
        testbed.run()
    }

    @Test("pairs once for two refused channels, which both fail with that pairing")
    func channelsWhilePairing() throws {
        let user = BondedUser(nil)
        let testbed = self.connected(user, .central)
        var ended = 0
        self.openChannels(testbed, try #require(user.link)) { ended += 1 }
        let requests = testbed.takeFrames().filter { $0.hasPrefix("05 00 14") }
        #expect(requests.map { $0.prefix(11) } == ["05 00 14 01", "05 00 14 02"])
        for identifier in ["01", "02"] {
            testbed.receive(5, "15 \(identifier) 0A 00 00 00 00 00 00 00 00 00 08 00")
        }
        let commands = testbed.takeFrames().filter { $0.hasPrefix("06 00") }
        #expect(commands.map { $0.prefix(8) } == ["06 00 01"], "one Pairing Request")
        #expect(user.errors == [] && ended == 0)
        testbed.receive(6, "05 05")
        #expect(user.errors == [.failedByPeer(.pairingNotSupported)] && ended == 2)
    }

    @Test("fails channels that wait for the encryption of a bond when the link ends")
    func channelsOfEndedLink() throws {
        let user = BondedUser()
        let testbed = HostTestbed.used(by: user)
        testbed.controller.silent = [LEEnableEncryption.opcode]
        testbed.connect(.central)
        var ended = 0
        self.openChannels(testbed, try #require(user.link)) { ended += 1 }
        #expect(ended == 0)
        testbed.controller.disconnect(0x40, reason: .connectionTimeout)
        testbed.run()
        #expect(ended == 2 && user.reasons.count == 1)
    }
}
