// The user of this side while devices pair: what the user is shown or asked is an event, and a command answers it.
//
//     {"event": "prompt", "kind": "enterCode"}          {"do": "enter", "code": "123456"}
//     {"event": "pairingEnded", "error": null}
//
// Out-of-band data goes through the script, as octets of advertising data:
//
//     {"do": "handOver", "kind": "legacy", "data": "1210…"}          {"event": "handedOver", "data": "1122…"}

import CoreBluetooth
import Foundation
import NIOConcurrencyHelpers

/// A pairing agent whose user is the script.
final class Agent: PairingAgent {
    let capabilities: PairingCapabilities
    let usesOutOfBandData: Bool
    /// The devices' out-of-band data, exchanged by the script.
    private let exchange = NIOLockedValueBox(PairingOutOfBandExchange())
    /// The prompt that waits for an answer.
    private let prompt = NIOLockedValueBox<PairingPrompt?>(nil)

    /// A user with these capabilities; none without a word.
    ///
    /// One with `outOfBand` sees and enters nothing, and gives and takes data by another way than Bluetooth.
    init?(_ capabilities: String?) {
        self.usesOutOfBandData = capabilities == "outOfBand"
        switch capabilities {
        case "none", "outOfBand": self.capabilities = .none
        case "display": self.capabilities = .display
        case "displayAndConfirm": self.capabilities = .displayAndConfirm
        case "keyboard": self.capabilities = .keyboard
        case "keyboardAndDisplay": self.capabilities = .keyboardAndDisplay
        default: return nil
        }
    }

    func pairing(_ prompt: PairingPrompt) {
        let (kind, code): (String, String?) =
            switch prompt.kind {
            case .showCode(let code): ("showCode", code)
            case .enterCode: ("enterCode", nil)
            case .compareCode(let code): ("compareCode", code)
            case .pair(let replacesBond): (replacesBond ? "replaceBond" : "pair", nil)
            }
        if kind != "showCode" { self.prompt.withLockedValue { $0 = prompt } }
        say("prompt", ["kind": kind, "code": code, "peer": prompt.peer.identifier.uuidString])
    }

    func outOfBandData(for peer: PairingPeer) -> PairingOutOfBandExchange { self.exchange.withLockedValue { $0 } }

    /// Makes data of a kind and hands it over, or none; takes what the peer has handed over, or nothing.
    func handOver(_ message: Message) {
        let local: LocalPairingOutOfBandData? =
            switch message.text("kind") {
            case "secureConnections": LocalPairingOutOfBandData(.secureConnections)
            case "legacy": LocalPairingOutOfBandData(.legacy)
            default: nil
            }
        let peer = message.octets("data").flatMap(PairingOutOfBandData.init(advertisingData:))
        self.exchange.withLockedValue { $0 = PairingOutOfBandExchange(local: local, peer: peer) }
        say("handedOver", ["data": local?.sharedData.advertisingData.hex])
    }

    func pairingEnded(with peer: PairingPeer, _ outcome: PairingOutcome) {
        self.prompt.withLockedValue { $0 = nil }
        let error: String? = if case .failed(let reason) = outcome { reason } else { nil }
        say("pairingEnded", ["error": error, "peer": peer.identifier.uuidString])
    }

    /// The user answers. A code of `null` means that the user gives up.
    func answer(_ message: Message) {
        let prompt = self.prompt.withLockedValue { prompt in
            defer { prompt = nil }
            return prompt
        }
        guard let prompt else { return say("fault", ["reason": "nothing was asked"]) }
        if message.text("do") == "enter" {
            prompt.enter(message.text("code").isEmpty ? nil : message.text("code"))
        } else {
            prompt.confirm(message.flag("yes"))
        }
    }
}
