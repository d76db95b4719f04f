// Bonds on links: encryption with their keys, signed commands, and pairing for the user.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("LEHost: security of links")
struct LEHostSecurityTests {
    private static let key = Octets16(high: 5, low: 6)

    private func linked(
        _ role: ConnectionRole,
        _ user: BondedUser,
        _ prepare: (HostTestbed) throws -> Void = { _ in }
    ) throws -> HostTestbed {
        let testbed = HostTestbed.used(by: user)
        try prepare(testbed)
        testbed.connect(role)
        _ = try #require(user.link)
        return testbed
    }

    // MARK: Encryption

    @Test(
        "ends the link if the controller refuses to encrypt with the key of the bond, or does not answer",
        arguments: [.commandDisallowed, .pinOrKeyMissing, nil] as [HCIErrorCode?]
    )
    func refusedEncryption(status: HCIErrorCode?) throws {
        let user = BondedUser()
        let testbed = try self.linked(.central, user) {
            if let status { $0.controller.refused[LEEnableEncryption.opcode] = status }
            if status == nil { $0.controller.silent = [LEEnableEncryption.opcode] }
        }
        if status == nil {
            testbed.run(.seconds(2) - .nanoseconds(1))
            #expect(testbed.controller.parameters[Disconnect.opcode] == nil)
            testbed.run(.nanoseconds(1))
        }
        #expect(try testbed.disconnected().reason == .authenticationFailure)
        #expect(testbed.controller.takeData().isEmpty, "nothing is sent unencrypted")
        testbed.endLink(.localHostTerminated)
        #expect(user.reasons == [.pinOrKeyMissing])
    }

    @Test("encrypts as a central with the key that the peer distributed, if there is one", arguments: [true, false])
    func keyOfThePeer(hasKey: Bool) throws {
        var bond = SecurityManagerTests.bond(.encrypted)
        bond.peer.longTermKey =
            hasKey ? LongTermKey(value: Self.key, encryptedDiversifier: 0x1234, random: 0x5678) : nil
        let testbed = try self.linked(.central, BondedUser(bond)) {
            $0.controller.silent = [LEEnableEncryption.opcode]
        }
        #expect(testbed.controller.takeData().isEmpty == hasKey)
        #expect(testbed.controller.takeCommands().contains(LEEnableEncryption.opcode) == hasKey)
        guard hasKey else { return }
        let command = try testbed.controller.last(LEEnableEncryption.self)
        #expect(command.handle.rawValue == 0x40 && command.longTermKey == Self.key)
        #expect(command.encryptedDiversifier == 0x1234 && command.random == 0x5678)
    }

    @Test("ends a link whose encryption fails only while it has a bond", arguments: [true, false])
    func encryptionFails(isRemoved: Bool) throws {
        let user = BondedUser()
        let testbed = try self.linked(.peripheral, user)
        testbed.requestKey()
        #expect(testbed.controller.takeCommands().contains(LELongTermKeyRequestReply.opcode))
        let link = try #require(user.link)
        if isRemoved { testbed.host.removeBond(of: link) }
        testbed.encryptionChanged(.pinOrKeyMissing)
        #expect((testbed.controller.parameters[Disconnect.opcode] == nil) == isRemoved)
        #expect(testbed.host.links.map(\.id) == [link])
    }

    @Test("does not encrypt with a removed bond, and keeps the encryption of the link")
    func removedBond() throws {
        let user = BondedUser(SecurityManagerTests.bond(.authenticated))
        let testbed = try self.linked(.peripheral, user)
        let (host, link) = (testbed.host, try #require(user.link))
        func replies() -> [HCIOpcode] {
            _ = testbed.controller.takeCommands()
            testbed.requestKey()
            return testbed.controller.takeCommands()
        }
        #expect(replies() == [LELongTermKeyRequestReply.opcode])
        testbed.encryptionChanged()
        #expect(host.security(of: link) == LinkSecurity(level: .secureConnections, isBonded: true))
        host.removeBond(of: link)
        #expect(host.security(of: link) == LinkSecurity(level: .secureConnections))
        #expect(replies() == [LELongTermKeyRequestNegativeReply.opcode])
        testbed.deliver(EncryptionChange(handle: ConnectionHandle(rawValue: 0x40), encryption: .off).packet())
        #expect(host.security(of: link) == LinkSecurity.none)
    }

    @Test("ignores the authenticated payload timeout of an unencrypted or unknown link")
    func authenticatedPayloadTimeout() throws {
        let testbed = try self.linked(.peripheral, BondedUser(nil))
        for raw in [0x40, 0x41] as [UInt16] {
            let handle = ConnectionHandle(rawValue: raw)
            testbed.deliver(AuthenticatedPayloadTimeoutExpired(handle: handle).packet())
        }
        #expect(testbed.controller.parameters[Disconnect.opcode] == nil)
    }

    // MARK: Signed commands

    @Test(
        "accepts signed commands with the key of the bond from its counter on, and reports the counters",
        arguments: [0, 1, 9] as [UInt32]
    )
    func signedCommands(next: UInt32) throws {
        var bond = SecurityManagerTests.bond(.encrypted)
        bond.peer.signing = SigningKey(connectionSignatureResolvingKey: Self.key, signCounter: next)
        let user = BondedUser(bond)
        let testbed = try self.linked(.peripheral, user)
        let handle = try testbed.host.addService(
            GATTServiceDefinition(uuid: 0xA000, characteristics: [.signed])
        ).characteristics[0].value
        func write(_ counter: UInt32, _ value: String) {
            let message = signedWrite(handle, value, counter: counter, key: Self.key)
            testbed.controller.receive(0x40, channel: 4, Array(message.readableBytesView))
            testbed.run()
        }
        if next > 0 { write(next - 1, "AA") }
        #expect(user.writes == [])
        write(next, "BB")
        write(next, "CC")
        write(next + 5, "DD")
        #expect(user.writes == [hex("BB"), hex("DD")] && user.counters == [next, next + 5])
    }

    // MARK: Pairing

    @Test("asks for out-of-band data before each step, unless it does not pair or a pairing is in progress")
    func outOfBand() throws {
        for isPairingAllowed in [true, false] {
            let user = BondedUser(nil)
            let testbed = try self.linked(.peripheral, user) { $0.host.pairing.isPairingAllowed = isPairingAllowed }
            user.outOfBandQuestions = 0
            for _ in 0..<2 { testbed.receive(6, "05 05") }
            #expect(user.outOfBandQuestions == (isPairingAllowed ? 2 : 0))
        }
        let user = BondedUser(nil)
        let testbed = try self.linked(.peripheral, user)
        testbed.receive(6, "01 03 00 01 10 00 00")
        try #require(testbed.host.openLinks.all.first?.securityManager.isPairing == true)
        user.outOfBandQuestions = 0
        testbed.host.cancelPairing(on: try #require(user.link))
        testbed.run()
        #expect(user.outOfBandQuestions == 0)
    }

    @Test("shows the user a passkey and the peer's keypresses until the pairing is cancelled")
    func passkey() throws {
        let user = BondedUser(nil)
        let testbed = try self.linked(.peripheral, user) {
            $0.host.pairing = PairingConfiguration(
                ioCapability: .displayOnly,
                prefersMITMProtection: true,
                usesKeypressNotifications: true
            )
        }
        // Keyboard only; bonding, MITM protection and keypress notifications.
        testbed.receive(6, "01 02 00 15 10 00 00")
        guard user.questions.count == 1, case .displayPasskey? = user.questions.first else {
            Issue.record("\(user.questions)")
            return
        }
        for octet in ["00", "01"] { testbed.receive(6, "0E \(octet)") }
        #expect(user.keypresses == [.entryStarted, .digitEntered] && user.errors == [])
        _ = testbed.controller.takeData()
        testbed.host.send(.digitEntered, on: try #require(user.link))
        #expect(testbed.sent() == [], "this side shows the passkey")
        testbed.host.cancelPairing(on: try #require(user.link))
        #expect(user.errors == [], "nothing is called re-entrantly")
        // Pairing Failed: Unspecified Reason.
        #expect(testbed.sent() == ["05 08"] && user.errors == [.cancelled])
    }

    @Test("tells the peer of the keys that the user presses while entering a passkey")
    func keypress() throws {
        let user = BondedUser(nil)
        let testbed = try self.linked(.peripheral, user) {
            $0.host.pairing = PairingConfiguration(
                ioCapability: .keyboardOnly,
                prefersMITMProtection: true,
                usesKeypressNotifications: true
            )
        }
        // Display only; bonding, MITM protection and keypress notifications.
        testbed.receive(6, "01 00 00 15 10 00 00")
        #expect(user.questions == [.enterPasskey])
        _ = testbed.controller.takeData()
        for keypress in [KeypressNotification.entryStarted, .digitEntered] {
            testbed.host.send(keypress, on: try #require(user.link))
        }
        #expect(testbed.sent() == ["0E 00", "0E 01"])
    }

    @Test("grants what needs authorization once the user has authorized the peer, on this link only")
    func authorization() throws {
        let needs = SecurityRequirement(level: .none, needsAuthorization: true)
        let user = BondedUser(nil)
        let testbed = try self.linked(.peripheral, user)
        let characteristic = GATTCharacteristicDefinition(
            uuid: 0xA001,
            properties: .read,
            permissions: AttributePermissions(read: needs, write: nil),
            value: hex("2A")
        )
        let service = GATTServiceDefinition(uuid: 0xA000, characteristics: [characteristic])
        let name = try testbed.host.addService(service).characteristics[0].value.inHex
        let refusal = "01 0A \(name) 08"
        #expect(testbed.answers("0A \(name)") == [refusal])
        testbed.host.authorize(try #require(user.link))
        #expect(testbed.answers("0A \(name)") == ["0B 2A"])
        testbed.endLink(.remoteUserTerminated)
        testbed.connect(.peripheral)
        #expect(testbed.answers("0A \(name)") == [refusal])
    }

    @Test("ignores calls about the security of no link")
    func noLink() {
        let testbed = HostTestbed.started()
        let link = LinkID(rawValue: 5)
        testbed.host.secure(link, to: .encrypted)
        testbed.host.pair(link)
        testbed.host.answer(.consent(true), on: link)
        testbed.host.cancelPairing(on: link)
        testbed.host.removeBond(of: link)
        testbed.host.authorize(link)
        testbed.host.send(.digitEntered, on: link)
        testbed.run()
        #expect(testbed.host.security(of: link) == nil && testbed.controller.takeCommands() == [])
        #expect(testbed.host.state == .ready && testbed.delegate.takeLines() == [])
    }
}
