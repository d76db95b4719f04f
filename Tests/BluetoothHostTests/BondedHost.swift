// A host on an air that keeps its bonds, for the tests of what bonded peers say of their privacy.

import BluetoothAir
import BluetoothHCI
import BluetoothTypes

@testable import BluetoothHost

/// A host that keeps bonds, agrees to every pairing, and notes what its peers say of their privacy.
final class BondedHost: LEHostDelegate {
    let host: LEHost
    private(set) var bonds: [DeviceAddress: Bond] = [:]
    private(set) var said: [PeerPrivacy] = []
    private(set) var link: LinkID?
    /// Whether the host knows on later links what a peer has said.
    private let keepsPrivacy: Bool

    init(
        _ number: UInt64,
        on air: Air,
        isPrivate: Bool = true,
        resolvingListSize: Int = 64,
        keys: KeyDistribution = [.encryptionKey, .identityKey],
        keepsPrivacy: Bool = true
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
        var controller = VirtualControllerConfiguration()
        controller.resolvingListSize = resolvingListSize
        self.host.attach(to: air.makeController(configuration: controller))
    }

    /// Changes what is known of the peers, not what the host resolves.
    func changeBonds(_ body: (inout Bond) -> Void) {
        self.bonds = self.bonds.mapValues { bond in
            var bond = bond
            body(&bond)
            return bond
        }
    }

    func forgetBonds() {
        self.bonds = [:]
        self.host.bondedPeers = []
    }

    func host(_ host: LEHost, didConnect link: LinkInformation) { self.link = link.id }
    func host(_ host: LEHost, didDisconnect link: LinkInformation, reason: HCIErrorCode) { self.link = nil }
    func host(_ host: LEHost, bondOf link: LinkInformation) -> Bond? { self.bonds[link.peer] }
    func host(_ host: LEHost, link: LinkID, asks question: PairingQuestion) { host.answer(.consent(true), on: link) }
    func host(_ host: LEHost, link: LinkID, didPairWith bond: Bond, isBonded: Bool) {
        self.bonds[bond.identityAddress.withoutIdentity] = bond
        host.bondedPeers = self.bonds.map { address, bond in
            IdentityInformation(
                identityResolvingKey: bond.peer.identity?.identityResolvingKey ?? .zero,
                address: address
            )
        }
    }
    func host(_ host: LEHost, link: LinkInformation, didReadPrivacy privacy: PeerPrivacy) {
        self.said.append(privacy)
        if self.keepsPrivacy { host.peerPrivacy[link.peer] = privacy }
    }
}
