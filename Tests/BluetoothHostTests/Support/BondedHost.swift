// A host on an air that keeps its bonds.

import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import NIOCore

@testable import BluetoothHost

/// A host that keeps bonds, agrees to every pairing, and keeps the privacy that its peers declare.
final class BondedHost: LEHostDelegate {
    let host: LEHost
    private(set) var bonds: [DeviceAddress: Bond] = [:]
    private(set) var pairings: [Bond] = []
    private(set) var said: [PeerPrivacy] = []
    private(set) var identified: [(link: LinkInformation, before: DeviceAddress)] = []
    private(set) var link: LinkID?
    private let keepsPrivacy: Bool

    init(
        _ number: UInt64,
        on air: Air,
        isPrivate: Bool = true,
        resolvingListSize: Int = 64,
        keys: KeyDistribution = [.encryptionKey, .identityKey],
        keepsPrivacy: Bool = true,
        eventDelay: TimeAmount = .zero
    ) {
        self.keepsPrivacy = keepsPrivacy
        self.host = LEHost(
            eventLoop: air.eventLoop,
            configuration: .numbered(
                number,
                pairing: PairingConfiguration(initiatorKeys: keys, responderKeys: keys),
                privacy: isPrivate ? PrivacyConfiguration() : nil
            )
        )
        self.host.delegate = self
        var controller = VirtualController.Configuration()
        controller.model.resolvingListSize = resolvingListSize
        controller.model.eventDelay = eventDelay
        self.host.attach(to: air.makeController(configuration: controller))
    }

    /// The key for the peer's signed commands on the only link.
    var signingKey: Octets16? { self.host.openLinks.all.first?.bearer.server.signingKey?.key }

    func advertise() {
        self.host.startAdvertising(AdvertisingParameters(data: ByteBuffer(bytes: [2, 1, 6]))) { _ in }
    }

    func forgetBonds() {
        self.bonds = [:]
        self.host.bondedPeers = []
    }

    func host(_ host: LEHost, didConnect link: LinkInformation) { self.link = link.id }
    func host(_ host: LEHost, didDisconnect link: LinkInformation, reason: HCIErrorCode) { self.link = nil }
    func host(_ host: LEHost, bondOf link: LinkInformation) -> Bond? { self.bonds[link.peer] }
    func host(_ host: LEHost, didIdentifyPeerOf link: LinkInformation, before address: DeviceAddress) {
        self.identified.append((link, address))
    }
    func host(_ host: LEHost, link: LinkID, asks question: PairingQuestion) { host.answer(.consent(true), on: link) }
    func host(_ host: LEHost, link: LinkID, didPairWith bond: Bond, isBonded: Bool) {
        self.pairings.append(bond)
        self.bonds[bond.identityAddress.withoutIdentity] = bond
        host.bondedPeers = self.bonds.values.map { BondedPeer($0) }
    }
    func host(_ host: LEHost, link: LinkInformation, didReadPrivacy privacy: PeerPrivacy) {
        self.said.append(privacy)
        if self.keepsPrivacy { host.peerPrivacy[link.peer] = privacy }
    }
}
