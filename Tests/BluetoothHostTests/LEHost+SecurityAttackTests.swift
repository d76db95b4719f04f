// Attacks on links, each by the name under which it is known, that a Security Manager alone cannot stop: what a host sends
// and believes before a link is encrypted, and on one that only pretends to be.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Host: attacks on links")
struct LEHostSecurityAttackTests {
    /// The user of a host that is bonded with its only peer.
    private final class User: LEHostDelegate {
        var bond: Bond? = SecurityManagerTests.bond(.encrypted)
        var link: LinkID?
        var values: [ByteBuffer] = []
        var reasons: [HCIErrorCode] = []
        var subscriptions: [Bool] = []

        func host(_ host: LEHost, bondOf link: LinkInformation) -> Bond? { self.bond }
        func host(_ host: LEHost, didConnect link: LinkInformation) { self.link = link.id }
        func host(_ host: LEHost, didDisconnect link: LinkInformation, reason: HCIErrorCode) {
            self.reasons.append(reason)
        }
        func host(_ host: LEHost, link: LinkID, didReceiveValue value: ByteBuffer, for handle: AttributeHandle) {
            self.values.append(value)
        }
        func host(_ host: LEHost, link: LinkID, didSubscribe: Bool, toCharacteristic handle: AttributeHandle) {
            self.subscriptions.append(didSubscribe)
        }
    }

    private static let peer = SecurityManagerPair.peripheralAddress
    private static let handle = ConnectionHandle(rawValue: 0x40)

    /// A host in a role, on a link with its bonded peer that is not encrypted yet.
    private func linked(_ role: ConnectionRole, _ user: User) throws -> (HostTestbed, LinkID) {
        let testbed = HostTestbed()
        testbed.host.delegate = user
        // It answers with Command Status, and with the result when the script says so.
        testbed.controller.silent.insert(LEEnableEncryption.opcode)
        testbed.controller.dataIsAnswered = true
        testbed.start()
        if role == .central {
            testbed.host.connect(to: Self.peer)
            testbed.run()
        }
        testbed.controller.connect(Self.handle.rawValue, peer: Self.peer, role: role)
        testbed.run()
        return (testbed, try #require(user.link))
    }

    /// What was sent on the ATT channel, as hexadecimal digits.
    private func sent(_ testbed: HostTestbed) throws -> [String] {
        testbed.run()
        return try testbed.controller.takeData().compactMap { packet in
            var fragment = try packet.aclData().fragment
            let channel: UInt16? = fragment.getInteger(at: fragment.readerIndex + 2, endianness: .little)
            fragment.moveReaderIndex(forwardBy: 4)
            return channel == 4 ? hex(fragment) : nil
        }
    }

    private func report(_ testbed: HostTestbed, _ packet: HCIPacket) {
        testbed.controller.deliver(packet)
        testbed.run()
    }

    @Test("unencrypted reconnection (BLESA, CVE-2020-9770): a pretended bonded peripheral gets and gives nothing")
    func unencryptedReconnection() throws {
        let user = User()
        let (testbed, link) = try self.linked(.central, user)
        self.report(testbed, CommandStatus(status: .success, opcode: LEEnableEncryption.opcode).packet())
        #expect(testbed.controller.takeCommands().contains(LEEnableEncryption.opcode))
        var outcome: Result<ByteBuffer, GATTError>?
        testbed.host.perform(ReadValue(3), on: link) { outcome = $0 }
        testbed.host.writeWithoutResponse(hex("01"), to: 3, on: link)
        #expect(try self.sent(testbed).isEmpty)
        // What it says by itself: a notification, an indication, an answer to what was not asked.
        for pdu in [[0x1B, 3, 0, 7], [0x1D, 3, 0, 7], [0x0B, 7]] as [[UInt8]] {
            testbed.controller.receive(Self.handle.rawValue, channel: 4, pdu)
        }
        testbed.run()
        #expect(user.values.isEmpty && outcome == nil)
        self.report(
            testbed,
            EncryptionChange(status: .pinOrKeyMissing, handle: Self.handle, encryption: .off).packet()
        )
        #expect(try testbed.disconnected().reason == .authenticationFailure)
        testbed.controller.disconnect(Self.handle.rawValue, reason: .localHostTerminated)
        #expect(try self.sent(testbed).isEmpty)
        #expect(user.reasons == [.pinOrKeyMissing] && user.values.isEmpty)
        guard case .failure? = outcome else {
            Issue.record("the read came to \(String(describing: outcome))")
            return
        }
    }

    @Test("ATT before encryption finishes: a central that has begun to encrypt has shown no key yet")
    func attBeforeEncryption() throws {
        let user = User()
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
        let value = characteristics[0].value
        let configuration = try #require(characteristics[1].clientConfiguration)
        func ask() throws -> [String] {
            _ = try self.sent(testbed)
            let octets = { (handle: AttributeHandle) in
                [UInt8(truncatingIfNeeded: handle), UInt8(truncatingIfNeeded: handle >> 8)]
            }
            testbed.controller.receive(Self.handle.rawValue, channel: 4, [0x0A] + octets(value))
            testbed.controller.receive(Self.handle.rawValue, channel: 4, [0x12] + octets(configuration) + [1, 0])
            return try self.sent(testbed).map { String($0.prefix(2) + $0.suffix(2)) }
        }
        #expect(try ask() == ["010F", "010F"])
        self.report(
            testbed,
            LELongTermKeyRequest(handle: Self.handle, random: 0, encryptedDiversifier: 0).packet()
        )
        // This side has given its key, and its controller has not said yet that the other side has it, too.
        #expect(testbed.controller.takeCommands().contains(LELongTermKeyRequestReply.opcode))
        #expect(try ask() == ["010F", "010F"])
        #expect(testbed.host.security(of: link)?.level == SecurityLevel.none && user.subscriptions.isEmpty)
        self.report(testbed, EncryptionChange(status: .success, handle: Self.handle, encryption: .on).packet())
        #expect(try ask().map { $0.prefix(2) } == ["0B", "13"])
        #expect(user.subscriptions == [true])
    }

    @Test("a link that is kept alive without the key ends when the authenticated payload timeout expires")
    func silentPeer() throws {
        let user = User()
        let (testbed, _) = try self.linked(.central, user)
        self.report(testbed, CommandStatus(status: .success, opcode: LEEnableEncryption.opcode).packet())
        let expired = AuthenticatedPayloadTimeoutExpired(handle: Self.handle).packet()
        // It means nothing before the link is encrypted.
        self.report(testbed, expired)
        #expect(testbed.controller.parameters[Disconnect.opcode] == nil)
        self.report(testbed, EncryptionChange(status: .success, handle: Self.handle, encryption: .on).packet())
        self.report(testbed, expired)
        #expect(try testbed.disconnected().reason == .authenticationFailure)
        testbed.controller.disconnect(Self.handle.rawValue, reason: .localHostTerminated)
        testbed.run()
        #expect(user.reasons == [.connectionTerminatedMICFailure])
    }

    @Test("a controller that lists the command is asked for Encryption Change v2, and for that timeout")
    func eventMask() throws {
        for isListed in [true, false] {
            let testbed = HostTestbed()
            var commands = SupportedCommands([Reset.self])
            if isListed { commands.insert(SetEventMaskPage2.self) }
            testbed.controller.supportedCommands = commands
            testbed.host.attach(to: testbed.controller)
            testbed.run()
            #expect(testbed.controller.takeCommands().contains(SetEventMaskPage2.opcode) == isListed)
            guard isListed else { continue }
            var parameters = try #require(testbed.controller.parameters[SetEventMaskPage2.opcode])
            let mask = try SetEventMaskPage2(parsing: &parameters).mask
            #expect(mask.contains(.authenticatedPayloadTimeoutExpired) && mask.contains(.encryptionChangeV2))
        }
    }
}
