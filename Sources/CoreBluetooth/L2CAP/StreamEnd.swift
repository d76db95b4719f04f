// One of a channel's two streams as its pipe knows it: how far its life is, and which events its delegate is owed. Values
// only; the pipe's lock guards them.

import Dispatch
import Foundation

/// The state of one stream.
struct StreamEnd {
    /// How far a stream's life is.
    enum Phase {
        /// Made, and not opened by the app.
        case notOpen
        /// Opened.
        case open
        /// An operation failed; nothing works any more.
        case failed(POSIXErrorCode)
        /// Closed by the app.
        case closed
    }

    /// What a stream can do at a moment.
    struct Prospects {
        /// There are octets to read, or there is room to write.
        var isReady: Bool
        /// Nothing comes or goes any more.
        var isAtEnd: Bool
    }

    private(set) var phase = Phase.notOpen
    /// Why the last operation was not done, where the next one may be.
    private var refusal: POSIXErrorCode?
    /// What the delegate was told already and is told once.
    private var told: Stream.Event = []
    /// Whether readiness is to be told: from the beginning, and again after each read or write.
    private var isArmed = true
    /// Threads that wait for something to change.
    private var waiting: [DispatchSemaphore] = []

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

    /// An operation was not done.
    mutating func note(_ code: POSIXErrorCode) { self.refusal = code }

    /// The app read or wrote, so that it is to be told of the next readiness.
    mutating func arm() {
        self.isArmed = true
        self.refusal = nil
    }

    /// How the stream describes itself.
    func status(_ prospects: Prospects) -> Stream.Status {
        switch self.phase {
        case .notOpen: .notOpen
        case .open: prospects.isAtEnd ? .atEnd : .open
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

    /// The event that the delegate is to be told next.
    func nextEvent(_ readiness: Stream.Event, _ prospects: Prospects) -> Stream.Event? {
        switch self.phase {
        case .notOpen, .closed: return nil
        case .failed: return self.told.contains(.errorOccurred) ? nil : .errorOccurred
        case .open:
            if !self.told.contains(.openCompleted) { return .openCompleted }
            if self.isArmed, prospects.isReady { return readiness }
            return prospects.isAtEnd && !self.told.contains(.endEncountered) ? .endEncountered : nil
        }
    }

    /// The delegate is told an event now.
    mutating func tell(_ event: Stream.Event) {
        if event == .hasBytesAvailable || event == .hasSpaceAvailable {
            self.isArmed = false
        } else {
            self.told.insert(event)
        }
    }

    // MARK: Waiting threads

    /// Makes what a thread waits with.
    mutating func wait() -> DispatchSemaphore {
        let semaphore = DispatchSemaphore(value: 0)
        self.waiting.append(semaphore)
        return semaphore
    }

    /// Lets all waiting threads look again.
    mutating func wake() {
        guard !self.waiting.isEmpty else { return }
        for semaphore in self.waiting { semaphore.signal() }
        self.waiting.removeAll()
    }
}
