// Requests that a server refuses for want of security: they are sent once more on a link that was secured, or end with
// what stood in the way (Vol 3, Part C, 10.3.2). And by which address a peer is known once it has paired.

import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothHost

@Suite("Host: requests refused for want of security")
struct LEHostRefusedRequestsTests {
    private typealias Outcome = Result<ByteBuffer, GATTError>

    /// The user of a host that may be bonded with its only peer.
    private final class User: LEHostDelegate {
        var bond: Bond?
        var link: LinkID?
        var outcomes: [Outcome] = []

        init(_ bond: Bond?) { self.bond = bond }

        func host(_ host: LEHost, bondOf link: LinkInformation) -> Bond? { self.bond }
        func host(_ host: LEHost, didConnect link: LinkInformation) { self.link = link.id }
    }

    /// A host in the peripheral role that reads a value of its central.
    private struct Setup {
        let testbed: HostTestbed
        let user: User
        let link: LinkID

        init(isBonded: Bool = true) throws {
            self.user = User(isBonded ? SecurityManagerTests.bond(.encrypted) : nil)
            self.testbed = HostTestbed.used(by: self.user)
            self.testbed.connect(.peripheral)
            let link = self.user.link
            self.link = try #require(link)
            self.testbed.forget()
        }

        func read() {
            self.testbed.host.perform(ReadValue(3), on: self.link) { [user = self.user] in user.outcomes.append($0) }
            self.testbed.run()
        }
    }

    @Test("A read that is refused for want of encryption is sent once more on the encrypted link")
    func repeated() throws {
        let setup = try Setup()
        setup.read()
        #expect(setup.testbed.takeFrames() == ["04 00 0A 03 00"])
        setup.testbed.receive(4, "01 0A 03 00 0F")
        let requests = setup.testbed.takeFrames()
        #expect(requests.count == 1 && requests.first?.hasPrefix("06 00 0B") == true, "a Security Request")
        #expect(setup.user.outcomes == [])
        setup.testbed.encrypt()
        #expect(setup.testbed.takeFrames() == ["04 00 0A 03 00"])
        setup.testbed.receive(4, "0B AA")
        #expect(setup.user.outcomes == [.success(hex("AA"))])
    }

    @Test("A central that refuses to pair, or a host that may not, leaves the server's refusal")
    func refusalStands() throws {
        for isPairingAllowed in [true, false] {
            let setup = try Setup(isBonded: false)
            setup.testbed.host.pairing.isPairingAllowed = isPairingAllowed
            setup.read()
            _ = setup.testbed.takeFrames()
            setup.testbed.receive(4, "01 0A 03 00 05")
            #expect(setup.testbed.takeFrames().isEmpty == !isPairingAllowed)
            if isPairingAllowed {
                #expect(setup.user.outcomes == [])
                setup.testbed.receive(6, "05 05")
            }
            #expect(setup.user.outcomes == [.failure(.att(.insufficientAuthentication, handle: 3))])
            // The next one is asked as the first one was.
            setup.read()
            #expect(setup.testbed.takeFrames() == ["04 00 0A 03 00"])
            setup.testbed.receive(4, "0B BB")
            #expect(setup.user.outcomes.last == .success(hex("BB")))
        }
    }

    @Test(
        "A refusal for want of authorization or of a longer key stands at once",
        arguments: [("08", .insufficientAuthorization), ("0C", .encryptionKeySizeTooShort), ("02", .readNotPermitted)]
            as [(String, ATTErrorCode)]
    )
    func otherRefusals(octet: String, error: ATTErrorCode) throws {
        let setup = try Setup()
        setup.read()
        _ = setup.testbed.takeFrames()
        setup.testbed.receive(4, "01 0A 03 00 \(octet)")
        #expect(setup.user.outcomes == [.failure(.att(error, handle: 3))] && setup.testbed.takeFrames() == [])
    }

    @Test("A central that does nothing for 30 s is why the read has failed, and no more is asked of it")
    func timedOut() throws {
        let setup = try Setup()
        setup.read()
        setup.testbed.receive(4, "01 0A 03 00 0F")
        _ = setup.testbed.takeFrames()
        setup.testbed.run(.seconds(30) - .nanoseconds(1))
        #expect(setup.user.outcomes == [])
        setup.testbed.run(.nanoseconds(1))
        #expect(setup.user.outcomes == [.failure(.pairingTimedOut)])
        setup.read()
        _ = setup.testbed.takeFrames()
        setup.testbed.receive(4, "01 0A 03 00 0F")
        #expect(setup.user.outcomes == [.failure(.pairingTimedOut), .failure(.pairingTimedOut)])
        #expect(setup.testbed.takeFrames() == [])
    }

    @Test("A key that does not encrypt the link is why the read has failed, and the link ends for want of it")
    func encryptionFails() throws {
        let setup = try Setup()
        setup.read()
        setup.testbed.receive(4, "01 0A 03 00 0F")
        setup.testbed.encrypt(.pinOrKeyMissing)
        #expect(try setup.testbed.disconnected().reason == .authenticationFailure)
        setup.testbed.controller.disconnect(0x40, reason: .localHostTerminated)
        setup.testbed.run()
        #expect(setup.user.outcomes == [.failure(.encryptionFailed(.pinOrKeyMissing))])
    }

    // MARK: Identities

    /// A host on an air that pairs with whom it meets, and notes by which addresses its peers are known.
    private final class PairingHost: LEHostDelegate {
        let host: LEHost
        var link: LinkID?
        var identities: [DeviceAddress] = []
        var addressesBefore: [DeviceAddress] = []
        var pairings = 0

        init(_ number: UInt64, on air: Air, isPrivate: Bool) {
            self.host = LEHost(
                eventLoop: air.eventLoop,
                configuration: .numbered(number, privacy: isPrivate ? PrivacyConfiguration() : nil)
            )
            self.host.delegate = self
            self.host.attach(to: air.makeController())
        }

        func host(_ host: LEHost, didConnect link: LinkInformation) { self.link = link.id }
        func host(_ host: LEHost, link: LinkID, asks question: PairingQuestion) {
            host.answer(.consent(true), on: link)
        }
        func host(_ host: LEHost, link: LinkID, didPairWith bond: Bond, isBonded: Bool) { self.pairings += 1 }
        func host(_ host: LEHost, didIdentifyPeerOf link: LinkInformation, before address: DeviceAddress) {
            self.identities.append(link.peer)
            self.addressesBefore.append(address)
        }
    }

    @Test(
        "A peer that hides is known by its identity once it has paired, and that is told once",
        arguments: [true, false]
    )
    func identity(isPrivate: Bool) throws {
        let loop = EmbeddedEventLoop()
        let air = Air(eventLoop: loop, settings: .instant, seed: 1)
        let central = PairingHost(1, on: air, isPrivate: false)
        let peripheral = PairingHost(2, on: air, isPrivate: isPrivate)
        let identity = DeviceAddress(0xC0DE_0000_0002, kind: .random)
        peripheral.host.startAdvertising(AdvertisingParameters(data: ByteBuffer(bytes: [2, 1, 6]))) { _ in }
        loop.advanceTime(by: .seconds(1))
        let address = try #require(peripheral.host.radioAddress)
        #expect((address == identity) == !isPrivate)
        central.host.connect(to: address)
        loop.advanceTime(by: .seconds(5))
        let link = try #require(central.link)
        #expect(central.host.information(of: link)?.peer == address)
        central.host.pair(link)
        loop.advanceTime(by: .seconds(10))
        #expect(central.pairings == 1 && peripheral.pairings == 1)
        #expect(central.identities == (isPrivate ? [identity] : []))
        #expect(central.addressesBefore == (isPrivate ? [address] : []))
        #expect(central.host.information(of: link)?.peer == identity)
        // The central does not hide.
        #expect(peripheral.identities == [])
        #expect(peripheral.host.links.map(\.peer) == [DeviceAddress(0xC0DE_0000_0001, kind: .random)])
    }
}
