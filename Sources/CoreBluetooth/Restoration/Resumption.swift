// Whether what an app had discovered on an earlier link still holds on this one: after a reconnection, and for what the
// process before this one had. Without I/O.
//
//     none ── link ──▶ identifying ── same Database Hash, or another one ──▶ none
//                          └── no hash was known ──▶ comparing ── all found, or something missing ──▶ none
//
// - none: there is nothing to resume, or it is decided.
// - identifying: it has to be known first which database the server has.
// - comparing: the app's attributes are looked for one service after the other, since no hash says whether they hold.
//
// A peer can answer the comparison with anything: what is not found as it was counts as changed, and then the app has
// to discover anew. There is no time in it.

import Foundation

/// The decision about one connection's attributes.
struct Resumption {
    private enum State {
        case none
        case identifying
        case comparing
    }

    /// What the identity of the server's database means.
    enum Verdict {
        case unchanged
        case changed
        /// It has to be found out by comparison.
        case unknown
    }

    private var state = State.none

    /// Whether it is still to be decided.
    var isUnderWay: Bool {
        switch self.state {
        case .none: false
        case .identifying, .comparing: true
        }
    }

    /// Whether the app's attributes are being looked for.
    var isComparing: Bool {
        switch self.state {
        case .comparing: true
        case .none, .identifying: false
        }
    }

    /// A link is there, and the app had attributes.
    mutating func begin() { self.state = .identifying }

    /// It is known which database the server has: the hash that the app's attributes were discovered with, and the
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

    /// Some of the app's attributes were looked for; says whether they turn out changed now.
    mutating func compared(isUnchanged: Bool) -> Bool {
        guard self.isComparing, !isUnchanged else { return false }
        self.state = .none
        return true
    }

    /// All were looked for; says whether they hold.
    mutating func finishComparison() -> Bool {
        guard self.isComparing else { return false }
        self.state = .none
        return true
    }
}
