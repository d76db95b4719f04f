// Pairing of a scripted device: the script's agent is its user, and bonds last as long as the device.

import BluetoothHost
import BluetoothTypes
import CoreBluetooth
import Foundation
import NIOCore

extension ScriptPlayer {
    func host(_ host: LEHost, bondOf link: LinkInformation) -> Bond? { self.bonds[link.peer.withoutIdentity] }

    func host(_ host: LEHost, outOfBandDataFor link: LinkInformation) -> OutOfBandData {
        guard let agent = self.device.script.pairingAgent, agent.usesOutOfBandData,
            let peer = self.pairingPeer(of: link.id)
        else { return OutOfBandData() }
        return agent.outOfBandData(for: peer, on: link)
    }

    func host(_ host: LEHost, link: LinkID, asks question: PairingQuestion) {
        guard let agent = self.device.script.pairingAgent, let peer = self.pairingPeer(of: link) else {
            if let answer = question.answerWithoutUser { host.answer(answer, on: link) }
            return
        }
        let loop = host.eventLoop
        let host = NIOLoopBound(host, eventLoop: loop)
        agent.pairing(
            PairingPrompt(question, of: peer) { answer in
                loop.execute { host.value.answer(answer, on: link) }
            }
        )
    }

    func host(_ host: LEHost, link: LinkID, didPairWith bond: Bond, isBonded: Bool) {
        if isBonded { self.bonds[bond.identityAddress.withoutIdentity] = bond }
        self.device.note("has paired")
        if let peer = self.pairingPeer(of: link) { self.device.script.pairingAgent?.pairingEnded(with: peer, .paired) }
    }

    func host(_ host: LEHost, link: LinkID, didFailToPair error: PairingError) {
        self.device.note(error.sentence)
        if let peer = self.pairingPeer(of: link) {
            self.device.script.pairingAgent?.pairingEnded(with: peer, .failed(error.sentence))
        }
    }

    private func pairingPeer(of link: LinkID) -> PairingPeer? {
        guard let address = self.host.information(of: link)?.peer else { return nil }
        // The identifier contains the address, since a scripted device stores no identifiers.
        var octets = address.value.bigEndian
        let value = withUnsafeBytes(of: &octets) { Array($0) }
        let identifier = UUID(
            uuid: (
                0, 0, 0, 0, 0, 0, 0, 0, value[0], value[1], value[2], value[3], value[4], value[5], value[6], value[7]
            )
        )
        return PairingPeer(identifier: identifier, name: nil)
    }
}

extension ScriptedPeripheral {
    /// How it pairs.
    var pairing: PairingConfiguration {
        let capabilities: PairingCapabilities = self.pairingAgent?.capabilities ?? .none
        return PairingConfiguration(
            // A device that does not pair keeps rejecting requests that need security.
            isPairingAllowed: self.pairs,
            ioCapability: capabilities.ioCapability,
            prefersMITMProtection: self.pairingAgent?.canAuthenticate == true
        )
    }
}

extension ScriptedPeripheral.Security {
    /// The corresponding level of the host.
    var level: SecurityLevel {
        switch self {
        case .none: .none
        case .encrypted: .encrypted
        case .authenticated: .authenticated
        }
    }
}
