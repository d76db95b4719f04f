// The user of a device in a test, while it pairs: sees codes, enters them, compares them, consents or not.

public import CoreBluetooth
import NIOConcurrencyHelpers

/// A pairing agent that answers as a test wants.
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

    /// What the user can see and do.
    public let capabilities: PairingCapabilities
    /// Whether the user's device gives and takes data by another way than Bluetooth.
    public let usesOutOfBandData: Bool
    private let confirms: @Sendable (PairingPrompt) -> Bool?
    private let entersCode: @Sendable (PairingPrompt) -> String?
    private let state = NIOLockedValueBox(State())

    /// A user.
    /// - Parameters:
    ///   - capabilities: What the user can see and do.
    ///   - usesOutOfBandData: Whether the device gives and takes data by another way than Bluetooth, see
    ///     ``handOver(_:to:)``.
    ///   - entersCode: The digits that the user enters; `nil` for a user who gives up.
    ///   - confirms: Whether the user consents to a pairing, or finds two codes equal; `nil` for a user who does nothing.
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
        /// As the other device shows it.
        case right
        /// With a mistake.
        case wrong
        /// Not at all: the user gives up.
        case nothing
    }

    /// A user who enters the codes that another device shows.
    ///
    /// ```swift
    /// let lock = ScriptedPairingAgent(.display)
    /// let phone = ScriptedPairingAgent(entering: [.wrong, .right], shownBy: lock)
    /// ```
    ///
    /// - Parameters:
    ///   - entries: One after the other; the last one again and again.
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

    /// What the user was shown and asked, in order.
    public var prompts: [PairingPrompt.Kind] { self.state.withLockedValue { $0.prompts } }
    /// How pairings ended, in order.
    public var outcomes: [PairingOutcome] { self.state.withLockedValue { $0.outcomes } }
    /// The digits that are on display, or were last; `nil` where there never were any.
    public var code: String? {
        for case .showCode(let code) in self.prompts.reversed() { return code }
        return nil
    }

    /// Hands new data of this user's device to another one by another way than Bluetooth, as when one scans a code on the
    /// other. Both have to use such data.
    ///
    /// ```swift
    /// let lock = ScriptedPairingAgent(.none, usesOutOfBandData: true)
    /// let phone = ScriptedPairingAgent(.none, usesOutOfBandData: true)
    /// lock.handOver(to: phone)
    /// ```
    ///
    /// - Parameters:
    ///   - kind: The kind of pairing that the data is for.
    ///   - other: The user of the device that gets the data.
    public func handOver(_ kind: LocalPairingOutOfBandData.Kind = .secureConnections, to other: ScriptedPairingAgent) {
        let data = LocalPairingOutOfBandData(kind)
        self.state.withLockedValue { $0.outOfBand.local = data }
        other.take(data.sharedData)
    }

    /// The user's device gets data by another way than Bluetooth; what is not of the device that it pairs with is wrong.
    public func take(_ data: PairingOutOfBandData?) { self.state.withLockedValue { $0.outOfBand.peer = data } }

    /// What was handed over and taken.
    public func outOfBandData(for peer: PairingPeer) -> PairingOutOfBandExchange {
        self.state.withLockedValue { $0.outOfBand }
    }

    /// Notes what the user is shown or asked, and answers.
    public func pairing(_ prompt: PairingPrompt) {
        self.state.withLockedValue { $0.prompts.append(prompt.kind) }
        switch prompt.kind {
        case .showCode: break
        case .enterCode: prompt.enter(self.entersCode(prompt))
        case .compareCode, .pair: if let answer = self.confirms(prompt) { prompt.confirm(answer) }
        }
    }

    /// Notes how the pairing ended.
    public func pairingEnded(with peer: PairingPeer, _ outcome: PairingOutcome) {
        self.state.withLockedValue { $0.outcomes.append(outcome) }
    }
}
