// What a step of the Security Manager gets from the host, and what the host has to do after it.

import BluetoothHCI
import BluetoothTypes
import NIOCore

extension SecurityManager {
    /// What the host has to do.
    enum Action: Hashable, Sendable {
        /// Send this PDU on the Security Manager's channel.
        case send(ByteBuffer)
        /// As central: let the controller encrypt the link, and say what came of it with
        /// ``encryptionChanged(_:isEnabled:_:)``.
        case enableEncryption(LongTermKey)
        /// As peripheral: answer the controller's request for a key; `nil` for no key.
        case replyToLongTermKeyRequest(Octets16?)
        /// Ask the user, and answer with ``answer(_:_:)``. A question is over with ``paired(_:isBonded:)`` or
        /// ``failed(_:)``.
        case ask(PairingQuestion)
        /// The peer's user has pressed a key.
        case keypress(KeypressNotification)
        /// The security of the link is another one, or the devices keep keys of each other now.
        case securityChanged(LinkSecurity)
        /// The devices have paired; keep the bond where both do.
        case paired(Bond, isBonded: Bool)
        /// A pairing, or a request for one, came to nothing.
        case failed(PairingError)
        /// The link could not be encrypted with the keys that are there. The peer may have lost its own.
        case encryptionFailed(HCIErrorCode)
    }

    /// What a step gets from the host, and the actions that it leads to. A host keeps one for all links.
    struct Context {
        /// The time.
        var now: NIODeadline
        /// Where nonces, keys and passkeys come from; in use, the system's generator.
        var generator: any RandomNumberGenerator
        /// Who this device is, and who its bonded peers are.
        var identities = KnownIdentities()
        /// The pairings that failed.
        var attempts = RepeatedAttempts()
        /// What is to be done.
        var actions: [Action] = []
        /// Whether something was sent in the present step of a pairing.
        var hasSent = false

        init(now: NIODeadline, generator: any RandomNumberGenerator) {
            self.now = now
            self.generator = generator
        }

        mutating func send(_ command: SMPCommand) {
            self.actions.append(.send(command.encoded()))
            self.hasSent = true
        }

        mutating func ask(_ question: PairingQuestion) { self.actions.append(.ask(question)) }
    }
}

extension PairingConsentPolicy {
    /// Whether the user is asked.
    func asksUser(replacesBond: Bool) -> Bool {
        switch self {
        case .always: true
        case .whenReplacingBond: replacesBond
        case .never: false
        }
    }
}
