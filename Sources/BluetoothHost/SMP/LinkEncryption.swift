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
    private enum State: Sendable {
        case off
        case starting(LinkSecurity.Key, before: LinkSecurity.Key?)
        case on(LinkSecurity.Key)
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

    /// What is in use.
    var inUse: LinkSecurity.Key? {
        switch self.state {
        case .off: nil
        case .starting(_, let before): before
        case .on(let security): security
        }
    }

    /// What the key gives that the controller has, and does not use yet.
    var starting: LinkSecurity.Key? {
        switch self.state {
        case .off, .on: nil
        case .starting(let security, _): security
        }
    }

    /// The controller is given a key.
    mutating func start(_ security: LinkSecurity.Key) { self.state = .starting(security, before: self.inUse) }

    /// The controller reports a change of encryption, a refreshed key, or a failure.
    mutating func changed(_ status: HCIErrorCode, isEnabled: Bool) -> Change {
        switch self.state {
        case .starting(_, let before) where status != .success:
            self.state = before.map(State.on) ?? .off
            return .failed
        case .starting(let security, _) where isEnabled:
            self.state = .on(security)
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
