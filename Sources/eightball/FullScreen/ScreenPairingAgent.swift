// The pairing agent of the full-screen app: it is called on the adapter's event loop and forwards each call to the
// screen, on the main queue, in order.

import CoreBluetooth
import Dispatch

/// Talks with the user of the full-screen app while its device pairs.
final class ScreenPairingAgent: PairingAgent {
    /// The state of a pairing that the screen shows.
    @MainActor
    protocol Receiver: AnyObject {
        /// Shows or asks the user something.
        func show(_ prompt: PairingPrompt)
        /// Ends a pairing.
        func ended(_ peer: PairingPeer, _ outcome: PairingOutcome)
    }

    let capabilities: PairingCapabilities
    /// The screen.
    @MainActor weak var receiver: (any Receiver)?

    /// Creates an agent for a user with these capabilities.
    nonisolated init(_ capabilities: PairingCapabilities = .keyboardAndDisplay) { self.capabilities = capabilities }

    func pairing(_ prompt: PairingPrompt) {
        DispatchQueue.main.async { MainActor.assumeIsolated { self.receiver?.show(prompt) } }
    }

    func pairingEnded(with peer: PairingPeer, _ outcome: PairingOutcome) {
        DispatchQueue.main.async { MainActor.assumeIsolated { self.receiver?.ended(peer, outcome) } }
    }
}
