// Decides which roles the one radio of a controller has now. The controller reports which roles it supports at the same
// time (Vol 4, Part E, 7.8.27); if that is wrong, it refuses a role beside the current ones.
//
//     links ──────────────▶ what remains possible beside them
//                               │
//     wanted ──▶ queue: A B C ──┴─▶ granted: from its head, each that is possible beside those before it
//                 ▲                     │ others could be granted without these, and the turn is over
//                 └── those others ◀────┘ go to the head
//
// A granted role keeps the radio until it is no longer wanted, a link excludes it, or its turn is over and another role
// waits. So no role waits longer than the turns of the two others. A role that a link excludes waits for the end of the
// link. Turns have different lengths; otherwise an advertiser whose interval matches them might never be heard.
//
// A controller can claim combinations that it does not support, or refuse any: a refused combination is not tried
// again. Combinations with links are forgotten when a link ends, since the number of links may have been the reason.
// Deadlines are passed in as `now`.

import BluetoothHCI
import NIOCore

/// The roles of a radio: states and roles of the Link Layer (Vol 6, Part B, 1.1), as far as controllers distinguish
/// them.
struct RadioRoles: OptionSet, Hashable {
    let rawValue: UInt16

    static let nonConnectableAdvertising = RadioRoles(rawValue: 1 << 0)
    static let scannableAdvertising = RadioRoles(rawValue: 1 << 1)
    static let connectableAdvertising = RadioRoles(rawValue: 1 << 2)
    /// Directed advertising with a low duty cycle.
    static let directedAdvertising = RadioRoles(rawValue: 1 << 3)
    static let passiveScanning = RadioRoles(rawValue: 1 << 4)
    static let activeScanning = RadioRoles(rawValue: 1 << 5)
    static let initiating = RadioRoles(rawValue: 1 << 6)
    /// Links as central.
    static let central = RadioRoles(rawValue: 1 << 7)
    /// Links as peripheral.
    static let peripheral = RadioRoles(rawValue: 1 << 8)

    static let advertising: RadioRoles = [
        .nonConnectableAdvertising, .scannableAdvertising, .connectableAdvertising, .directedAdvertising,
    ]
    static let scanning: RadioRoles = [.passiveScanning, .activeScanning]
    static let links: RadioRoles = [.central, .peripheral]

    /// The number of attempts to end a role before it counts as off.
    static let disableLimit = 3

    /// The single roles.
    var elements: some Sequence<RadioRoles> {
        (0..<9).lazy.map { RadioRoles(rawValue: 1 << $0) }.filter { [self] in self.contains($0) }
    }
}

/// Shares the radio of a controller between the wanted roles.
struct RadioArbiter {
    /// The combinations that the controller claims to support; `nil` if it claims none or all.
    private var states: LEStates?
    /// The combinations that it has refused; none contains another one.
    private var refused: [RadioRoles] = []
    /// The wanted roles, in the order in which they get the radio.
    private var queue: [RadioRoles] = []
    private var turnBegan: NIODeadline?
    private var turnCount = 0
    /// When to share the radio again; `nil` if no role waits for the end of another one's turn.
    private(set) var deadline: NIODeadline?

    /// Takes the combinations that the controller claims. One that claims none has not answered.
    mutating func setStates(_ states: LEStates) {
        let saysNothing = states.isEmpty || Self.combinations.allSatisfy { states.contains($0.state) }
        self.states = saysNothing ? nil : states
    }

    /// Whether no combination is known to be excluded.
    var allowsEverything: Bool { self.states == nil && self.refused.isEmpty }

    /// Whether the controller supports a combination, as far as is known.
    func allows(_ roles: RadioRoles) -> Bool {
        guard !self.refused.contains(where: roles.isSuperset(of:)) else { return false }
        guard let states = self.states else { return true }
        return Self.combinations.allSatisfy { !roles.isSuperset(of: $0.roles) || states.contains($0.state) }
    }

    /// Shares the radio.
    /// - Parameters:
    ///   - wanted: The roles that have work.
    ///   - links: The roles of the open links, which stay.
    ///   - now: The current time.
    /// - Returns: The roles that have the radio until ``deadline``, or until the wanted or possible roles change.
    mutating func share(_ wanted: RadioRoles, beside links: RadioRoles, now: NIODeadline) -> RadioRoles {
        guard !self.allowsEverything, !wanted.isEmpty else {
            self.queue = []
            self.deadline = nil
            return wanted
        }
        self.queue.removeAll { !wanted.contains($0) }
        for role in wanted.elements where !self.queue.contains(role) { self.queue.append(role) }
        let granted = self.granted(beside: links)
        let waiting = self.queue.filter { !granted.contains($0) && self.allows(links.union($0)) }
        guard !waiting.isEmpty else {
            self.deadline = nil
            return granted
        }
        let turnEnd = self.turnBegan.map { $0 + self.turnLength }
        if let turnEnd, now < turnEnd {
            self.deadline = turnEnd
            return granted
        }
        self.queue = waiting + self.queue.filter { !waiting.contains($0) }
        self.turnBegan = now
        self.turnCount += 1
        self.deadline = now + self.turnLength
        return self.granted(beside: links)
    }

    private func granted(beside links: RadioRoles) -> RadioRoles {
        var granted: RadioRoles = []
        for role in self.queue where self.allows(links.union(granted).union(role)) { granted.formUnion(role) }
        return granted
    }

    /// 1 to 1.75 s.
    private var turnLength: TimeAmount { .milliseconds(1_000 + 250 * Int64(self.turnCount % 4)) }

    /// The controller has refused a role. Returns whether the other roles may be the reason; that combination is then
    /// not tried again.
    mutating func refuse(_ role: RadioRoles, beside others: RadioRoles) -> Bool {
        guard !others.isEmpty else { return false }
        let roles = others.union(role)
        self.refused.removeAll { $0.isSuperset(of: roles) }
        self.refused.append(roles)
        return true
    }

    /// A link has ended: combinations that were refused beside links may be possible now.
    mutating func linkEnded() { self.refused.removeAll { !$0.isDisjoint(with: .links) } }

    /// The controller was reset or lost.
    mutating func reset() { self = RadioArbiter() }

    /// The bits of LE states that stand for two roles.
    private static let combinations: [(roles: RadioRoles, state: LEStates)] = [
        ([.nonConnectableAdvertising, .passiveScanning], 8), ([.scannableAdvertising, .passiveScanning], 9),
        ([.connectableAdvertising, .passiveScanning], 10), ([.nonConnectableAdvertising, .activeScanning], 12),
        ([.scannableAdvertising, .activeScanning], 13), ([.connectableAdvertising, .activeScanning], 14),
        ([.nonConnectableAdvertising, .initiating], 16), ([.scannableAdvertising, .initiating], 17),
        ([.nonConnectableAdvertising, .central], 18), ([.scannableAdvertising, .central], 19),
        ([.nonConnectableAdvertising, .peripheral], 20), ([.scannableAdvertising, .peripheral], 21),
        ([.passiveScanning, .initiating], 22), ([.activeScanning, .initiating], 23),
        ([.passiveScanning, .central], 24), ([.activeScanning, .central], 25),
        ([.passiveScanning, .peripheral], 26), ([.activeScanning, .peripheral], 27),
        ([.initiating, .central], 28), ([.directedAdvertising, .passiveScanning], 30),
        ([.directedAdvertising, .activeScanning], 31), ([.connectableAdvertising, .initiating], 32),
        ([.directedAdvertising, .initiating], 34), ([.connectableAdvertising, .central], 35),
        ([.directedAdvertising, .central], 37), ([.connectableAdvertising, .peripheral], 38),
        ([.directedAdvertising, .peripheral], 40), ([.initiating, .peripheral], 41),
    ].map { (roles: $0, state: LEStates(rawValue: 1 << $1)) }
}
