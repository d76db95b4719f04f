// What a host makes of the keys of a bond when a link begins: the link is encrypted, or ends; signed commands are
// believed from a counter on. And when it asks for what came out of band.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Host: the keys of a bond")
struct LEHostLinkKeysTests {
    /// The user of a host with one peer.
    private final class User: LEHostDelegate {
        var bond: Bond?
        var link: LinkID?
        var reasons: [HCIErrorCode] = []
        var writes: [ByteBuffer] = []
        var counters: [UInt32] = []
        var outOfBandQuestions = 0
        var questions: [PairingQuestion] = []
        var keypresses: [KeypressNotification] = []
        var errors: [PairingError] = []

        init(_ bond: Bond? = nil) { self.bond = bond }

        func host(_ host: LEHost, bondOf link: LinkInformation) -> Bond? { self.bond }
        func host(_ host: LEHost, didConnect link: LinkInformation) { self.link = link.id }
        func host(_ host: LEHost, didDisconnect link: LinkInformation, reason: HCIErrorCode) {
            self.reasons.append(reason)
        }
        func host(_ host: LEHost, didReceiveWriteRequest request: GATTWriteRequest) {
            self.writes += request.parts.map(\.value)
        }
        func host(_ host: LEHost, link: LinkID, didAcceptSignCounter counter: UInt32) { self.counters.append(counter) }
        func host(_ host: LEHost, outOfBandDataFor link: LinkInformation) -> OutOfBandData {
            self.outOfBandQuestions += 1
            return OutOfBandData()
        }
        func host(_ host: LEHost, link: LinkID, asks question: PairingQuestion) { self.questions.append(question) }
        func host(_ host: LEHost, link: LinkID, didReceiveKeypress notification: KeypressNotification) {
            self.keypresses.append(notification)
        }
        func host(_ host: LEHost, link: LinkID, didFailToPair error: PairingError) { self.errors.append(error) }
    }

    private static let key = Octets16(high: 5, low: 6)

    private func linked(
        _ role: ConnectionRole,
        _ user: User,
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
        "A controller that refuses to encrypt with the key of a bond ends the link, for want of the key",
        arguments: [HCIErrorCode.commandDisallowed, .pinOrKeyMissing]
    )
    func refusedEncryption(status: HCIErrorCode) throws {
        let user = User(SecurityManagerTests.bond(.encrypted))
        let testbed = try self.linked(.central, user) {
            $0.controller.refused[LEEnableEncryption.opcode] = status
        }
        #expect(try testbed.disconnected().reason == .authenticationFailure)
        #expect(testbed.controller.takeData().isEmpty, "nothing is sent in clear")
        testbed.controller.disconnect(0x40, reason: .localHostTerminated)
        testbed.run()
        #expect(user.reasons == [.pinOrKeyMissing])
    }

    @Test("A controller that does not answer the command to encrypt ends the link, too")
    func unansweredEncryption() throws {
        let user = User(SecurityManagerTests.bond(.encrypted))
        let testbed = try self.linked(.central, user) { $0.controller.silent = [LEEnableEncryption.opcode] }
        testbed.run(.seconds(2) - .nanoseconds(1))
        #expect(testbed.controller.parameters[Disconnect.opcode] == nil)
        testbed.run(.nanoseconds(1))
        #expect(try testbed.disconnected().reason == .authenticationFailure)
    }

    @Test("A central encrypts with the key that the peer has distributed, and goes on without where there is none")
    func keyOfThePeer() throws {
        let key = LongTermKey(value: Octets16(high: 7, low: 8), encryptedDiversifier: 0x1234, random: 0x5678)
        for hasKey in [true, false] {
            var bond = SecurityManagerTests.bond(.encrypted)
            bond.peer.longTermKey = hasKey ? key : nil
            let user = User(bond)
            defer { withExtendedLifetime(user) {} }
            let testbed = try self.linked(.central, user) {
                $0.controller.silent = [LEEnableEncryption.opcode]
            }
            #expect(testbed.controller.takeData().isEmpty == hasKey)
            #expect(testbed.controller.takeCommands().contains(LEEnableEncryption.opcode) == hasKey)
            guard hasKey else { continue }
            let command = try testbed.controller.last(LEEnableEncryption.self)
            #expect(command.handle.rawValue == 0x40 && command.longTermKey == Octets16(high: 7, low: 8))
            #expect(command.encryptedDiversifier == 0x1234 && command.random == 0x5678)
        }
    }

    @Test("A peripheral with a bond waits for its central, and neither encrypts nor asks for it")
    func peripheralWaits() throws {
        let user = User(SecurityManagerTests.bond(.encrypted))
        defer { withExtendedLifetime(user) {} }
        let testbed = try self.linked(.peripheral, user)
        #expect(testbed.controller.takeData().isEmpty)
        #expect(!testbed.controller.takeCommands().contains(LEEnableEncryption.opcode))
    }

    @Test("The timeout of authenticated payloads means nothing on a link without encryption, or on none")
    func authenticatedPayloadTimeout() throws {
        let user = User()
        defer { withExtendedLifetime(user) {} }
        let testbed = try self.linked(.peripheral, user)
        for raw in [0x40, 0x41] as [UInt16] {
            testbed.controller.deliver(
                AuthenticatedPayloadTimeoutExpired(handle: ConnectionHandle(rawValue: raw)).packet()
            )
        }
        testbed.run()
        #expect(testbed.controller.parameters[Disconnect.opcode] == nil)
    }

    // MARK: Signed commands

    @Test("The counter of a bond is the least that the next signed command may have (Vol 3, Part H, 2.4.5)")
    func signCounters() {
        for (next, last) in [(0, nil), (1, 0), (2, 1), (9, 8), (0xFFFF_FFFF, 0xFFFF_FFFE)] as [(UInt32, UInt32?)] {
            let key = PeerSigningKey(SigningKey(connectionSignatureResolvingKey: Self.key, signCounter: next))
            #expect(key.key == Self.key && key.lastCounter == last)
        }
    }

    @Test(
        "A signed command is believed with the key of the bond, from its counter on",
        arguments: [0, 1, 9] as [UInt32]
    )
    func signedCommands(next: UInt32) throws {
        var bond = SecurityManagerTests.bond(.encrypted)
        bond.peer.signing = SigningKey(connectionSignatureResolvingKey: Self.key, signCounter: next)
        let user = User(bond)
        var characteristic: AttributeHandle?
        let testbed = try self.linked(.peripheral, user) {
            characteristic = try $0.host.addService(
                GATTServiceDefinition(uuid: 0xA000, characteristics: [.signed])
            ).characteristics[0].value
        }
        let handle = try #require(characteristic)
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

    // MARK: Out of band

    @Test("What came out of band is asked for in front of each step, unless nobody pairs")
    func outOfBand() throws {
        for isPairingAllowed in [true, false] {
            let user = User()
            let testbed = try self.linked(.peripheral, user) { $0.host.pairing.isPairingAllowed = isPairingAllowed }
            user.outOfBandQuestions = 0
            for _ in 0..<2 { testbed.receive(6, "05 05") }
            #expect(user.outOfBandQuestions == (isPairingAllowed ? 2 : 0))
        }
    }

    @Test("What came out of band is not asked for while a pairing is in progress")
    func outOfBandWhilePairing() throws {
        let user = User()
        let testbed = try self.linked(.peripheral, user)
        testbed.receive(6, "01 03 00 01 10 00 00")
        try #require(testbed.host.openLinks.first?.securityManager.isPairing == true)
        user.outOfBandQuestions = 0
        testbed.host.cancelPairing(on: try #require(user.link))
        testbed.run()
        #expect(user.outOfBandQuestions == 0)
    }

    // MARK: The user

    @Test("The user is shown a passkey and hears which keys the peer's user presses, until the pairing is cancelled")
    func passkey() throws {
        let user = User()
        let testbed = try self.linked(.peripheral, user) {
            $0.host.pairing = PairingConfiguration(
                ioCapability: .displayOnly,
                prefersMITMProtection: true,
                usesKeypressNotifications: true
            )
        }
        // Keyboard only; bonding, MITM protection and keypress notifications.
        testbed.receive(6, "01 02 00 15 10 00 00")
        #expect(user.questions.count == 1)
        guard case .displayPasskey? = user.questions.first else {
            Issue.record("\(user.questions)")
            return
        }
        for octet in [0x00, 0x01] as [UInt8] { testbed.controller.receive(0x40, channel: 6, [0x0E, octet]) }
        testbed.run()
        #expect(user.keypresses == [.entryStarted, .digitEntered] && user.errors == [])
        _ = testbed.controller.takeData()
        testbed.host.cancelPairing(on: try #require(user.link))
        #expect(user.errors == [], "nothing is called re-entrantly")
        testbed.run()
        #expect(user.errors == [.cancelled])
        // Pairing Failed: Unspecified Reason.
        #expect(testbed.takePayloads() == ["05 08"])
    }

    // MARK: Links that are not there

    @Test("What is asked for the security of no link does nothing")
    func noLink() {
        let testbed = HostTestbed.started()
        let link = LinkID(rawValue: 5)
        testbed.host.secure(link, to: .encrypted)
        testbed.host.pair(link)
        testbed.host.answer(.consent(true), on: link)
        testbed.host.cancelPairing(on: link)
        testbed.host.removeBond(of: link)
        testbed.host.setAuthorized(true, link)
        testbed.host.setSigningKey(nil, of: link)
        testbed.host.setSecurity(.none, of: link)
        testbed.run()
        #expect(testbed.host.security(of: link) == nil && testbed.controller.takeCommands() == [])
        #expect(testbed.host.state == .ready && testbed.delegate.takeLines() == [])
    }
}
