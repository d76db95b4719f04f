// Decides whether attributes that an app discovered on an earlier link are still valid on this one, after a
// reconnection or in a new process. Without I/O.
//
//     none ── link ──▶ identifying ── same Database Hash, or another one ──▶ none
//                          └── no hash was known ──▶ comparing ── all found, or something missing ──▶ none
//
// - none: there is nothing to resume, or the decision is made.
// - identifying: the server's database is being identified.
// - comparing: the app's attributes are compared one service after the other, since no hash says whether they are
//   valid.
//
// A peer can answer the comparison with anything: an attribute that is not found as it was counts as changed, and then
// the app must discover again. No timers.

import Foundation

/// The decision about one connection's attributes.
struct Resumption {
    private enum State {
        case none
        case identifying
        case comparing
    }

    /// The meaning of the identity of the server's database.
    enum Verdict {
        case unchanged
        case changed
        /// Only a comparison can tell.
        case unknown
    }

    private var state = State.none

    /// Whether the decision is pending.
    var isUnderWay: Bool {
        switch self.state {
        case .none: false
        case .identifying, .comparing: true
        }
    }

    /// Whether the app's attributes are being compared.
    var isComparing: Bool {
        switch self.state {
        case .comparing: true
        case .none, .identifying: false
        }
    }

    /// A link was established, and the app had attributes.
    mutating func begin() { self.state = .identifying }

    /// The server's database was identified, by the hash with which the app's attributes were discovered, and the
    /// present one; `nil` for none.
    mutating func identified(known: Data?, present: Data?) -> Verdict? {
        switch self.state {
        case .none, .comparing: return nil
        case .identifying:
            guard let known else {
                self.state = .comparing
                return .unknown
            }
            self.state = .none
            return known == present ? .unchanged : .changed
        }
    }

    /// Some of the app's attributes were compared; returns whether they turned out changed now.
    mutating func compared(isUnchanged: Bool) -> Bool {
        guard self.isComparing, !isUnchanged else { return false }
        self.state = .none
        return true
    }

    /// All were compared; returns whether they are valid.
    mutating func finishComparison() -> Bool {
        guard self.isComparing else { return false }
        self.state = .none
        return true
    }
}
