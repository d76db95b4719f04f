// Pairing as the adapter's owner sees it: bonds are kept, and questions go to the agent. Without an agent the device has
// neither display nor keys, and a peer may not replace the keys of a pairing that was.

import BluetoothHost
import BluetoothTypes
import Foundation
import NIOCore

extension AdapterCore {
    func host(_ host: LEHost, bondOf link: LinkInformation) -> Bond? { self.bonds.bond(with: link.peer) }

    func host(_ host: LEHost, link: LinkID, asks question: PairingQuestion) {
        guard let agent = self.pairingAgent, let peer = self.pairingPeer(of: link) else {
            return self.answerWithoutAgent(question, on: link)
        }
        let kind: PairingPrompt.Kind =
            switch question {
            case .consent(let consent): .pair(replacesBond: consent.replacesBond)
            case .displayPasskey(let passkey): .showCode(passkey.description)
            case .enterPasskey: .enterCode
            case .compareNumbers(let number): .compareCode(number.description)
            }
        let core = NIOLoopBound(self, eventLoop: self.eventLoop)
        agent.pairing(
            PairingPrompt(peer: peer, kind: kind) { [eventLoop] answer in
                eventLoop.execute { core.value.host.answer(answer, on: link) }
            }
        )
    }

    private func answerWithoutAgent(_ question: PairingQuestion, on link: LinkID) {
        switch question {
        case .consent(let consent): self.host.answer(.consent(!consent.replacesBond), on: link)
        case .displayPasskey: break
        case .enterPasskey: self.host.answer(.passkey(nil), on: link)
        case .compareNumbers: self.host.answer(.numbersMatch(false), on: link)
        }
    }

    func host(_ host: LEHost, didIdentifyPeerOf link: LinkInformation, before address: DeviceAddress) {
        self.identified(link, before: address)
    }

    func host(_ host: LEHost, link: LinkID, didPairWith bond: Bond, isBonded: Bool) {
        if isBonded {
            // What was kept of the client belonged to the bond before.
            self.bondedClients.remove(bond.identityAddress)
            // A bond without the identifier that apps know would be one with a stranger after a crash.
            self.identities.flush()
            self.bonds.store(bond)
        }
        if let peer = self.pairingPeer(of: link) { self.pairingAgent?.pairingEnded(with: peer, .paired) }
    }

    func host(_ host: LEHost, link: LinkID, didFailToPair error: PairingError) {
        if let peer = self.pairingPeer(of: link) {
            self.pairingAgent?.pairingEnded(with: peer, .failed(error.description))
        }
    }

    private func pairingPeer(of link: LinkID) -> PairingPeer? {
        guard let information = self.host.information(of: link) else { return nil }
        let record = self.identities.record(for: information.peer)
        return PairingPeer(identifier: record.identifier, name: record.name)
    }
}

extension PairingCapabilities {
    /// The specification's word for it (Vol 3, Part H, 2.3.2).
    var ioCapability: IOCapability {
        switch self {
        case .none: .noInputNoOutput
        case .display: .displayOnly
        case .displayAndConfirm: .displayYesNo
        case .keyboard: .keyboardOnly
        case .keyboardAndDisplay: .keyboardDisplay
        }
    }
}
