// The pairing agent of the full-screen app: its calls come on the adapter's event loop and go on to the screen, on the
// main queue, in their order.

import CoreBluetooth
import Dispatch

/// Speaks with the user of the full-screen app while its device pairs.
final class ScreenPairingAgent: PairingAgent {
    /// What the screen shows of a pairing.
    @MainActor
    protocol Receiver: AnyObject {
        /// The user is to be shown or asked something.
        func show(_ prompt: PairingPrompt)
        /// A pairing has ended.
        func ended(_ peer: PairingPeer, _ outcome: PairingOutcome)
    }

    let capabilities: PairingCapabilities
    /// The screen.
    @MainActor weak var receiver: (any Receiver)?

    /// Creates an agent for a user who can see and do so much.
    nonisolated init(_ capabilities: PairingCapabilities = .keyboardAndDisplay) { self.capabilities = capabilities }

    func pairing(_ prompt: PairingPrompt) {
        DispatchQueue.main.async { MainActor.assumeIsolated { self.receiver?.show(prompt) } }
    }

    func pairingEnded(with peer: PairingPeer, _ outcome: PairingOutcome) {
        DispatchQueue.main.async { MainActor.assumeIsolated { self.receiver?.ended(peer, outcome) } }
    }
}
