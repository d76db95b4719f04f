// The commands on their way to the controller. A host may have as many commands unanswered as the controller's last
// Num_HCI_Command_Packets allowed (Vol 4, Part E, 4.4), and every command has a time limit, since controllers exist
// that never answer some of them: such a command fails alone, and the queue goes on.
//
//     append ──▶ waiting ── a credit ──▶ outstanding ── Command Complete or Command Status ──▶ completed
//                                             └──────── time limit ──▶ unanswered
//     waiting and outstanding ── the controller goes ──▶ abandoned
//
// What a controller can do: answer what was not asked (ignored), keep the credits at zero (after the time limit one
// command is sent nevertheless), or not answer. Time comes in as `now`, with the host's time limit for commands.

import BluetoothHCI
import BluetoothTypes
import DequeModule
import NIOCore

/// How a command ended.
enum CommandOutcome {
    /// Command Complete with these return parameters.
    case complete(ByteBuffer)
    /// Command Status.
    case status(HCIErrorCode)
    /// No answer within the time limit.
    case unanswered
    /// The controller went away first.
    case abandoned
}

/// A first-in, first-out queue that obeys the controller's command credits.
struct CommandQueue {
    /// A command and who waits for it.
    struct Entry {
        var opcode: HCIOpcode
        var packet: HCIPacket
        var completion: (CommandOutcome) -> Void
    }

    private struct Outstanding {
        var entry: Entry
        var deadline: NIODeadline
    }

    private var waiting: Deque<Entry> = []
    private var outstanding: [Outstanding] = []
    private var credits = 1
    /// When a controller that allows no command, and owes no answer, is sent one nevertheless.
    private var creditDeadline: NIODeadline?

    /// When the oldest unanswered command, or the credit for the next one, is overdue.
    var nextDeadline: NIODeadline? { self.outstanding.first?.deadline ?? self.creditDeadline }

    /// How many commands wait to be sent.
    var waitingCount: Int { self.waiting.count }

    /// Puts a command at the end.
    mutating func append(_ entry: Entry) { self.waiting.append(entry) }

    /// Puts a command in front of those that wait.
    mutating func prepend(_ entry: Entry) { self.waiting.prepend(entry) }

    /// The next command to send, where the controller allows one.
    mutating func next(now: NIODeadline, timeout: TimeAmount) -> HCIPacket? {
        guard self.credits > 0 else {
            let isStuck = self.outstanding.isEmpty && !self.waiting.isEmpty
            self.creditDeadline = isStuck ? self.creditDeadline ?? now + timeout : nil
            return nil
        }
        self.creditDeadline = nil
        guard let entry = self.waiting.popFirst() else { return nil }
        self.credits -= 1
        self.outstanding.append(Outstanding(entry: entry, deadline: now + timeout))
        return entry.packet
    }

    /// Takes an answer; `nil` where no command waits for it, which includes the controller's opcode 0.
    mutating func answered(_ opcode: HCIOpcode, credits: UInt8) -> Entry? {
        self.credits = Int(credits)
        guard let index = self.outstanding.firstIndex(where: { $0.entry.opcode == opcode }) else { return nil }
        return self.outstanding.remove(at: index).entry
    }

    /// Takes out the commands whose time is up and gives the controller one more chance.
    mutating func expired(at now: NIODeadline) -> [Entry] {
        var entries: [Entry] = []
        while let first = self.outstanding.first, first.deadline <= now {
            entries.append(first.entry)
            self.outstanding.removeFirst()
        }
        if !entries.isEmpty, self.outstanding.isEmpty { self.credits = max(self.credits, 1) }
        if let creditDeadline, creditDeadline <= now {
            self.creditDeadline = nil
            self.credits = max(self.credits, 1)
        }
        return entries
    }

    /// Empties the queue; the controller is gone.
    mutating func abandon() -> [Entry] {
        let entries = self.outstanding.map(\.entry) + Array(self.waiting)
        self = CommandQueue()
        return entries
    }
}
