// A pairing agent takes the place of the pairing dialogs of Apple's system: it shows a code, asks for one, lets the
// user compare two, or asks for consent. Apps see nothing of it, as on Apple's platforms.

package import BluetoothHost
public import Foundation

/// The input and output capabilities of a device, which decide how two devices pair (Vol 3, Part H, 2.3.2 and 2.3.5.1).
public enum PairingCapabilities: Hashable, Sendable {
    /// No display and no input: a pairing protects only against passive listeners.
    case none
    /// The user sees six digits.
    case display
    /// The user sees six digits and can say yes or no.
    case displayAndConfirm
    /// The user can enter six digits.
    case keyboard
    /// The user sees six digits and can enter some.
    case keyboardAndDisplay
}

/// The device at the other end of a pairing.
public struct PairingPeer: Hashable, Sendable {
    /// Its ``CBPeer/identifier``.
    public let identifier: UUID
    /// Its name; `nil` if none is known.
    public let name: String?

    /// A device.
    package init(identifier: UUID, name: String?) {
        self.identifier = identifier
        self.name = name
    }
}

/// A code or question for the user while two devices pair.
public struct PairingPrompt: Sendable {
    /// What the user is shown or asked.
    public enum Kind: Hashable, Sendable {
        /// Show these six digits, which the user enters at the peer. It needs no answer.
        case showCode(String)
        /// Let the user enter the six digits that the peer shows: ``PairingPrompt/enter(_:)``.
        case enterCode
        /// Show these six digits and ask whether the peer shows the same: ``PairingPrompt/confirm(_:)``.
        case compareCode(String)
        /// Ask whether to pair with the peer, which would replace a paired or known device if there is a
        /// ``PairingPrompt/replacedPeer``: ``PairingPrompt/confirm(_:)``.
        case pair(replacesBond: Bool)
    }

    /// The other device.
    public let peer: PairingPeer
    /// What the user is shown or asked.
    public let kind: Kind
    /// The device that the pairing would replace; `nil` if there is none. The same device if it wants to pair again;
    /// another one if its identity address is claimed.
    public let replacedPeer: PairingPeer?
    private let respond: @Sendable (PairingAnswer) -> Void

    /// Creates a pairing's question; `respond` gets the answer, on any thread.
    package init(
        _ question: PairingQuestion,
        of peer: PairingPeer,
        replacing replacedPeer: PairingPeer? = nil,
        respond: @escaping @Sendable (PairingAnswer) -> Void
    ) {
        self.peer = peer
        self.replacedPeer = replacedPeer
        self.respond = respond
        self.kind =
            switch question {
            case .consent(let consent): .pair(replacesBond: consent.replacesBond)
            case .displayPasskey(let passkey): .showCode(passkey.description)
            case .enterPasskey: .enterCode
            case .compareNumbers(let number): .compareCode(number.description)
            }
    }

    /// Answers with the digits that the user entered, or with `nil` if the user gives up.
    ///
    /// It may be called on any thread. Text other than at most six digits is a wrong code.
    public func enter(_ code: String?) {
        let number = code.flatMap { code in
            // A number may have a sign; a code has only digits.
            code.utf8.count <= 6 && code.first != "+" ? UInt32(code) : nil
        }
        guard code != nil else { return self.respond(.passkey(nil)) }
        self.respond(.passkey(number.flatMap(Passkey.init)))
    }

    /// Answers with the user's decision; it may be called on any thread.
    public func confirm(_ isConfirmed: Bool) {
        switch self.kind {
        case .compareCode: self.respond(.numbersMatch(isConfirmed))
        case .pair: self.respond(.consent(isConfirmed))
        case .showCode, .enterCode: break
        }
    }
}

/// How a pairing ended.
public enum PairingOutcome: Hashable, Sendable {
    /// The devices have paired.
    case paired
    /// Pairing failed, for a reason in one line.
    case failed(String)
}

/// Talks to a device's user while it pairs.
///
/// An adapter has at most one (``BluetoothAdapter/Configuration/pairingAgent``); without one the device pairs as one
/// with neither display nor keys. All calls come on the adapter's event loop and must return soon; answers may come
/// later, from any thread. A pairing waits 30 s for the user; when it ends, ``pairingEnded(with:_:)`` says that the
/// display is out of date.
public protocol PairingAgent: Sendable {
    /// The input and output capabilities.
    var capabilities: PairingCapabilities { get }
    /// Whether devices exchange out-of-band data, so that ``outOfBandData(for:)`` is called.
    ///
    /// Such a device can require protection against a man in the middle even without display and keys
    /// (``BluetoothAdapter/Configuration/requiresPairing``).
    var usesOutOfBandData: Bool { get }
    /// The out-of-band data of this device and a peer; called before each step that may begin a pairing.
    ///
    /// If the peer has data of this device, `local` must be the value from which that data was made.
    func outOfBandData(for peer: PairingPeer) -> PairingOutOfBandExchange
    /// Show or ask the user something.
    func pairing(_ prompt: PairingPrompt)
    /// A pairing has ended.
    func pairingEnded(with peer: PairingPeer, _ outcome: PairingOutcome)
}

extension PairingAgent {
    /// False.
    public var usesOutOfBandData: Bool { false }
    /// No data.
    public func outOfBandData(for peer: PairingPeer) -> PairingOutOfBandExchange { PairingOutOfBandExchange() }
    /// Does nothing.
    public func pairingEnded(with peer: PairingPeer, _ outcome: PairingOutcome) {}
}
