// The queue of commands for the controller. One at a time is outstanding, even if the controller's last
// Num_HCI_Command_Packets allowed more (Vol 4, Part E, 4.4): controllers claim up to 32 but are hardly tested with more
// than one, and an answer takes less than a millisecond. Every command has a time limit, since some controllers never
// answer some commands: such a command fails alone, and the queue continues.
//
//     append ──▶ waiting ── a credit ──▶ outstanding ── Command Complete or Command Status ──▶ completed
//                                             └──────── time limit ──▶ unanswered
//     waiting and outstanding ── the controller goes ──▶ abandoned
//
// A controller can send answers without a command (ignored), keep the credits at zero (after the time limit one command
// is sent anyway), or not answer. Deadlines are passed in as `now`, with the host's time limit for commands.

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

/// A first-in, first-out queue of commands, one of which is outstanding.
struct CommandQueue {
    /// A command and its completion.
    struct Entry {
        var opcode: HCIOpcode
        var packet: HCIPacket
        /// A separate time limit.
        var timeout: TimeAmount?
        var completion: (CommandOutcome) -> Void
    }

    private var waiting: Deque<Entry> = []
    private var outstanding: (entry: Entry, deadline: NIODeadline)?
    /// Whether the controller accepts a command.
    private var isAllowed = true
    /// When to send a command although the controller allows none and none is outstanding.
    private var creditDeadline: NIODeadline?

    /// When the outstanding command, or the credit for the next one, is overdue.
    var nextDeadline: NIODeadline? { self.outstanding?.deadline ?? self.creditDeadline }

    /// The number of waiting commands.
    var waitingCount: Int { self.waiting.count }

    /// Puts a command at the end.
    mutating func append(_ entry: Entry) { self.waiting.append(entry) }

    /// Puts a command in front of the waiting ones.
    mutating func prepend(_ entry: Entry) { self.waiting.prepend(entry) }

    /// The next command to send, if the controller allows one.
    mutating func next(now: NIODeadline, timeout: TimeAmount) -> HCIPacket? {
        guard self.isAllowed, self.outstanding == nil else {
            let isStuck = self.outstanding == nil && !self.waiting.isEmpty
            self.creditDeadline = isStuck ? self.creditDeadline ?? now + timeout : nil
            return nil
        }
        self.creditDeadline = nil
        guard let entry = self.waiting.popFirst() else { return nil }
        self.outstanding = (entry, now + (entry.timeout ?? timeout))
        return entry.packet
    }

    /// Takes an answer; returns `nil` if no command waits for it, as for opcode 0.
    mutating func answered(_ opcode: HCIOpcode, credits: UInt8) -> Entry? {
        self.isAllowed = credits > 0
        guard let entry = self.outstanding?.entry, entry.opcode == opcode else { return nil }
        self.outstanding = nil
        return entry
    }

    /// Takes out the command that has timed out, and gives the controller a new credit.
    mutating func expired(at now: NIODeadline) -> Entry? {
        if let (entry, deadline) = self.outstanding, deadline <= now {
            self.outstanding = nil
            self.isAllowed = true
            return entry
        }
        if let creditDeadline, creditDeadline <= now {
            self.creditDeadline = nil
            self.isAllowed = true
        }
        return nil
    }

    /// Empties the queue when the controller was lost.
    mutating func abandon() -> [Entry] {
        let entries = [self.outstanding?.entry].compactMap(\.self) + self.waiting
        self = CommandQueue()
        return entries
    }
}
