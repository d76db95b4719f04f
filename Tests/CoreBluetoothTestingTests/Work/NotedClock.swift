// Fake process clocks, for tests of a world's calls.

@testable import CoreBluetoothTesting

extension WorkOwner {
    /// The owner of the first start on the first device of a world.
    static func first(_ work: WorldWork) -> WorkOwner {
        WorkOwner(work, order: WorkOrder(device: 0, start: 1), streams: 1, context: nil)
    }
}

final class NotedClock: ProcessClock, @unchecked Sendable {
    // Unchecked: one thread uses it, that of the test.

    struct Awake: Error, CustomStringConvertible {
        var description: String { "a thread is awake" }
    }

    private(set) var notes: [String] = []
    private(set) var limits: [Duration] = []
    var isAwake = false
    private var deadlines: [UInt64]
    private(set) var streams: [UInt64] = []
    private var place: UInt64 = 0

    init(_ deadlines: [UInt64] = []) { self.deadlines = deadlines }

    func note(_ text: String) { self.notes.append(text) }

    func takeNotes() -> [String] {
        defer { self.notes = [] }
        return self.notes
    }

    var nextDeadline: UInt64? { self.deadlines.first }

    func advance(to nanoseconds: UInt64) {
        self.note("advance \(nanoseconds)")
        if let first = self.deadlines.first, first <= nanoseconds { self.deadlines.removeFirst() }
    }

    func rest(within limit: Duration) throws {
        self.note("rest")
        self.limits.append(limit)
        if self.isAwake { throw Awake() }
    }

    func setRandomStream(_ identifier: UInt64) -> UInt64 {
        defer { self.streams.append(identifier) }
        self.note(identifier == 0 ? "no stream" : "a stream")
        return self.streams.last ?? 0
    }

    func setPlace(_ place: UInt64) -> UInt64 {
        defer { self.place = place }
        self.note("place \(place)")
        return self.place
    }

    func serve(_ work: () -> Void, step: @escaping () -> Bool) {
        self.note("serve")
        work()
        self.note("served \(step())")
    }

    func end() { self.note("end") }
}
