// Channels that a peer refuses because the link is not secure enough (Vol 3, Part C, 10.3.2).

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Host: channels that need more security")
struct LEHostChannelSecurityTests {
    private typealias Outcome = Result<SPSM, L2CAPChannelOpenError>

    /// The user of a host that may be bonded with its only peer.
    private final class User: LEHostDelegate {
        var bond: Bond? = SecurityManagerTests.bond(.encrypted)
        var link: LinkID?
        var outcomes: [Outcome] = []

        func host(_ host: LEHost, bondOf link: LinkInformation) -> Bond? { self.bond }
        func host(_ host: LEHost, didConnect link: LinkInformation) { self.link = link.id }
    }

    /// A host in the peripheral role, on a link that is not encrypted.
    private struct Setup {
        let testbed: HostTestbed
        let user = User()
        let link: LinkID

        init(isBonded: Bool = false) throws {
            if !isBonded { self.user.bond = nil }
            self.testbed = HostTestbed.used(by: self.user)
            self.testbed.connect(.peripheral)
            let link = self.user.link
            self.link = try #require(link)
            self.testbed.forget()
        }

        func open(_ spsm: SPSM) {
            self.testbed.host.openChannel(
                on: self.link,
                spsm: spsm,
                configuration: L2CAPChannelConfiguration(mtu: 64, mps: 32, window: 4)
            ) { [user = self.user] result in
                user.outcomes.append(result.map(\.spsm))
            }
            self.testbed.run()
        }

        /// Pairs with the central; returns what was sent meanwhile.
        func pair() throws -> [String] { try PairingCentral(self.testbed).pair() }

        /// The peer refuses the request with an identifier.
        func refuse(_ identifier: String, _ result: String) {
            self.testbed.receive(5, "15 \(identifier) 0A 00 00 00 00 00 00 00 00 00 \(result) 00")
        }
    }

    @Test("asks again for a channel on the encrypted link, and opens it")
    func repeated() throws {
        let setup = try Setup()
        setup.open(0x25)
        #expect(setup.testbed.takeFrames() == ["05 00 14 01 0A 00 25 00 40 00 40 00 20 00 04 00"])
        setup.refuse("01", "08")
        let requests = setup.testbed.takeFrames()
        #expect(requests.count == 1 && requests.first?.hasPrefix("06 00 0B") == true, "a Security Request")
        #expect(setup.user.outcomes == [])
        #expect(try setup.pair() == ["05 00 14 02 0A 00 25 00 41 00 40 00 20 00 04 00"])
        setup.testbed.receive(5, "15 02 0A 00 41 00 40 00 20 00 02 00 00 00")
        #expect(setup.user.outcomes == [.success(0x25)])
        #expect(setup.testbed.host.linksByID[setup.link]?.requestedChannels.isEmpty == true)
    }

    @Test("fails a channel that is refused again on the encrypted link", arguments: ["08", "07"])
    func refusedAgain(result: String) throws {
        let setup = try Setup()
        setup.open(0x25)
        setup.refuse("01", "08")
        _ = try setup.pair()
        setup.refuse("02", result)
        let outcome = result == "08" ? L2CAPConnectionResult.insufficientEncryption : .encryptionKeySizeTooShort
        #expect(setup.user.outcomes == [.failure(.refused(outcome))])
        #expect(setup.testbed.takeFrames() == [])
        #expect(setup.testbed.host.linksByID[setup.link]?.requestedChannels.isEmpty == true)
    }

    @Test("asks again at once if the link has become more secure meanwhile")
    func securedMeanwhile() throws {
        let setup = try Setup()
        setup.open(0x25)
        _ = try setup.pair()
        setup.refuse("01", "05")
        #expect(setup.testbed.takeFrames() == ["05 00 14 02 0A 00 25 00 41 00 40 00 20 00 04 00"])
        #expect(setup.user.outcomes == [])
    }

    @Test(
        "fails a channel for other refusals at once, and asks the central for nothing",
        arguments: [
            ("02", .spsmNotSupported), ("04", .noResources), ("06", .insufficientAuthorization),
            ("07", .encryptionKeySizeTooShort),
        ] as [(String, L2CAPConnectionResult)]
    )
    func otherRefusals(octet: String, result: L2CAPConnectionResult) throws {
        let setup = try Setup()
        setup.open(0x25)
        _ = setup.testbed.takeFrames()
        setup.refuse("01", octet)
        #expect(setup.user.outcomes == [.failure(.refused(result))] && setup.testbed.takeFrames() == [])
    }

    @Test("fails a channel if the central refuses to pair")
    func pairingRefused() throws {
        let setup = try Setup()
        setup.open(0x25)
        setup.refuse("01", "05")
        #expect(setup.user.outcomes == [])
        setup.testbed.receive(6, "05 05")
        #expect(setup.user.outcomes == [.failure(.refused(.insufficientAuthentication))])
        #expect(setup.testbed.host.linksByID[setup.link]?.requestedChannels.isEmpty == true)
    }

    @Test("fails a channel if the central does nothing for 30 s")
    func pairingTimesOut() throws {
        let setup = try Setup()
        setup.open(0x25)
        setup.refuse("01", "08")
        setup.testbed.run(.seconds(30) - .nanoseconds(1))
        #expect(setup.user.outcomes == [])
        setup.testbed.run(.nanoseconds(1))
        #expect(setup.user.outcomes == [.failure(.refused(.insufficientEncryption))])
    }

    @Test("encrypts with the keys that it has if pairing is not allowed")
    func keysWithoutPairing() throws {
        let setup = try Setup(isBonded: true)
        setup.testbed.host.pairing.isPairingAllowed = false
        setup.open(0x25)
        #expect(setup.testbed.takeFrames().map { $0.prefix(8) } == ["06 00 0B"], "a Security Request")
        setup.testbed.encrypt()
        #expect(setup.testbed.takeFrames().map { $0.prefix(8) } == ["05 00 14"] && setup.user.outcomes == [])
    }

    @Test("fails a channel at once if pairing is not allowed and there are no keys")
    func neitherPairingNorKeys() throws {
        let setup = try Setup()
        setup.testbed.host.pairing.isPairingAllowed = false
        setup.open(0x25)
        _ = setup.testbed.takeFrames()
        setup.refuse("01", "08")
        #expect(setup.testbed.takeFrames() == [])
        #expect(setup.user.outcomes == [.failure(.refused(.insufficientEncryption))])
    }

    @Test("asks the central once for several channels, and for these again in their order")
    func several() throws {
        let setup = try Setup()
        for spsm in [0x25, 0x26, 0x27] as [SPSM] { setup.open(spsm) }
        _ = setup.testbed.takeFrames()
        for identifier in ["01", "02", "03"] { setup.refuse(identifier, "08") }
        #expect(setup.testbed.takeFrames().count == 1)
        #expect(
            try setup.pair().map { String($0.prefix(20)) } == [
                "05 00 14 04 0A 00 25", "05 00 14 05 0A 00 26", "05 00 14 06 0A 00 27",
            ]
        )
    }

    @Test("fails a channel that waits for security once if the link ends")
    func linkEnds() throws {
        let setup = try Setup()
        setup.open(0x25)
        setup.refuse("01", "08")
        setup.testbed.controller.disconnect(0x40, reason: .connectionTimeout)
        setup.testbed.run()
        #expect(setup.user.outcomes.count == 1)
        #expect(setup.testbed.host.l2capChannels.isEmpty)
    }
}
