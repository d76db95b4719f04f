// Live events for open pages: which sensors are connected, and that new values are stored. Bluetooth and the database
// post events from any thread; pages wait for the next one. Values are read from the database, so an event that arrives
// while a page is busy costs nothing.

/// The live part of the logger's state.
package actor LiveBoard {
    /// An event.
    package enum Event: Sendable {
        /// A sensor is connected; its key in the database.
        case connected(Int64)
        /// A sensor disconnected.
        case disconnected(Int64)
        /// New values were stored.
        case stored
        /// Time has passed.
        case beat
        /// A page is closed.
        case closed
    }

    /// The maximum number of open pages.
    static let pageLimit = 32

    private let events: AsyncStream<Event>
    private nonisolated let continuation: AsyncStream<Event>.Continuation
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var pageCount = 0
    /// The number of events.
    private(set) var version = 0
    /// The sensors that are connected.
    private(set) var connected: Set<Int64> = []

    /// A board without events.
    package init() { (self.events, self.continuation) = AsyncStream.makeStream() }

    /// Posts an event; from any thread, in order.
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
    /// - Returns: A handle that keeps the page open; `nil` if too many are open.
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
