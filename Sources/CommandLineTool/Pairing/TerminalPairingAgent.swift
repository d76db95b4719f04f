// The pairing agent of the programs: it shows codes, asks for them and lets the user compare them, at the terminal
// (`TerminalInput`). It is called on the adapter's event loop and forwards each call to the main queue, in order.

package import CoreBluetooth
import Dispatch

/// Talks with the user of a program while its device pairs.
package final class TerminalPairingAgent: PairingAgent {
    /// The user's input and output capabilities.
    package let capabilities: PairingCapabilities
    /// The conversation with the user.
    package let conversation: PairingConversation
    private let outOfBand: PairingOutOfBandExchange?

    /// Creates an agent.
    ///
    /// - Parameters:
    ///   - capabilities: The user's capabilities; `nil` for all, or for none if nobody can be asked.
    ///   - serves: The output of a program whose device others pair with, where codes and outcomes are events; `nil`
    ///     for a program that only uses other devices, whose output has no such events.
    ///   - outOfBand: The out-of-band data for every peer; `nil` for none.
    package init(
        _ capabilities: PairingCapabilities? = nil,
        serves: OutputFormat? = nil,
        outOfBand: PairingOutOfBandExchange? = nil
    ) {
        self.outOfBand = outOfBand
        self.capabilities = capabilities ?? (TerminalInput.canAsk ? .keyboardAndDisplay : .none)
        self.conversation = PairingConversation(serves: serves)
    }

    /// Whether there are out-of-band data.
    package var usesOutOfBandData: Bool { outOfBand != nil }

    /// The out-of-band data.
    package func outOfBandData(for peer: PairingPeer) -> PairingOutOfBandExchange {
        outOfBand ?? PairingOutOfBandExchange()
    }

    /// Shows or asks the user something.
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
