// Which controllers may hear a place: a grid of cells as large as the distance over which a sender of 0 dBm is heard, so
// that a sender is heard in its own cell and in the eight around it. Devices without a position are in no cell: the
// larger distance of two counts there, so each of them may hear everybody.
//
// What was looked up stays valid until something near it changes. Changes are numbered, and each cell has the number of
// its last one; a cell that becomes empty is forgotten, and everything looked up before that is looked up again. So
// memory follows the number of devices, wherever they have been.

/// A controller's place in the tables of its air; used again when the controller has gone.
typealias AirSlot = Int

/// Where the controllers of an air are.
struct AirMap {
    /// A controller at a place.
    struct Entry {
        let slot: AirSlot
        /// The controller's number in the order of creation.
        let order: Int
        /// The number of the change that brought it here.
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

    /// The distance over which a sender of 0 dBm is heard.
    static let cellSize = PathLoss.range(txPower: 0).metres

    private var cells: [Cell: Content] = [:]
    private var unplaced = Content()
    /// The number of the last change by which a cell became empty.
    private var emptied: UInt64 = 0
    /// The number of the last change.
    private(set) var lastChange: UInt64 = 0

    /// How many cells anybody is in.
    var cellCount: Int { self.cells.count }

    /// Adds a controller, or moves it from where it was.
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

    /// Whether nothing has changed since a change among those that hear a sender of 0 dBm or less at a place.
    func isUnchanged(since change: UInt64, around location: AirLocation) -> Bool {
        if self.lastChange <= change { return true }
        guard let position = location.position, self.emptied <= change, self.unplaced.change <= change else {
            return false
        }
        return Cell(position).neighbourhood.allSatisfy { (self.cells[$0]?.change ?? 0) <= change }
    }

    /// All that may hear a sender of 0 dBm or less at a place, and perhaps more; in the order of creation.
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

    /// All, in the order of creation.
    var all: [Entry] {
        (self.cells.values.flatMap(\.entries) + self.unplaced.entries).sorted { $0.order < $1.order }
    }
}
