// The pairing agent of the programs: it shows codes, asks for them and lets the user compare, at the terminal
// (`TerminalInput`). Its calls come on the adapter's event loop and go on to the main queue at once, in their order.

package import CoreBluetooth
import Dispatch

/// Speaks with the user of a program while its device pairs.
package final class TerminalPairingAgent: PairingAgent {
    /// What the user can see and do.
    package let capabilities: PairingCapabilities
    /// The conversation with the user.
    package let conversation: PairingConversation

    /// An agent.
    ///
    /// - Parameters:
    ///   - capabilities: What the user can see and do; `nil` for all, or nothing where nobody can be asked.
    ///   - serves: The program's output where its device is one that others pair with: codes and outcomes are events
    ///     there. `nil` for a program that only uses others: its output is not for that.
    package init(_ capabilities: PairingCapabilities? = nil, serves: OutputFormat? = nil) {
        self.capabilities = capabilities ?? (TerminalInput.canAsk ? .keyboardAndDisplay : .none)
        self.conversation = PairingConversation(serves: serves)
    }

    /// The user is to be shown or asked something.
    package func pairing(_ prompt: PairingPrompt) {
        onMainQueue { $0.begin(prompt) }
    }

    /// A pairing has ended.
    package func pairingEnded(with peer: PairingPeer, _ outcome: PairingOutcome) {
        onMainQueue { $0.end(peer, outcome) }
    }

    private func onMainQueue(_ body: @escaping @MainActor @Sendable (PairingConversation) -> Void) {
        let conversation = conversation
        DispatchQueue.main.async { MainActor.assumeIsolated { body(conversation) } }
    }
}
