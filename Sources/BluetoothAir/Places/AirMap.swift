// Finds the controllers that may hear a place: a grid whose cells are as large as the range of a sender of 0 dBm, so
// that a sender is heard only in its own cell and in the eight around it. Devices without a position are in no cell:
// the larger distance counts for them, so each of them may hear everybody.
//
// A result stays valid until something near it changes. Changes are numbered, and each cell has the number of its last
// one. An empty cell is removed, which invalidates all earlier results; so memory grows with the number of devices and
// not with the places where they have been.

/// A controller's index in the tables of its air; reused after the controller has left.
typealias AirSlot = Int

/// Where the controllers of an air are.
struct AirMap {
    /// A controller at a place.
    struct Entry {
        let slot: AirSlot
        /// The controller's number in the order of creation.
        let order: Int
        /// The number of the change that placed it here.
        let change: UInt64
        let location: AirLocation
    }

    private struct Cell: Hashable {
        var x: Int32
        var y: Int32

        init(x: Int32, y: Int32) { (self.x, self.y) = (x, y) }

        init(_ position: AirPosition) {
            // A coordinate is 10,000 km at most, so the quotient fits.
            self.x = Int32((position.x / AirMap.cellSize).rounded(.down))
            self.y = Int32((position.y / AirMap.cellSize).rounded(.down))
        }

        /// This cell and the eight around it.
        var neighbourhood: [Cell] {
            (-1...1).flatMap { dx in
                (-1...1).map { dy in Cell(x: self.x &+ dx, y: self.y &+ dy) }
            }
        }
    }

    private struct Content {
        var entries: [Entry] = []
        /// The number of the last change.
        var change: UInt64 = 0

        mutating func add(_ entry: Entry) {
            self.entries.append(entry)
            self.change = entry.change
        }

        mutating func remove(_ slot: AirSlot, _ change: UInt64) {
            self.entries.removeAll { $0.slot == slot }
            self.change = change
        }
    }

    /// The range of a sender of 0 dBm.
    static let cellSize = PathLoss.range(txPower: 0).metres

    private var cells: [Cell: Content] = [:]
    private var unplaced = Content()
    /// The number of the last change that emptied a cell.
    private var emptied: UInt64 = 0
    /// The number of the last change.
    private(set) var lastChange: UInt64 = 0

    /// The number of cells that are not empty.
    var cellCount: Int { self.cells.count }

    /// Adds a controller, or moves it from `before`.
    mutating func place(_ slot: AirSlot, order: Int, at location: AirLocation, before: AirLocation?) {
        if let before { self.remove(slot, at: before) }
        self.lastChange += 1
        let entry = Entry(slot: slot, order: order, change: self.lastChange, location: location)
        if let position = location.position {
            self.cells[Cell(position), default: Content()].add(entry)
        } else {
            self.unplaced.add(entry)
        }
    }

    /// Removes a controller.
    mutating func remove(_ slot: AirSlot, at location: AirLocation) {
        self.lastChange += 1
        guard let position = location.position else { return self.unplaced.remove(slot, self.lastChange) }
        let cell = Cell(position)
        self.cells[cell]?.remove(slot, self.lastChange)
        guard self.cells[cell]?.entries.isEmpty ?? false else { return }
        self.cells[cell] = nil
        self.emptied = self.lastChange
    }

    /// Whether the receivers of a sender of 0 dBm or less at a place are the same as after an earlier change.
    func isUnchanged(since change: UInt64, around location: AirLocation) -> Bool {
        if self.lastChange <= change { return true }
        guard let position = location.position, self.emptied <= change, self.unplaced.change <= change else {
            return false
        }
        return Cell(position).neighbourhood.allSatisfy { (self.cells[$0]?.change ?? 0) <= change }
    }

    /// A superset of the controllers that hear a sender of 0 dBm or less at a place, in the order of creation.
    func candidates(around location: AirLocation) -> [Entry] {
        guard let position = location.position else { return self.all }
        var candidates = self.unplaced.entries
        for cell in Cell(position).neighbourhood {
            for entry in self.cells[cell]?.entries ?? [] {
                guard let other = entry.location.position else { continue }
                let (dx, dy) = (other.x - position.x, other.y - position.y)
                if dx * dx + dy * dy <= Self.cellSize * Self.cellSize { candidates.append(entry) }
            }
        }
        return candidates.sorted { $0.order < $1.order }
    }

    /// All controllers in the order of creation.
    var all: [Entry] {
        (self.cells.values.flatMap(\.entries) + self.unplaced.entries).sorted { $0.order < $1.order }
    }
}
