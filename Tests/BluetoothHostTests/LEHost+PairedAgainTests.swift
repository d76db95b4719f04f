// What a pairing changes on the link on which it was made: the key with which the peer signs commands, and whether the
// peer is asked for its privacy.

import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothHost

/// A host on an air that agrees to every pairing.
private final class PairedAgainUser: LEHostDelegate {
    let host: LEHost
    private(set) var link: LinkID?
    private(set) var bonds: [Bond] = []
    private(set) var said: [PeerPrivacy] = []

    init(_ number: UInt64, on air: Air, keys: KeyDistribution) {
        let pairing = PairingConfiguration(initiatorKeys: keys, responderKeys: keys)
        self.host = LEHost(
            eventLoop: air.eventLoop,
            configuration: .numbered(number, pairing: pairing, privacy: PrivacyConfiguration())
        )
        self.host.delegate = self
        self.host.attach(to: air.makeController())
    }

    /// The key with which the peer's signed commands are believed on the one link.
    var signingKey: Octets16? { self.host.openLinks.first?.bearer.server.signingKey?.key }

    func host(_ host: LEHost, didConnect link: LinkInformation) { self.link = link.id }
    func host(_ host: LEHost, link: LinkID, asks question: PairingQuestion) { host.answer(.consent(true), on: link) }
    func host(_ host: LEHost, link: LinkID, didPairWith bond: Bond, isBonded: Bool) { self.bonds.append(bond) }
    func host(_ host: LEHost, link: LinkInformation, didReadPrivacy privacy: PeerPrivacy) {
        self.said.append(privacy)
        host.peerPrivacy[link.peer] = privacy
    }
}

@Suite("Host: a link on which devices pair again")
struct LEHostPairedAgainTests {
    private let loop = EmbeddedEventLoop()
    private let air: Air

    init() { self.air = Air(eventLoop: self.loop, settings: .instant, seed: 1) }

    private func connected(_ keys: KeyDistribution) throws -> (central: PairedAgainUser, peripheral: PairedAgainUser) {
        let central = PairedAgainUser(1, on: self.air, keys: keys)
        let peripheral = PairedAgainUser(2, on: self.air, keys: keys)
        peripheral.host.startAdvertising(AdvertisingParameters(data: ByteBuffer(bytes: [2, 1, 6]))) { _ in }
        self.loop.advanceTime(by: .seconds(1))
        central.host.connect(to: try #require(peripheral.host.radioAddress))
        self.loop.advanceTime(by: .seconds(5))
        return (central, peripheral)
    }

    private func pair(_ central: PairedAgainUser) throws {
        central.host.pair(try #require(central.link))
        self.loop.advanceTime(by: .seconds(10))
    }

    @Test("Signed commands are believed with the key of the last pairing, and with none where that distributed none")
    func signingKeys() throws {
        let (central, peripheral) = try self.connected([.encryptionKey, .identityKey, .signingKey])
        #expect(central.signingKey == nil && peripheral.signingKey == nil)
        try self.pair(central)
        try #require(central.bonds.count == 1 && peripheral.bonds.count == 1)
        let first = try #require(peripheral.bonds[0].peer.signing?.connectionSignatureResolvingKey)
        #expect(peripheral.signingKey == first)
        let other = try #require(central.bonds[0].peer.signing?.connectionSignatureResolvingKey)
        #expect(central.signingKey == other && first != other)
        for user in [central, peripheral] {
            user.host.pairing.initiatorKeys = [.encryptionKey, .identityKey]
            user.host.pairing.responderKeys = [.encryptionKey, .identityKey]
        }
        try self.pair(central)
        try #require(central.bonds.count == 2 && peripheral.bonds.count == 2)
        #expect(central.signingKey == nil && peripheral.signingKey == nil)
    }

    @Test("A peer that pairs again on a link is asked for its privacy again, where that is not known any more")
    func privacy() throws {
        let (central, peripheral) = try self.connected([.encryptionKey, .identityKey])
        defer { withExtendedLifetime(peripheral) {} }
        try self.pair(central)
        #expect(central.bonds.count == 1 && central.said.count == 1)
        central.host.peerPrivacy = [:]
        try self.pair(central)
        #expect(central.bonds.count == 2 && central.said.count == 2)
        // Known, it is not asked for.
        try self.pair(central)
        #expect(central.bonds.count == 3 && central.said.count == 2)
    }
}
