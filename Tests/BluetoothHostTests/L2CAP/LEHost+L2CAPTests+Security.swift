// Channels that a peer refuses because the link is not secure enough (Vol 3, Part C, 10.3.2).

import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Host: channels that need more security")
struct LEHostChannelSecurityTests {
    /// A host in the peripheral role, on an unencrypted link, that has requested a channel.
    private struct Setup {
        let testbed: HostTestbed
        let user: BondedUser

        init(bond: Bond? = nil, _ prepare: (LEHost) -> Void = { _ in }) throws {
            self.user = BondedUser(bond)
            self.testbed = HostTestbed.used(by: self.user)
            self.testbed.connect(.peripheral)
            _ = try #require(self.user.link)
            self.testbed.forget()
            prepare(self.testbed.host)
            self.user.openChannel(self.testbed)
        }

        /// Pairs with the central; returns the frames that were sent meanwhile.
        func pair() throws -> [String] { try PairingCentral(self.testbed).pair() }

        /// The peer refuses the request with an identifier.
        func refuse(_ identifier: String, _ result: String) {
            self.testbed.receive(5, "15 \(identifier) 0A 00 00 00 00 00 00 00 00 00 \(result) 00")
        }

        /// Completed requests leave nothing behind.
        func expectEnd(
            _ result: L2CAPConnectionResult,
            sourceLocation: SourceLocation = #_sourceLocation
        ) {
            #expect(self.user.channels == [.failure(.refused(result))], sourceLocation: sourceLocation)
            let requests = self.testbed.host.openLinks.all.first?.requestedChannels
            #expect(requests?.isEmpty == true, sourceLocation: sourceLocation)
        }
    }

    private static let request = "05 00 14 01 0A 00 25 00 40 00 40 00 20 00 04 00"
    private static let repetition = "05 00 14 02 0A 00 25 00 41 00 40 00 20 00 04 00"

    @Test("repeats a request for a channel on the encrypted link, and opens it")
    func repeated() throws {
        let setup = try Setup()
        #expect(setup.testbed.takeFrames() == [Self.request])
        setup.refuse("01", "08")
        let requests = setup.testbed.takeFrames()
        #expect(requests.count == 1 && requests.first?.hasPrefix("06 00 0B") == true, "a Security Request")
        #expect(setup.user.channels == [])
        #expect(try setup.pair() == [Self.repetition])
        setup.testbed.receive(5, "15 02 0A 00 41 00 40 00 20 00 02 00 00 00")
        #expect(setup.user.channels == [.success(0x25)])
        #expect(setup.testbed.host.openLinks.all.first?.requestedChannels.isEmpty == true)
    }

    @Test(
        "fails a channel that is refused again on the encrypted link",
        arguments: [("08", .insufficientEncryption), ("07", .encryptionKeySizeTooShort)]
            as [(String, L2CAPConnectionResult)]
    )
    func refusedAgain(octet: String, result: L2CAPConnectionResult) throws {
        let setup = try Setup()
        setup.refuse("01", "08")
        _ = try setup.pair()
        setup.refuse("02", octet)
        setup.expectEnd(result)
        #expect(setup.testbed.takeFrames() == [])
    }

    @Test("repeats the request immediately if the link has become more secure meanwhile")
    func securedMeanwhile() throws {
        let setup = try Setup()
        _ = try setup.pair()
        setup.refuse("01", "05")
        #expect(setup.testbed.takeFrames() == [Self.repetition] && setup.user.channels == [])
    }

    @Test(
        "fails a channel immediately for other refusals, without a request to the central",
        arguments: [
            ("02", .spsmNotSupported), ("04", .noResources), ("06", .insufficientAuthorization),
            ("07", .encryptionKeySizeTooShort),
        ] as [(String, L2CAPConnectionResult)]
    )
    func otherRefusals(octet: String, result: L2CAPConnectionResult) throws {
        let setup = try Setup()
        _ = setup.testbed.takeFrames()
        setup.refuse("01", octet)
        setup.expectEnd(result)
        #expect(setup.testbed.takeFrames() == [])
    }

    @Test("fails a channel if the central refuses to pair, or does nothing for 30 s", arguments: [true, false])
    func noPairing(isRefused: Bool) throws {
        let setup = try Setup()
        setup.refuse("01", "05")
        if !isRefused { setup.testbed.run(.seconds(30) - .nanoseconds(1)) }
        #expect(setup.user.channels == [])
        if isRefused { setup.testbed.receive(6, "05 05") } else { setup.testbed.run(.nanoseconds(1)) }
        setup.expectEnd(.insufficientAuthentication)
    }

    @Test("encrypts with existing keys if pairing is not allowed")
    func keysWithoutPairing() throws {
        let setup = try Setup(bond: SecurityManagerTests.bond(.encrypted)) { $0.pairing.isPairingAllowed = false }
        #expect(setup.testbed.takeFrames().map { $0.prefix(8) } == ["06 00 0B"], "a Security Request")
        setup.testbed.encrypt()
        #expect(setup.testbed.takeFrames() == [Self.request] && setup.user.channels == [])
    }

    @Test("fails a channel immediately if pairing is not allowed and there are no keys")
    func neitherPairingNorKeys() throws {
        let setup = try Setup { $0.pairing.isPairingAllowed = false }
        _ = setup.testbed.takeFrames()
        setup.refuse("01", "08")
        #expect(setup.testbed.takeFrames() == [])
        setup.expectEnd(.insufficientEncryption)
    }

    @Test("requests security once for several channels, and repeats their requests in order")
    func several() throws {
        let setup = try Setup()
        for spsm in [0x26, 0x27] as [SPSM] { setup.user.openChannel(setup.testbed, spsm) }
        _ = setup.testbed.takeFrames()
        for identifier in ["01", "02", "03"] { setup.refuse(identifier, "08") }
        #expect(setup.testbed.takeFrames().count == 1)
        let repetitions = ["05 00 14 04 0A 00 25", "05 00 14 05 0A 00 26", "05 00 14 06 0A 00 27"]
        #expect(try setup.pair().map { String($0.prefix(20)) } == repetitions)
    }

    @Test("fails a channel that waits for security once if the link ends", arguments: [true, false])
    func linkEnds(isBonded: Bool) throws {
        let setup = try Setup(bond: isBonded ? SecurityManagerTests.bond(.encrypted) : nil)
        if !isBonded { setup.refuse("01", "08") }
        setup.testbed.endLink()
        #expect(setup.user.channels.count == 1 && setup.testbed.host.channels.isEmpty)
    }
}
