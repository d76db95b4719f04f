// The user of a device while it pairs in a test: sees codes, enters them, compares them, consents or not.

public import CoreBluetooth
import NIOConcurrencyHelpers

/// A pairing agent that answers as a test specifies.
///
/// ```swift
/// let lock = ScriptedPairingAgent(.display)
/// let phone = ScriptedPairingAgent(.keyboard) { _ in lock.code }
/// ```
public final class ScriptedPairingAgent: PairingAgent {
    private struct State {
        var prompts: [PairingPrompt.Kind] = []
        var outcomes: [PairingOutcome] = []
        var outOfBand = PairingOutOfBandExchange()
    }

    /// The input and output capabilities of the user's device.
    public let capabilities: PairingCapabilities
    /// Whether the user's device exchanges out-of-band data.
    public let usesOutOfBandData: Bool
    private let confirms: @Sendable (PairingPrompt) -> Bool?
    private let entersCode: @Sendable (PairingPrompt) -> String?
    private let state = NIOLockedValueBox(State())

    /// Creates a user.
    ///
    /// - Parameters:
    ///   - capabilities: What the user's device can display and input.
    ///   - usesOutOfBandData: Whether the device exchanges out-of-band data; see ``handOver(_:to:)``.
    ///   - entersCode: Returns the digits that the user enters; `nil` for a user who gives up.
    ///   - confirms: Returns whether the user consents to a pairing, or finds two codes equal; `nil` for a user who
    ///     does nothing.
    public init(
        _ capabilities: PairingCapabilities,
        usesOutOfBandData: Bool = false,
        entersCode: @escaping @Sendable (PairingPrompt) -> String? = { _ in nil },
        confirms: @escaping @Sendable (PairingPrompt) -> Bool? = { _ in true }
    ) {
        self.capabilities = capabilities
        self.usesOutOfBandData = usesOutOfBandData
        self.confirms = confirms
        self.entersCode = entersCode
    }

    /// How a user enters a code.
    public enum Entry: Sendable {
        /// As shown by the other device.
        case right
        /// With a mistake.
        case wrong
        /// Not at all: the user gives up.
        case nothing
    }

    /// Creates a user who enters the codes that another device shows.
    ///
    /// ```swift
    /// let lock = ScriptedPairingAgent(.display)
    /// let phone = ScriptedPairingAgent(entering: [.wrong, .right], shownBy: lock)
    /// ```
    ///
    /// - Parameters:
    ///   - entries: How the user enters codes, in order; the last one is repeated.
    ///   - display: The user of the device that shows the codes.
    public convenience init(entering entries: [Entry], shownBy display: ScriptedPairingAgent) {
        let left = NIOLockedValueBox(entries)
        self.init(
            .keyboard,
            entersCode: { _ in
                let entry = left.withLockedValue { $0.count > 1 ? $0.removeFirst() : $0.first ?? .nothing }
                switch entry {
                case .right: return display.code
                case .wrong: return display.code == "000000" ? "000001" : "000000"
                case .nothing: return nil
                }
            }
        )
    }

    /// All prompts to the user, in order.
    public var prompts: [PairingPrompt.Kind] { self.state.withLockedValue { $0.prompts } }
    /// The outcomes of all pairings, in order.
    public var outcomes: [PairingOutcome] { self.state.withLockedValue { $0.outcomes } }
    /// The last digits on the display; `nil` if there were none.
    public var code: String? {
        for case .showCode(let code) in self.prompts.reversed() { return code }
        return nil
    }

    /// Gives new out-of-band data of this user's device to another one, as when one scans a code on the other. Both
    /// must use such data.
    ///
    /// ```swift
    /// let lock = ScriptedPairingAgent(.none, usesOutOfBandData: true)
    /// let phone = ScriptedPairingAgent(.none, usesOutOfBandData: true)
    /// lock.handOver(to: phone)
    /// ```
    ///
    /// - Parameters:
    ///   - kind: The kind of pairing for which the data is.
    ///   - other: The user of the device that gets the data.
    public func handOver(_ kind: LocalPairingOutOfBandData.Kind = .secureConnections, to other: ScriptedPairingAgent) {
        let data = LocalPairingOutOfBandData(kind)
        self.state.withLockedValue { $0.outOfBand.local = data }
        other.take(data.sharedData)
    }

    /// Gives the user's device out-of-band data; pairing fails if it is not from the peer.
    public func take(_ data: PairingOutOfBandData?) { self.state.withLockedValue { $0.outOfBand.peer = data } }

    /// The out-of-band data given and received.
    public func outOfBandData(for peer: PairingPeer) -> PairingOutOfBandExchange {
        self.state.withLockedValue { $0.outOfBand }
    }

    /// Records a prompt and answers it.
    public func pairing(_ prompt: PairingPrompt) {
        self.state.withLockedValue { $0.prompts.append(prompt.kind) }
        switch prompt.kind {
        case .showCode: break
        case .enterCode: prompt.enter(self.entersCode(prompt))
        case .compareCode, .pair: if let answer = self.confirms(prompt) { prompt.confirm(answer) }
        }
    }

    /// Records an outcome.
    public func pairingEnded(with peer: PairingPeer, _ outcome: PairingOutcome) {
        self.state.withLockedValue { $0.outcomes.append(outcome) }
    }
}
