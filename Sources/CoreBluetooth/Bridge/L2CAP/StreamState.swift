// One of a channel's two streams as Foundation's callers see it, and the events that are to be reported to its
// delegate.
//
//     +---------+  open   +------+   an operation fails   +--------+
//     | notOpen | ------> | open | ---------------------> | failed |
//     +----+----+         +--+---+                        +---+----+
//          | close           | close                          | close
//          +-----------------+-------------> closed <---------+
//
// notOpen: nothing is read or written, and no event is reported.
//
// open: the opening is reported to the delegate once, then octets or capacity once after each operation of the app, and
// the end once.
//
// failed: an operation on a stream whose channel has ended failed; this is reported once.
//
// closed: the app has closed the stream; nothing is reported, and it is never opened again.
//
// A peer affects this only through the condition of the stream: whether there are octets to read, and whether the
// channel has ended. No timers. The pipe's lock guards the value.

import Foundation

/// The state of one stream.
struct StreamState {
    private enum Phase {
        case notOpen
        case open
        case failed(POSIXErrorCode)
        case closed
    }

    /// The readiness of a stream.
    struct Condition {
        /// There are octets to read, or there is capacity to write.
        var isReady: Bool
        /// Nothing more is received or sent.
        var isAtEnd: Bool
    }

    private var phase = Phase.notOpen
    /// The error of the last operation, if the next one may succeed.
    private var refusal: POSIXErrorCode?
    /// The events that were reported and are reported once.
    private var reported: Stream.Event = []
    /// Whether readiness has to be reported: at the beginning, and again after each read or write.
    private var isArmed = true

    var isOpen: Bool { if case .open = self.phase { true } else { false } }
    var isClosed: Bool { if case .closed = self.phase { true } else { false } }

    /// The app opens the stream; only the first time counts.
    mutating func open() {
        guard case .notOpen = self.phase else { return }
        self.phase = .open
        self.refusal = nil
    }

    /// The app closes the stream.
    mutating func close() {
        self.phase = .closed
        self.refusal = nil
    }

    /// An operation failed for good.
    mutating func fail(_ code: POSIXErrorCode) { self.phase = .failed(code) }

    /// An operation was refused, and the next one may succeed.
    mutating func refuse(_ code: POSIXErrorCode) { self.refusal = code }

    /// The app read or wrote, so that the next readiness is reported.
    mutating func arm() {
        self.isArmed = true
        self.refusal = nil
    }

    /// The status that the stream shows.
    func status(_ condition: Condition) -> Stream.Status {
        switch self.phase {
        case .notOpen: .notOpen
        case .open: condition.isAtEnd ? .atEnd : .open
        case .failed: .error
        case .closed: .closed
        }
    }

    /// The error that the stream shows.
    var error: (any Error)? {
        switch self.phase {
        case .notOpen, .open, .closed: self.refusal.map { POSIXError($0) }
        case .failed(let code): POSIXError(code)
        }
    }

    /// The next event to report.
    func nextEvent(_ readiness: Stream.Event, _ condition: Condition) -> Stream.Event? {
        switch self.phase {
        case .notOpen, .closed: return nil
        case .failed: return self.reported.contains(.errorOccurred) ? nil : .errorOccurred
        case .open:
            if !self.reported.contains(.openCompleted) { return .openCompleted }
            if self.isArmed, condition.isReady { return readiness }
            return condition.isAtEnd && !self.reported.contains(.endEncountered) ? .endEncountered : nil
        }
    }

    /// An event is reported now.
    mutating func report(_ event: Stream.Event) {
        if event == .hasBytesAvailable || event == .hasSpaceAvailable {
            self.isArmed = false
        } else {
            self.reported.insert(event)
        }
    }
}
