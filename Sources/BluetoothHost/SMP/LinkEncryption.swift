// What a link is encrypted with, from the Security Manager's side (Vol 3, Part H, 2.4.4; Vol 4, Part E, 7.7.8).
//
//      +-----+  key given  +----------+  on   +----+
//      | off |------------>| starting |------>| on |
//      +-----+             +----+-----+       +-+--+
//         ^                     | failed        | key given: starting again, and protected until then as before
//         +---------------------+---------------+ off
//
// off: the link is not encrypted.
//
// starting: the controller was given a key. What was in use before is in use until the controller says otherwise.
//
// on: the link is encrypted, as far as the key goes.
//
// A peer can refuse a key, or have another one; the controller says so. Encryption that the controller reports
// without a key of the Security Manager is not taken for security. Time does not come in: the link layer waits.

import BluetoothHCI

/// The encryption of a link.
struct LinkEncryption: Sendable {
    private struct Use: Sendable {
        var key: LinkSecurity.Key
        var isOfBond: Bool
    }

    private enum State: Sendable {
        case off
        case starting(Use, before: Use?)
        case on(Use)
    }

    /// What a report of the controller means.
    enum Change: Hashable, Sendable {
        /// Nothing.
        case none
        /// The link is encrypted with the key that was given.
        case started
        /// The key that was given does not encrypt the link.
        case failed
        /// The link is not encrypted any more.
        case ended
    }

    private var state = State.off

    init() {}

    private var use: Use? {
        switch self.state {
        case .off: nil
        case .starting(_, let before): before
        case .on(let use): use
        }
    }

    /// What is in use.
    var inUse: LinkSecurity.Key? { self.use?.key }

    /// Whether the key in use is that of a bond.
    var usesBond: Bool { self.use?.isOfBond ?? false }

    /// Whether the controller has a key that it does not use yet.
    var isStarting: Bool {
        switch self.state {
        case .off, .on: false
        case .starting: true
        }
    }

    /// What the key gives that the controller has, and does not use yet.
    var starting: LinkSecurity.Key? {
        switch self.state {
        case .off, .on: nil
        case .starting(let use, _): use.key
        }
    }

    /// The controller is given a key.
    mutating func start(_ key: LinkSecurity.Key, isOfBond: Bool = false) {
        self.state = .starting(Use(key: key, isOfBond: isOfBond), before: self.use)
    }

    /// The pairing whose key is in use has made a bond.
    mutating func bonded() {
        guard case .on(let use) = self.state else { return }
        self.state = .on(Use(key: use.key, isOfBond: true))
    }

    /// The controller reports a change of encryption, a refreshed key, or a failure.
    mutating func changed(_ status: HCIErrorCode, isEnabled: Bool) -> Change {
        switch self.state {
        case .starting(_, let before) where status != .success:
            self.state = before.map(State.on) ?? .off
            return .failed
        case .starting(let use, _) where isEnabled:
            self.state = .on(use)
            return .started
        case .on where status == .success && !isEnabled:
            self.state = .off
            return .ended
        case .starting:
            self.state = .off
            return .failed
        case .on, .off:
            return .none
        }
    }
}
