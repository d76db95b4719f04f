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

    @Test("fails the read if the central does nothing for 30 s, and sends it nothing more")
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
        testbed.endLink(.localHostTerminated)
        #expect(user.reads == [.failure(.disconnected(.pinOrKeyMissing))])
    }

    @Test("does not fail a later read for the reason of an earlier one")
    func laterRead() throws {
        let user = BondedUser()
        let testbed = self.connected(user)
        let link = try #require(user.link)
        user.read(testbed)
        testbed.requestKey()
        // The link continues without its bond, and the central gives up.
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
}
