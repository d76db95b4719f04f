// What an open page has to know at once: which sensors are connected, and that something new is stored. Bluetooth and
// the database post events from any thread; pages wait for the next one. What is stored is read from the database, so
// an event that comes while a page is still sent another one costs nothing.

/// The live part of the logger's state.
package actor LiveBoard {
    /// What has happened.
    package enum Event: Sendable {
        /// A sensor is connected; its key in the database.
        case connected(Int64)
        /// A sensor is not connected any more.
        case disconnected(Int64)
        /// Something was stored.
        case stored
        /// Time has passed.
        case beat
        /// A page is closed.
        case closed
    }

    /// The most pages that are open at once.
    static let pageLimit = 32

    private let events: AsyncStream<Event>
    private nonisolated let continuation: AsyncStream<Event>.Continuation
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var pageCount = 0
    /// How many events there were.
    private(set) var version = 0
    /// The sensors that are connected.
    private(set) var connected: Set<Int64> = []

    /// A board without events.
    package init() { (self.events, self.continuation) = AsyncStream.makeStream() }

    /// Something has happened; from any thread, in order.
    package nonisolated func post(_ event: Event) { self.continuation.yield(event) }

    /// Takes events until the task is cancelled.
    package func run() async {
        for await event in self.events {
            switch event {
            case .connected(let sensor): self.connected.insert(sensor)
            case .disconnected(let sensor): self.connected.remove(sensor)
            case .closed: self.pageCount -= 1
            case .stored, .beat: break
            }
            self.version += 1
            let waiting = self.waiting
            self.waiting = []
            for continuation in waiting { continuation.resume() }
        }
    }

    /// Waits for an event that comes after `version`.
    func wait(after version: Int) async {
        guard self.version == version else { return }
        await withCheckedContinuation { self.waiting.append($0) }
    }

    /// A page opens.
    ///
    /// - Returns: What is open until it is released; `nil` where too many are.
    func open() -> OpenPage? {
        guard self.pageCount < Self.pageLimit else { return nil }
        self.pageCount += 1
        return OpenPage(board: self)
    }
}

/// A page that is open.
final class OpenPage: Sendable {
    private let board: LiveBoard

    init(board: LiveBoard) { self.board = board }

    deinit { self.board.post(.closed) }
}
