// The questions of a pairing to the user of a device, and the answers (Vol 3, Part H, 2.3.5; Vol 3, Part C, 5.2.2).

package import BluetoothTypes

/// Six decimal digits.
public struct Passkey: Hashable, Sendable, CustomStringConvertible {
    /// The number, 0 to 999,999.
    package let value: UInt32

    /// Creates a passkey; `nil` if the number has more than six digits.
    public init?(_ value: UInt32) {
        guard value <= 999_999 else { return nil }
        self.value = value
    }

    /// Creates a random passkey.
    init(using generator: inout some RandomNumberGenerator) {
        self.value = UInt32.random(in: 0...999_999, using: &generator)
    }

    /// The number that both sides show in a numeric comparison: the last six digits of what g2 gives (2.2.9).
    init(comparing value: UInt32) { self.value = value % 1_000_000 }

    /// The six digits, with leading zeros.
    public var description: String {
        let digits = String(self.value)
        return String(repeating: "0", count: max(0, 6 - digits.utf8.count)) + digits
    }
}

/// An event at the device where a passkey is entered (3.5.8).
public enum KeypressNotification: UInt8, Hashable, Sendable, CaseIterable {
    /// The entry has begun.
    case entryStarted = 0
    /// A digit was entered.
    case digitEntered = 1
    /// A digit was erased.
    case digitErased = 2
    /// All digits were erased.
    case cleared = 3
    /// The entry is complete.
    case entryCompleted = 4
}

/// Filters the keypress notifications of a peer: a start, digits, a completion (3.5.8). Those out of place are ignored.
struct KeypressNotifications: Hashable, Sendable {
    /// The largest number of notifications that are reported.
    static let limit = 64

    private enum State: Hashable {
        case notStarted
        case started(count: Int)
        case completed
    }

    private var state = State.notStarted

    init() {}

    /// Returns whether to report a notification.
    mutating func accept(_ notification: KeypressNotification) -> Bool {
        switch (self.state, notification) {
        case (.notStarted, .entryStarted):
            self.state = .started(count: 1)
            return true
        case (.started, .entryCompleted):
            self.state = .completed
            return true
        case (.started(let count), .digitEntered), (.started(let count), .digitErased),
            (.started(let count), .cleared):
            guard count < Self.limit else { return false }
            self.state = .started(count: count + 1)
            return true
        case (.notStarted, _), (.started, _), (.completed, _):
            return false
        }
    }
}

/// A question to the user. It ends with an answer, or with the pairing.
public enum PairingQuestion: Hashable, Sendable {
    /// Whether to pair at all.
    case consent(PairingConsent)
    /// Show these digits. No answer is expected.
    case displayPasskey(Passkey)
    /// Let the user enter the digits that the peer shows, or the same ones at both devices.
    case enterPasskey
    /// Show these digits, and ask whether the peer shows the same.
    case compareNumbers(Passkey)
}

/// A pairing that a peer requests.
public struct PairingConsent: Hashable, Sendable {
    /// The association model; `nil` if a peripheral requests the pairing, although this central does not need one.
    package var model: AssociationModel?
    /// Whether the pairing would replace a bonded or known device: the peer itself, with new keys, or another one,
    /// whose identity address the peer claims.
    package var replacesBond: Bool
    /// The identity address of that device; `nil` if there is none.
    package var replaced: DeviceAddress?

    /// A pairing, for a stack that pairs by itself.
    package init(model: AssociationModel?, replacesBond: Bool, replaced: DeviceAddress? = nil) {
        self.model = model
        self.replacesBond = replacesBond
        self.replaced = replaced
    }
}

/// The user's answer.
public enum PairingAnswer: Hashable, Sendable {
    /// Whether to pair.
    case consent(Bool)
    /// The digits; `nil` if the user gives up.
    case passkey(Passkey?)
    /// Whether both devices show the same digits.
    case numbersMatch(Bool)
}
