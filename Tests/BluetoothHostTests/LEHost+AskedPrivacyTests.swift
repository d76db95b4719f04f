// When a bonded peer is not asked for its privacy yet, and that none is asked for a user who is not there (Vol 3, Part
// C, 12.4 and 12.5).

import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothHost

@Suite("Host: a peer that is not asked for its privacy yet")
struct LEHostAskedPrivacyTests {
    private let loop = EmbeddedEventLoop()
    private let air: Air

    init() { self.air = Air(eventLoop: self.loop, settings: .instant, seed: 1) }

    /// The central connects to the private address that the peripheral has.
    private func connect(_ central: BondedHost, _ peripheral: BondedHost) throws -> LinkID {
        peripheral.host.startAdvertising(AdvertisingParameters(data: ByteBuffer(bytes: [2, 1, 6]))) { _ in }
        self.loop.advanceTime(by: .seconds(1))
        central.host.connect(to: try #require(peripheral.host.radioAddress))
        self.loop.advanceTime(by: .seconds(5))
        return try #require(central.link)
    }

    @Test("A bonded peer that pairs anew is asked when the pairing is over, and once")
    func pairsAnew() throws {
        let central = BondedHost(1, on: self.air, keepsPrivacy: false)
        let peripheral = BondedHost(2, on: self.air, keepsPrivacy: false)
        let first = try self.connect(central, peripheral)
        central.host.pair(first)
        self.loop.advanceTime(by: .seconds(10))
        try #require(central.bonds.count == 1 && peripheral.bonds.count == 1)
        try #require(peripheral.said.count == 1)
        central.host.disconnect(first)
        self.loop.advanceTime(by: .seconds(1))
        // The central has lost its keys, so that the link is encrypted with new ones first.
        central.forgetBonds()
        let second = try self.connect(central, peripheral)
        let link = try #require(peripheral.link)
        #expect(peripheral.host.security(of: link) == LinkSecurity(key: nil, isBonded: true))
        #expect(peripheral.said.count == 1)
        central.host.pair(second)
        self.loop.advanceTime(by: .seconds(10))
        try #require(central.bonds.count == 1)
        #expect(peripheral.host.security(of: link)?.key != nil)
        #expect(peripheral.said.count == 2)
    }

    @Test("A host without a delegate asks nobody")
    func withoutDelegate() throws {
        for hasDelegate in [true, false] {
            let central = BondedHost(1, on: self.air, keepsPrivacy: false)
            let peripheral = BondedHost(2, on: self.air, keepsPrivacy: false)
            let link = try self.connect(central, peripheral)
            if !hasDelegate { peripheral.host.delegate = nil }
            central.host.pair(link)
            self.loop.advanceTime(by: .seconds(10))
            let other = try #require(peripheral.host.openLinks.first)
            #expect(other.bearer.security.isBonded && other.bearer.security.key != nil)
            #expect(other.hasReadPeerPrivacy == hasDelegate)
            #expect(peripheral.said.count == (hasDelegate ? 1 : 0))
            central.host.detach()
            peripheral.host.detach()
        }
    }

    /// The user of a host whose only peer has a bond with an identity resolving key.
    private final class BondedUser: LEHostDelegate {
        var link: LinkID?

        func host(_ host: LEHost, bondOf link: LinkInformation) -> Bond? {
            var bond = SecurityManagerTests.bond(.encrypted)
            bond.peer.identity = IdentityInformation(
                identityResolvingKey: Octets16(high: 1, low: 2),
                address: SecurityManagerPair.peripheralAddress
            )
            return bond
        }
        func host(_ host: LEHost, didConnect link: LinkInformation) { self.link = link.id }
    }

    @Test("A bonded peer is not asked on a link that this side wants encrypted, before it is")
    func beforeEncryption() throws {
        let user = BondedUser()
        defer { withExtendedLifetime(user) {} }
        let testbed = HostTestbed.used(by: user)
        testbed.connect(.peripheral)
        let link = try #require(user.link)
        #expect(testbed.host.security(of: link) == LinkSecurity(key: nil, isBonded: true))
        testbed.host.secure(link, to: .encrypted)
        testbed.run()
        func sent() -> [String] { testbed.takeFrames().map { String($0.prefix(8)) } }
        #expect(sent() == ["06 00 0B"], "a Security Request alone")
        testbed.encrypt()
        #expect(sent() == ["04 00 08"], "Central Address Resolution is read")
    }
}
