// The commands on their way to the controller. One at a time is unanswered, however many the controller's last
// Num_HCI_Command_Packets allowed (Vol 4, Part E, 4.4): controllers claim up to 32 and are hardly tried with more than
// one, and an answer comes within a millisecond. Every command has a time limit, since controllers exist that never
// answer some of them: such a command fails alone, and the queue goes on.
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

/// A first-in, first-out queue of commands, one of which is with the controller.
struct CommandQueue {
    /// A command and who waits for it.
    struct Entry {
        var opcode: HCIOpcode
        var packet: HCIPacket
        /// A time limit of its own.
        var timeout: TimeAmount?
        var completion: (CommandOutcome) -> Void
    }

    private var waiting: Deque<Entry> = []
    private var outstanding: (entry: Entry, deadline: NIODeadline)?
    /// Whether the controller takes a command.
    private var isAllowed = true
    /// When a controller that allows no command, and owes no answer, is sent one nevertheless.
    private var creditDeadline: NIODeadline?

    /// When the unanswered command, or the credit for the next one, is overdue.
    var nextDeadline: NIODeadline? { self.outstanding?.deadline ?? self.creditDeadline }

    /// How many commands wait to be sent.
    var waitingCount: Int { self.waiting.count }

    /// Puts a command at the end.
    mutating func append(_ entry: Entry) { self.waiting.append(entry) }

    /// Puts a command in front of those that wait.
    mutating func prepend(_ entry: Entry) { self.waiting.prepend(entry) }

    /// The next command to send, where the controller allows one.
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

    /// Takes an answer; `nil` where no command waits for it, which includes the controller's opcode 0.
    mutating func answered(_ opcode: HCIOpcode, credits: UInt8) -> Entry? {
        self.isAllowed = credits > 0
        guard let entry = self.outstanding?.entry, entry.opcode == opcode else { return nil }
        self.outstanding = nil
        return entry
    }

    /// Takes out the command whose time is up and gives the controller one more chance.
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

    /// Empties the queue; the controller is gone.
    mutating func abandon() -> [Entry] {
        let entries = [self.outstanding?.entry].compactMap(\.self) + self.waiting
        self = CommandQueue()
        return entries
    }
}
