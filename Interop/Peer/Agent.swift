// The user of this side while devices pair: what the user is shown or asked is an event, and a command answers it.
//
//     {"event": "prompt", "kind": "enterCode"}          {"do": "enter", "code": "123456"}
//     {"event": "pairingEnded", "error": null}

import CoreBluetooth
import Foundation
import NIOConcurrencyHelpers

/// A pairing agent whose user is the script.
final class Agent: PairingAgent {
    let capabilities: PairingCapabilities
    /// The prompt that waits for an answer.
    private let prompt = NIOLockedValueBox<PairingPrompt?>(nil)

    /// A user with these capabilities; none without a word.
    init?(_ capabilities: String?) {
        switch capabilities {
        case "none": self.capabilities = .none
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

    func pairingEnded(with peer: PairingPeer, _ outcome: PairingOutcome) {
        self.prompt.withLockedValue { $0 = nil }
        let error: String? = if case .failed(let reason) = outcome { reason } else { nil }
        say("pairingEnded", ["error": error, "peer": peer.identifier.uuidString])
    }

    /// The user answers. A code of `null` is a user who gives up.
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
