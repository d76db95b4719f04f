// Named attacks on links that a Security Manager alone cannot stop: before a link is encrypted, and on one that only
// pretends to be.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("LEHost: attacks on links")
struct LEHostSecurityAttackTests {
    /// A host in a role, on a link with its bonded peer that is not encrypted yet.
    private func linked(_ role: ConnectionRole, _ user: BondedUser) throws -> (HostTestbed, LinkID) {
        let testbed = HostTestbed.used(by: user)
        // It answers with Command Status, and with the result when the script says so.
        testbed.controller.silent = [LEEnableEncryption.opcode]
        testbed.connect(role)
        return (testbed, try #require(user.link))
    }

    /// The ATT PDUs that were sent.
    private func sent(_ testbed: HostTestbed) -> [String] {
        testbed.run()
        return testbed.takeFrames().filter { $0.hasPrefix("04 00 ") }.map { String($0.dropFirst(6)) }
    }

    @Test("unencrypted reconnection (BLESA, CVE-2020-9770): a pretended bonded peripheral gets and gives nothing")
    func unencryptedReconnection() throws {
        let user = BondedUser()
        let (testbed, link) = try self.linked(.central, user)
        testbed.deliver(CommandStatus(status: .success, opcode: LEEnableEncryption.opcode).packet())
        #expect(testbed.controller.takeCommands().contains(LEEnableEncryption.opcode))
        user.read(testbed)
        testbed.host.writeWithoutResponse(hex("01"), to: 3, on: link)
        #expect(self.sent(testbed).isEmpty)
        // It sends a notification, an indication, and a response without a request.
        for pdu in ["1B 03 00 07", "1D 03 00 07", "0B 07"] { testbed.receive(4, pdu) }
        #expect(user.values.isEmpty && user.reads.isEmpty)
        testbed.encryptionChanged(.pinOrKeyMissing)
        #expect(try testbed.disconnected().reason == .authenticationFailure)
        testbed.controller.disconnect(0x40, reason: .localHostTerminated)
        #expect(self.sent(testbed).isEmpty)
        #expect(user.reasons == [.pinOrKeyMissing] && user.values.isEmpty)
        #expect(user.reads.map { (try? $0.get()) == nil } == [true])
    }

    @Test("ATT before encryption finishes: a central that has begun to encrypt has shown no key yet")
    func attBeforeEncryption() throws {
        let user = BondedUser()
        let (testbed, link) = try self.linked(.peripheral, user)
        let characteristics = try testbed.host.addService(
            GATTServiceDefinition(
                uuid: 0xA000,
                characteristics: [
                    GATTCharacteristicDefinition(
                        uuid: 0xA001,
                        properties: .read,
                        permissions: .readEncryptionRequired,
                        value: hex("2A")
                    ),
                    GATTCharacteristicDefinition(
                        uuid: 0xA002,
                        properties: .notify,
                        permissions: [],
                        subscriptionSecurity: .encrypted
                    ),
                ]
            )
        ).characteristics
        let configuration = try #require(characteristics[1].clientConfiguration)
        func ask() -> [String] {
            _ = self.sent(testbed)
            testbed.receive(4, "0A \(characteristics[0].value.inHex)")
            testbed.receive(4, "12 \(configuration.inHex) 01 00")
            return self.sent(testbed).map { String($0.prefix(2) + $0.suffix(2)) }
        }
        #expect(ask() == ["010F", "010F"])
        testbed.requestKey()
        // This side has given its key, and its controller has not said yet that the other side has it, too.
        #expect(testbed.controller.takeCommands().contains(LELongTermKeyRequestReply.opcode))
        #expect(ask() == ["010F", "010F"])
        #expect(testbed.host.security(of: link)?.level == SecurityLevel.none && user.subscriptions.isEmpty)
        testbed.encryptionChanged()
        #expect(ask().map { $0.prefix(2) } == ["0B", "13"])
        #expect(user.subscriptions == [true])
    }

    @Test("a link that is kept alive without the key ends when the authenticated payload timeout expires")
    func silentPeer() throws {
        let user = BondedUser()
        let (testbed, _) = try self.linked(.central, user)
        testbed.deliver(CommandStatus(status: .success, opcode: LEEnableEncryption.opcode).packet())
        let expired = AuthenticatedPayloadTimeoutExpired(handle: ConnectionHandle(rawValue: 0x40)).packet()
        // It means nothing before the link is encrypted.
        testbed.deliver(expired)
        #expect(testbed.controller.parameters[Disconnect.opcode] == nil)
        testbed.encryptionChanged()
        testbed.deliver(expired)
        #expect(try testbed.disconnected().reason == .authenticationFailure)
        testbed.controller.disconnect(0x40, reason: .localHostTerminated)
        testbed.run()
        #expect(user.reasons == [.connectionTerminatedMICFailure])
    }
}
