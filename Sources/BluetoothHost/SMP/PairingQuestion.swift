// What pairing asks of a device's user, and what the user answers (Vol 3, Part H, 2.3.5; Vol 3, Part C, 5.2.2).

public import BluetoothTypes

/// Six decimal digits.
public struct Passkey: Hashable, Sendable, CustomStringConvertible {
    /// The number, 0 to 999,999.
    public let value: UInt32

    /// A passkey; `nil` for a number that has more than six digits.
    public init?(_ value: UInt32) {
        guard value <= 999_999 else { return nil }
        self.value = value
    }

    /// A new one.
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

/// What happens at the device where a passkey is entered (3.5.8).
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

/// The keypress notifications of a peer: a beginning, digits, an end (3.5.8).
struct KeypressNotifications: Hashable, Sendable {
    /// The number of notifications that are reported at most.
    static let limit = 64

    private enum State: Hashable {
        case notStarted
        case started(count: Int)
        case completed
    }

    private var state = State.notStarted

    init() {}

    /// Whether a notification is in its place.
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

/// What pairing needs of the user. It is over when an answer was given, or with the pairing.
public enum PairingQuestion: Hashable, Sendable {
    /// Whether to pair at all.
    case consent(PairingConsent)
    /// Show these digits. There is no answer.
    case displayPasskey(Passkey)
    /// Let the user enter the digits that the peer shows, or the same ones at both devices.
    case enterPasskey
    /// Show these digits, and ask whether the peer shows the same.
    case compareNumbers(Passkey)
}

/// A pairing that a peer wants.
public struct PairingConsent: Hashable, Sendable {
    /// How the devices would make sure that they pair with each other; `nil` for a peripheral that wants this central
    /// to ask it, although nothing that this central wants needs a pairing.
    public var model: AssociationModel?
    /// Whether the peer has said that it keeps the keys.
    public var isBonding: Bool
    /// Whether the peer would take the place of a device that is bonded or known: of itself, with new keys, or of
    /// another one, whose identity address it claims.
    public var replacesBond: Bool
    /// The identity address of that device; `nil` if there is none.
    public var replaced: DeviceAddress?

    /// A pairing, for a stack that pairs by itself.
    package init(
        model: AssociationModel?,
        isBonding: Bool,
        replacesBond: Bool,
        replaced: DeviceAddress? = nil
    ) {
        self.model = model
        self.isBonding = isBonding
        self.replacesBond = replacesBond
        self.replaced = replaced
    }
}

/// What the user says.
public enum PairingAnswer: Hashable, Sendable {
    /// Whether to pair.
    case consent(Bool)
    /// The digits; `nil` where the user gives up.
    case passkey(Passkey?)
    /// Whether both devices show the same digits.
    case numbersMatch(Bool)
}
