// Pairing as the adapter's owner sees it: bonds are kept, and questions go to the agent. Without an agent the device
// has neither display nor keys, and a peer may not replace the keys of a pairing that was.

package import BluetoothHost
import BluetoothTypes
import Foundation
import NIOCore

extension AdapterCore {
    func host(_ host: LEHost, bondOf link: LinkInformation) -> Bond? { self.bonds.bond(with: link.peer) }

    func host(_ host: LEHost, outOfBandDataFor link: LinkInformation) -> OutOfBandData {
        guard let agent = self.pairingAgent, agent.usesOutOfBandData, let peer = self.pairingPeer(of: link.id) else {
            return OutOfBandData()
        }
        return agent.outOfBandData(for: peer, on: link)
    }

    func host(_ host: LEHost, link: LinkID, asks question: PairingQuestion) {
        guard let peer = host.information(of: link)?.peer else { return }
        self.ask(question, of: peer) { [weak self] in self?.host.answer($0, on: link) }
    }

    /// Asks the agent; without one, answers as a device without a user.
    func ask(_ question: PairingQuestion, of address: DeviceAddress, _ answer: @escaping (PairingAnswer) -> Void) {
        guard let agent = self.pairingAgent else {
            if let known = question.answerWithoutUser { answer(known) }
            return
        }
        let bound = NIOLoopBound(answer, eventLoop: self.eventLoop)
        agent.pairing(
            PairingPrompt(question, of: self.pairingPeer(at: address), replacing: self.replacedPeer(question)) {
                [eventLoop] answer in
                eventLoop.execute { bound.value(answer) }
            }
        )
    }

    func host(_ host: LEHost, hasMet address: DeviceAddress) -> Bool { self.identities.hasMet(address) }

    func host(_ host: LEHost, didIdentifyPeerOf link: LinkInformation, before address: DeviceAddress) {
        self.identified(link, before: address)
    }

    func host(_ host: LEHost, link: LinkID, didPairWith bond: Bond, isBonded: Bool) {
        if isBonded {
            // A bond without the identifier that apps know would be one with an unknown device after a crash.
            self.identities.flush()
            let isKept = self.bonds.store(bond)
            // An earlier bond stays, also one that was made on this link.
            self.newBonds[link] = isKept ? bond.identityAddress : nil
            // A bond that only the peer keeps is useless: the peer and the agent are told.
            guard isKept else { return host.rejectKeys(of: link) }
            // The stored state of the client belonged to the earlier bond.
            self.bondedClients.remove(bond.identityAddress)
        }
        if let peer = self.pairingPeer(of: link) { self.pairingAgent?.pairingEnded(with: peer, .paired) }
    }

    func host(_ host: LEHost, link: LinkID, didFailToPair error: PairingError) {
        if let peer = self.pairingPeer(of: link) {
            self.pairingAgent?.pairingEnded(with: peer, .failed(error.sentence))
        }
    }

    func host(_ host: LEHost, link: LinkID, didChangeSecurity security: LinkSecurity) {
        if security.usesBond, let peer = self.host.information(of: link)?.peer { self.bonds.noteUse(of: peer) }
        self.peers.secured(link, security.level)
        // The peer has rejected a key that it was given (Vol 3, Part H, 3.6.1): the bond is useless.
        guard !security.isBonded, let address = self.newBonds.removeValue(forKey: link) else { return }
        self.bonds.remove(address)
        self.bondedClients.remove(address)
    }

    /// The device that a peer would replace; `nil` if there is none, or it is the peer itself.
    private func replacedPeer(_ question: PairingQuestion) -> PairingPeer? {
        guard case .consent(let consent) = question, let address = consent.replaced else { return nil }
        return self.pairingPeer(at: address)
    }

    func host(_ host: LEHost, link: LinkID, didAcceptSignCounter counter: UInt32) {
        guard let information = self.host.information(of: link) else { return }
        self.bonds.noteSignCounter(counter, of: information.peer)
    }

    func host(_ host: LEHost, link: LinkInformation, didReadPrivacy privacy: PeerPrivacy) {
        self.bonds.setPrivacy(privacy, of: link.peer)
    }

    /// A link has ended; bonds made on it stay.
    func forgetPairing(on link: LinkID) { self.newBonds[link] = nil }

    // MARK: For tools

    /// The link to the peer with an identifier; `nil` if there is none.
    func link(to identifier: UUID) -> LinkID? {
        guard let address = self.identities.record(for: identifier)?.address else { return nil }
        return self.host.links.first { $0.peer == address }?.id
    }

    /// The security of the link to a peer; `nil` if there is no link.
    func security(of identifier: UUID) -> LinkSecurity? {
        self.link(to: identifier).flatMap(self.host.security)
    }

    /// Pairs with a peer, unless its link has the level already. Returns false if there is no link.
    ///
    /// The result is reported to the agent.
    func secure(_ identifier: UUID, to level: SecurityLevel) -> Bool {
        guard let link = self.link(to: identifier) else { return false }
        if let bluez, let peer = self.host.information(of: link)?.peer {
            if let security = self.host.security(of: link), security.level >= level { return true }
            return bluez.pair(with: peer, needsCode: level > .encrypted)
        }
        self.host.secure(link, to: level)
        return true
    }

    private func pairingPeer(of link: LinkID) -> PairingPeer? {
        self.host.information(of: link).map { self.pairingPeer(at: $0.peer) }
    }

    func pairingPeer(at address: DeviceAddress) -> PairingPeer {
        let record = self.identities.record(for: address)
        return PairingPeer(identifier: record.identifier, name: record.name)
    }
}

extension PairingCapabilities {
    /// The specification's term (Vol 3, Part H, 2.3.2).
    package var ioCapability: IOCapability {
        switch self {
        case .none: .noInputNoOutput
        case .display: .displayOnly
        case .displayAndConfirm: .displayYesNo
        case .keyboard: .keyboardOnly
        case .keyboardAndDisplay: .keyboardDisplay
        }
    }
}

extension PairingQuestion {
    /// The answer of a device without a user: it pairs if its own app or the central needs it, but does not replace the
    /// keys of an earlier pairing, or let a device take the place of another one; `nil` if there is nothing to answer.
    package var answerWithoutUser: PairingAnswer? {
        switch self {
        case .consent(let consent): .consent(!consent.replacesBond && consent.model != nil)
        case .displayPasskey: nil
        case .enterPasskey: .passkey(nil)
        case .compareNumbers: .numbersMatch(false)
        }
    }
}
