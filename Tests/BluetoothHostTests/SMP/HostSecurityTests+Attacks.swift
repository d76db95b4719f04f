// Named attacks on links that a Security Manager alone cannot stop: before a link is encrypted, and on one that only
// seems to be.

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
        // It answers with Command Status, and with the result when the script asks for it.
        testbed.controller.silent = [LEEnableEncryption.opcode]
        testbed.connect(role)
        return (testbed, try #require(user.link))
    }

    /// The controller begins to encrypt.
    private func acknowledge(_ testbed: HostTestbed) {
        testbed.deliver(CommandStatus(status: .success, opcode: LEEnableEncryption.opcode).packet())
    }

    /// The ATT PDUs that were sent.
    private func sent(_ testbed: HostTestbed) -> [String] {
        testbed.run()
        return testbed.takeFrames().filter { $0.hasPrefix("04 00 ") }.map { String($0.dropFirst(6)) }
    }

    @Test(
        "unencrypted reconnection (BLESA, CVE-2020-9770): an impersonator gets no requests and is not trusted"
    )
    func unencryptedReconnection() throws {
        let user = BondedUser()
        let (testbed, link) = try self.linked(.central, user)
        self.acknowledge(testbed)
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

    @Test("ATT before encryption finishes: a central that has begun to encrypt has not proved its key yet")
    func attBeforeEncryption() throws {
        let user = BondedUser()
        let (testbed, link) = try self.linked(.peripheral, user)
        let value = try testbed.addCharacteristic(.read, .readEncryptionRequired, value: hex("2A")).value
        let notifying = try testbed.addCharacteristic(.notify, subscriptionSecurity: .encrypted)
        let configuration = try #require(notifying.clientConfiguration)
        func ask() -> [String] {
            _ = self.sent(testbed)
            testbed.receive(4, "0A \(value.inHex)")
            testbed.receive(4, "12 \(configuration.inHex) 01 00")
            return self.sent(testbed).map { String($0.prefix(2) + $0.suffix(2)) }
        }
        #expect(ask() == ["010F", "010F"])
        testbed.requestKey()
        // This side has given its key, and its controller has not confirmed yet that the other side has it.
        #expect(testbed.controller.takeCommands().contains(LELongTermKeyRequestReply.opcode))
        #expect(ask() == [])
        #expect(testbed.host.security(of: link)?.level == SecurityLevel.none && user.subscriptions.isEmpty)
        // A connection interval before the event it was sent unencrypted, by the peer or by another device.
        testbed.run(.milliseconds(30))
        testbed.encryptionChanged()
        #expect(self.sent(testbed).map { String($0.prefix(2) + $0.suffix(2)) } == ["010F", "010F"])
        #expect(user.subscriptions.isEmpty)
        #expect(ask().map { $0.prefix(2) } == ["0B", "13"])
        #expect(user.subscriptions == [true])
    }

    @Test(
        "ATT a moment before the event of encryption: measured by what the event says, and answered after it",
        arguments: [.success, .pinOrKeyMissing] as [HCIErrorCode]
    )
    func attOvertakesTheEvent(status: HCIErrorCode) throws {
        let testbed = try self.linked(.peripheral, BondedUser()).0
        let characteristic = try testbed.addCharacteristic(.read, .readEncryptionRequired, value: hex("2A"))
        testbed.requestKey()
        testbed.receive(4, "0A \(characteristic.value.inHex)")
        testbed.run(.milliseconds(29))
        #expect(self.sent(testbed).isEmpty)
        testbed.encryptionChanged(status)
        #expect(self.sent(testbed).map { $0.suffix(2) } == [status == .success ? "2A" : "0F"])
    }

    @Test("a flood while encryption starts: 16 packets wait, and earlier ones count as unencrypted")
    func floodBeforeEncryption() throws {
        let testbed = try self.linked(.peripheral, BondedUser()).0
        let characteristic = try testbed.addCharacteristic(.read, .readEncryptionRequired, value: hex("2A"))
        testbed.requestKey()
        for _ in 0..<20 { testbed.receive(4, "0A \(characteristic.value.inHex)") }
        #expect(self.sent(testbed).map { $0.suffix(2) } == Array(repeating: "0F", count: 4))
        testbed.encryptionChanged()
        #expect(self.sent(testbed).map { $0.suffix(2) } == Array(repeating: "2A", count: 16))
    }

    @Test("a link that is kept alive without the key ends when the authenticated payload timeout expires")
    func silentPeer() throws {
        let user = BondedUser()
        let (testbed, _) = try self.linked(.central, user)
        self.acknowledge(testbed)
        let expired = AuthenticatedPayloadTimeoutExpired(handle: ConnectionHandle(rawValue: 0x40)).packet()
        // The event is ignored before the link is encrypted.
        testbed.deliver(expired)
        #expect(testbed.controller.parameters[Disconnect.opcode] == nil)
        testbed.encryptionChanged()
        testbed.deliver(expired)
        #expect(try testbed.disconnected().reason == .authenticationFailure)
        testbed.endLink(.localHostTerminated)
        #expect(user.reasons == [.connectionTerminatedMICFailure])
    }

    // MARK: Channels (BLESA over L2CAP)

    private static let request = "05 00 14 01 0A 00 25 00 40 00 40 00 20 00 04 00"

    /// The frames that were sent on a channel.
    private func frames(_ testbed: HostTestbed, on channel: String) -> [String] {
        testbed.run()
        return testbed.takeFrames().filter { $0.hasPrefix(channel) }
    }

    @Test(
        "BLESA over L2CAP: a central asks a bonded peer for a channel once the link is encrypted",
        arguments: [true, false]
    )
    func channelOfCentral(hasKey: Bool) throws {
        let user = BondedUser()
        let (testbed, _) = try self.linked(.central, user)
        self.acknowledge(testbed)
        user.openChannel(testbed)
        // A response without a request, and a frame on a channel that is not open.
        testbed.receive(5, "15 01 0A 00 41 00 40 00 20 00 02 00 00 00")
        testbed.receive(0x40, "02 00 AA BB")
        #expect(self.frames(testbed, on: "05 00").isEmpty && user.channels == [])
        testbed.run(.milliseconds(30))
        testbed.encryptionChanged(hasKey ? .success : .pinOrKeyMissing)
        #expect(self.frames(testbed, on: "05 00") == (hasKey ? [Self.request] : []))
        #expect(user.channels == (hasKey ? [] : [.failure(.refused(.insufficientEncryption))]))
    }

    @Test("BLESA over L2CAP: a peripheral gets the link encrypted before it requests a channel from a bonded peer")
    func channelOfPeripheral() throws {
        let user = BondedUser()
        let (testbed, _) = try self.linked(.peripheral, user)
        user.openChannel(testbed)
        let frames = testbed.takeFrames()
        #expect(frames.count == 1 && frames.first?.hasPrefix("06 00 0B") == true, "a Security Request")
        testbed.encrypt()
        #expect(self.frames(testbed, on: "05 00") == [Self.request] && user.channels == [])
    }

    @Test(
        "BLESA over L2CAP: refuses the channels of a bonded peer until the link is encrypted",
        arguments: [ConnectionRole.central, .peripheral]
    )
    func channelOfPeer(_ role: ConnectionRole) throws {
        let user = BondedUser()
        let (testbed, _) = try self.linked(role, user)
        _ = try testbed.host.listenForChannels(spsm: 0x25)
        if role == .central { self.acknowledge(testbed) }
        _ = testbed.takeFrames()
        testbed.receive(5, "14 01 0A 00 25 00 40 00 40 00 20 00 04 00")
        testbed.run(.milliseconds(30))
        if role == .central { testbed.encryptionChanged() } else { testbed.encrypt() }
        #expect(self.frames(testbed, on: "05 00") == ["05 00 15 01 0A 00 00 00 00 00 00 00 00 00 08 00"])
        testbed.receive(5, "14 02 0A 00 25 00 40 00 40 00 20 00 04 00")
        #expect(self.frames(testbed, on: "05 00").map { $0.suffix(5) } == ["00 00"])
    }

    // MARK: A peripheral's client

    @Test(
        "BLESA: a peripheral asks a bonded central for encryption before anything else, and believes nothing before it"
    )
    func clientOfPeripheral() throws {
        let user = BondedUser()
        let (testbed, link) = try self.linked(.peripheral, user)
        #expect(testbed.takeFrames() == [], "nothing unnecessary is requested")
        user.read(testbed)
        testbed.host.writeWithoutResponse(hex("01"), to: 3, on: link)
        testbed.run()
        let frames = testbed.takeFrames()
        #expect(frames.count == 1 && frames.first?.hasPrefix("06 00 0B") == true, "a Security Request")
        for pdu in ["1B 03 00 07", "1D 03 00 07", "0B 07"] { testbed.receive(4, pdu) }
        #expect(user.values.isEmpty && user.reads.isEmpty && self.sent(testbed).isEmpty)
        testbed.encrypt()
        #expect(self.sent(testbed) == ["0A 03 00", "52 03 00 01"])
    }

    @Test("BLESA: a peripheral whose bonded central does not encrypt fails its own requests, and stays connected")
    func silentCentral() throws {
        let user = BondedUser()
        let (testbed, link) = try self.linked(.peripheral, user)
        user.read(testbed)
        testbed.run(.seconds(30))
        #expect(user.reads == [.failure(.pairingTimedOut)] && testbed.host.links.map(\.id) == [link])
        user.read(testbed)
        #expect(user.reads.count == 2, "nothing waits on a link that cannot become secure any more")
        #expect(self.sent(testbed).isEmpty)
        // This central, too, may use attributes without security.
        testbed.receive(4, "02 17 00")
        #expect(self.sent(testbed).first?.hasPrefix("03") == true)
    }
}
