// Chooses between the legacy and the extended commands for advertising, scanning and initiating; a controller refuses
// one kind after the other (Vol 4, Part E, 3.1.1). Some controllers accept the extended commands and do nothing, which
// looks as if no device were nearby. So a trial shows whether they work:
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
// trial: scans alternate in turns, the first one extended. An advertisement in an extended report proves that these
// commands work. An extended turn without reports, after legacy turns with ten advertisements, proves the opposite. If
// neither kind reports anything, the turns continue. Meanwhile advertising and initiating use the legacy commands:
// every scanner receives the advertisement, and a device is heard before it is initiated to.
//
// A turn is long enough to hear most devices, and short for a user who waits for the next one. It pauses while nobody
// scans. Some Realtek dongles that accept both kinds hang at legacy scanning after extended scanning, so legacy
// scanning comes second.
//
// A peer can advertise in legacy turns only. If no other device is heard, extended advertising is then not received
// until the next start; a jammer could do the same. A controller can refuse any command; the one of the other kind is
// then tried that one time. Deadlines are passed in as `now`.

import BluetoothHCI
import NIOCore

/// A kind of command.
enum CommandFamily: Equatable {
    case legacy
    case extended
}

extension [CommandFamily] {
    /// Sends the command of the first kind; if the controller refuses it, that of the second one.
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

/// The commands that are used with a controller.
struct ExtendedCommands {
    private enum State {
        case legacy
        case extended
        case trial(Trial)
    }

    private struct Trial {
        var turn = CommandFamily.extended
        /// The rest of the turn.
        var remaining = ExtendedCommands.turnLength
        /// When the scan of the turn began; `nil` if there is none.
        var began: NIODeadline?
        /// The number of advertisements that the legacy commands reported.
        var legacyCount = 0
    }

    /// The outcome of a turn.
    enum TurnEnd {
        case next
        /// The extended commands do nothing.
        case deaf
    }

    /// The commands that a controller needs for any extended one to be used.
    static let needed: [any HCICommand.Type] = [
        LESetAdvertisingSetRandomAddress.self, LESetExtendedAdvertisingParameters.self,
        LESetExtendedAdvertisingData.self, LESetExtendedScanResponseData.self, LESetExtendedAdvertisingEnable.self,
        LESetExtendedScanParameters.self, LESetExtendedScanEnable.self, LEExtendedCreateConnection.self,
    ]
    static let turnLength = TimeAmount.seconds(1)
    /// The number of advertisements in legacy turns after which an extended turn should have reported some, although it
    /// has half the time for LE 1M if there is LE Coded.
    static let sufficientCount = 10

    private var state = State.legacy

    /// Whether the controller's extended commands work, as far as is known.
    var areUsed: Bool { if case .legacy = self.state { false } else { true } }

    /// Whether the trial is not over yet.
    var areOnTrial: Bool { if case .trial = self.state { true } else { false } }

    /// The commands for scanning, in order: if the first ones are refused, the next ones.
    var forScanning: [CommandFamily] {
        guard case .trial(let trial) = self.state else { return self.forInitiating }
        return trial.turn == .legacy ? [.legacy, .extended] : [.extended, .legacy]
    }

    /// The commands for advertising in legacy PDUs.
    var forAdvertising: [CommandFamily] { self.areOnTrial ? [.legacy, .extended] : self.forInitiating }

    /// The commands for initiating.
    var forInitiating: [CommandFamily] {
        switch self.state {
        case .legacy: [.legacy]
        case .extended: [.extended, .legacy]
        // During the trial, an extended command that does nothing would never connect.
        case .trial: [.legacy]
        }
    }

    /// The controller was started, and has answered an extended command and then a legacy one.
    mutating func started(takesExtended: Bool, takesLegacy: Bool) {
        self.state = !takesExtended ? .legacy : takesLegacy ? .trial(Trial()) : .extended
    }

    // MARK: The trial

    /// When the current turn ends.
    var deadline: NIODeadline? {
        guard case .trial(let trial) = self.state else { return nil }
        return trial.began.map { $0 + trial.remaining }
    }

    /// A scan has begun, with the commands of the turn unless the controller has refused these.
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

    /// Ends a turn whose time is over; the scan then has to start again.
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
