// What Apple's system shows the user while two devices pair, an agent does here: it shows a code, asks for one, lets the
// user compare two, or asks for consent. Apps never see any of it, as on Apple's platforms.

package import BluetoothHost
public import Foundation

/// What the user of a device can see and do, from which follows how two devices pair
/// (Vol 3, Part H, 2.3.2 and 2.3.5.1).
public enum PairingCapabilities: Hashable, Sendable {
    /// The user sees nothing and can enter nothing: a pairing protects against listeners only.
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
    /// What ``CBPeer/identifier`` is for it.
    public let identifier: UUID
    /// Its name; `nil` where none is known.
    public let name: String?

    /// A device.
    package init(identifier: UUID, name: String?) {
        self.identifier = identifier
        self.name = name
    }
}

/// Something that the user is shown or asked while two devices pair.
public struct PairingPrompt: Sendable {
    /// What the user is shown or asked.
    public enum Kind: Hashable, Sendable {
        /// Show these six digits, which the user enters at the peer. There is nothing to answer.
        case showCode(String)
        /// Let the user enter the six digits that the peer shows: ``PairingPrompt/enter(_:)``.
        case enterCode
        /// Show these six digits and ask whether the peer shows the same: ``PairingPrompt/confirm(_:)``.
        case compareCode(String)
        /// Ask whether to pair with the peer, which would take the place of a device that has paired or is known if
        /// there is a ``PairingPrompt/replacedPeer``: ``PairingPrompt/confirm(_:)``.
        case pair(replacesBond: Bool)
    }

    /// The other device.
    public let peer: PairingPeer
    /// What the user is shown or asked.
    public let kind: Kind
    /// The device whose place the other one would take with the pairing; `nil` if there is none. The same device if it
    /// wants to pair anew; another one if its identity address is claimed.
    public let replacedPeer: PairingPeer?
    private let respond: @Sendable (PairingAnswer) -> Void

    /// What a pairing's question is for the user; `respond` gets the answer, on any thread.
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

    /// Answers with the digits that the user entered; with `nil` where the user gives up.
    ///
    /// It may be called on any thread. What is not six digits at most is a wrong code.
    public func enter(_ code: String?) {
        let number = code.flatMap { code in
            // A number may have a sign, a code has digits alone.
            code.utf8.count <= 6 && code.first != "+" ? UInt32(code) : nil
        }
        guard code != nil else { return self.respond(.passkey(nil)) }
        self.respond(.passkey(number.flatMap(Passkey.init)))
    }

    /// Answers with what the user says; it may be called on any thread.
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
    /// They have not, for a reason in one line.
    case failed(String)
}

/// Speaks with the user of a device while it pairs.
///
/// An adapter has one at most (``BluetoothAdapter/Configuration/pairingAgent``); without one the device pairs as one that
/// has neither display nor keys. All calls come on the adapter's event loop and must return soon; answers may come later,
/// from any thread. A pairing waits 30 s for the user; then, or when the peer ends it, ``pairingEnded(with:_:)`` says that
/// whatever is on display is out of date.
public protocol PairingAgent: Sendable {
    /// What the user can see and do.
    var capabilities: PairingCapabilities { get }
    /// Whether devices give each other data by another way than Bluetooth, so that ``outOfBandData(for:)`` is asked.
    ///
    /// A device that does can demand a pairing that protects against a man in the middle, also without display and keys
    /// (``BluetoothAdapter/Configuration/requiresPairing``).
    var usesOutOfBandData: Bool { get }
    /// What this device and a peer have given each other by another way than Bluetooth: asked before each step after which a
    /// pairing may be in progress.
    ///
    /// Where the peer has data of this device, `local` has to be what that data was made of.
    func outOfBandData(for peer: PairingPeer) -> PairingOutOfBandExchange
    /// The user is to be shown or asked something.
    func pairing(_ prompt: PairingPrompt)
    /// A pairing has ended, in one way or the other.
    func pairingEnded(with peer: PairingPeer, _ outcome: PairingOutcome)
}

extension PairingAgent {
    /// False.
    public var usesOutOfBandData: Bool { false }
    /// Nothing was given.
    public func outOfBandData(for peer: PairingPeer) -> PairingOutOfBandExchange { PairingOutOfBandExchange() }
    /// Does nothing.
    public func pairingEnded(with peer: PairingPeer, _ outcome: PairingOutcome) {}
}
