// Which commands of advertising, scanning and initiating a controller is given: the legacy or the extended ones, which
// it refuses after the others (Vol 4, Part E, 3.1.1). One that takes both may do nothing by the extended ones, and that
// looks like an empty room. So it is tried out, by what it hears:
//
//                                      started
//       refuses the extended one ┌────────┼───────────────┐ refuses the legacy one
//                                │        │ takes both    │
//                                ▼        ▼               ▼
//                             legacy    trial ─────────▶ extended
//                                ▲        │    hears
//                                └────────┘
//                                  deaf
//
// trial: scans go by turns, the first one extended. An advertisement in an extended report is the proof that these
// commands work. A silent extended turn behind legacy ones that have heard ten advertisements is taken for the
// opposite. Where nobody is heard by either, the turns go on. What cannot be seen from here is left to the legacy
// commands meanwhile: an advertisement is heard by everybody, and a device is heard before it is initiated to.
//
// A turn is as long as most devices need to be heard, and short for who waits for the next one. It ends while nobody
// scans, and goes on with the next scan. Some dongles of Realtek that take both hang at legacy scanning after extended
// one, so it comes second.
//
// What a peer can do: advertise in legacy turns alone, where nobody else is heard, so that extended advertising is not
// heard until the next start; a jammer could do the same. What a controller can do: refuse any command; then the one of
// the other kind is tried for that one time. The caller gives `now`.

import BluetoothHCI
import NIOCore

/// A kind of commands.
enum CommandFamily: Equatable {
    case legacy
    case extended
}

extension [CommandFamily] {
    /// Sends the command of the first kind; where the controller refuses it and takes that of the second one, that.
    func tryInOrder(
        _ send: @escaping (CommandFamily, @escaping (LEHostError?) -> Void) -> Void,
        completion: @escaping (LEHostError?, CommandFamily) -> Void
    ) {
        send(self[0]) { failure in
            guard case .refused? = failure, self.count > 1 else { return completion(failure, self[0]) }
            send(self[1]) { otherFailure in
                if otherFailure == nil { completion(nil, self[1]) } else { completion(failure, self[0]) }
            }
        }
    }
}

/// The commands that a controller is given.
struct ExtendedCommands {
    private enum State {
        case legacy
        case extended
        case trial(Trial)
    }

    private struct Trial {
        var turn = CommandFamily.extended
        /// How much of the turn is left.
        var remaining = ExtendedCommands.turnLength
        /// When the scan of the turn began; `nil` while there is none.
        var began: NIODeadline?
        /// The number of advertisements that were heard by legacy commands.
        var legacyCount = 0
    }

    /// What comes of the end of a turn.
    enum TurnEnd {
        case next
        /// The extended commands do nothing.
        case deaf
    }

    /// The commands without which none is used.
    static let needed: [any HCICommand.Type] = [
        LESetAdvertisingSetRandomAddress.self, LESetExtendedAdvertisingParameters.self,
        LESetExtendedAdvertisingData.self, LESetExtendedScanResponseData.self, LESetExtendedAdvertisingEnable.self,
        LESetExtendedScanParameters.self, LESetExtendedScanEnable.self, LEExtendedCreateConnection.self,
    ]
    static let turnLength = TimeAmount.seconds(1)
    /// The number of advertisements in legacy turns that say that an extended one would have heard some of them, though
    /// it has half the time for LE 1M where there is LE Coded.
    static let sufficientCount = 10

    private var state = State.legacy

    /// Whether the controller has extended commands that work, as far as it is known.
    var areUsed: Bool { if case .legacy = self.state { false } else { true } }

    /// Whether it is not known yet if the extended commands work.
    var areOnTrial: Bool { if case .trial = self.state { true } else { false } }

    /// With which commands to scan: the first ones, or the next ones where those are refused.
    var forScanning: [CommandFamily] {
        guard case .trial(let trial) = self.state else { return self.forInitiating }
        return trial.turn == .legacy ? [.legacy, .extended] : [.extended, .legacy]
    }

    /// With which commands to advertise in legacy PDUs.
    var forAdvertising: [CommandFamily] { self.areOnTrial ? [.legacy, .extended] : self.forInitiating }

    /// With which commands to initiate.
    var forInitiating: [CommandFamily] {
        switch self.state {
        case .legacy: [.legacy]
        case .extended: [.extended, .legacy]
        // What the extended one did not do would be waited for in vain.
        case .trial: [.legacy]
        }
    }

    /// The controller is started, and was given an extended command and then a legacy one.
    mutating func started(takesExtended: Bool, takesLegacy: Bool) {
        self.state = !takesExtended ? .legacy : takesLegacy ? .trial(Trial()) : .extended
    }

    // MARK: The trial

    /// When the present turn ends.
    var deadline: NIODeadline? {
        guard case .trial(let trial) = self.state else { return nil }
        return trial.began.map { $0 + trial.remaining }
    }

    /// A scan has begun, by commands that are those of the turn unless the controller has refused these.
    mutating func scanBegan(by family: CommandFamily, now: NIODeadline) {
        guard case .trial(var trial) = self.state else { return }
        trial.turn = family
        trial.began = now
        self.state = .trial(trial)
    }

    /// The scan has ended.
    mutating func scanEnded(now: NIODeadline) {
        guard case .trial(var trial) = self.state, let began = trial.began else { return }
        trial.remaining = max(trial.remaining - (now - began), .zero)
        trial.began = nil
        self.state = .trial(trial)
    }

    /// An advertisement was reported in an event of a kind.
    @inline(__always)
    mutating func heard(by family: CommandFamily) {
        guard case .trial(var trial) = self.state else { return }
        guard family == .legacy else { return self.state = .extended }
        trial.legacyCount += 1
        self.state = .trial(trial)
    }

    /// Ends a turn whose time is over; the scan is to begin anew then.
    mutating func advance(to now: NIODeadline) -> TurnEnd? {
        guard case .trial(let trial) = self.state, let deadline = self.deadline, deadline <= now else { return nil }
        if trial.turn == .extended, trial.legacyCount >= Self.sufficientCount {
            self.state = .legacy
            return .deaf
        }
        self.state = .trial(
            Trial(turn: trial.turn == .legacy ? .extended : .legacy, legacyCount: trial.legacyCount)
        )
        return .next
    }
}
