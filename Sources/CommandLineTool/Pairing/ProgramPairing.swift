// Pairing in a session of a program: the conversation with the user, which takes its time, and advice for errors that
// concern security.

import CoreBluetooth
import Foundation

/// A program's pairing.
package struct ProgramPairing: Sendable {
    /// The conversation with the user.
    package let conversation: PairingConversation
    private let identity: String?
    private let canAsk: Bool

    /// The pairing of a program with an agent and its options.
    package init(_ agent: TerminalPairingAgent, _ radio: RadioOptions) {
        conversation = agent.conversation
        identity = radio.identity
        canAsk = agent.capabilities != .none
    }

    /// Advice for an error that concerns security, to be appended to its sentence; empty for other errors.
    ///
    /// - Parameters:
    ///   - error: An error of Core Bluetooth.
    ///   - device: The name or identifier of the other device.
    @MainActor
    package func advice(for error: any Error, device: String?) -> String {
        let failure = conversation.lastFailure.flatMap { failure in
            Self.concerns(failure.peer, device) ? failure.reason : nil
        }
        let text = SecurityAdvice.text(
            for: error,
            device: device,
            identity: identity,
            failure: failure,
            canAsk: canAsk
        )
        return text.map { "; " + $0 } ?? ""
    }

    /// Whether a peer may be the device that a person gave by name, identifier, or part of an identifier.
    private static func concerns(_ peer: PairingPeer, _ device: String?) -> Bool {
        guard let device, let name = peer.name else { return true }
        return peer.identifier.uuidString.hasPrefix(device.uppercased()) || DeviceName.matches(name, device)
            || name.compare(device, options: .caseInsensitive) == .orderedSame
    }
}
