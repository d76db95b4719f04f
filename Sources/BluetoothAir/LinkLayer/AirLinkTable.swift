// The links of a controller by their handles. Handles are assigned in order, so that the handle of an ended link is not
// reused soon; a handle's low bits are its index in the table, so a lookup needs no hashing.

import BluetoothHCI

/// Links by connection handle.
struct AirLinkTable {
    /// A link and this controller's end of it.
    struct Entry {
        let link: AirLink
        let end: LinkEnd
    }

    private var slots: [Entry?]
    private let mask: Int
    private let limit: Int
    private var nextHandle: UInt16
    private(set) var count = 0

    // Handles from 0x0F00 on are reserved (Vol 4, Part E, 5.4.2).
    static let endOfHandles: UInt16 = 0x0F00

    init(limit: Int, firstHandle: UInt16 = 0x0040) {
        self.nextHandle = firstHandle
        var size = 1
        while size < limit { size *= 2 }
        self.slots = Array(repeating: nil, count: size)
        self.mask = size - 1
        self.limit = limit
    }

    /// Whether the table has its maximum of links.
    var isFull: Bool { self.count >= self.limit }

    /// The link with a handle.
    subscript(handle: ConnectionHandle) -> Entry? {
        guard let entry = self.slots[Int(handle.rawValue) & self.mask], entry.end.handle == handle else { return nil }
        return entry
    }

    /// Creates a handle for another link; the table must not be full.
    mutating func makeHandle() -> ConnectionHandle {
        precondition(!self.isFull, "the table of links is full")
        while true {
            let handle = self.nextHandle
            self.nextHandle = handle + 1 == Self.endOfHandles ? 0 : handle + 1
            if self.slots[Int(handle) & self.mask] == nil { return ConnectionHandle(rawValue: handle) }
        }
    }

    mutating func insert(_ entry: Entry) {
        self.slots[Int(entry.end.handle.rawValue) & self.mask] = entry
        self.count += 1
    }

    mutating func remove(_ handle: ConnectionHandle) {
        let slot = Int(handle.rawValue) & self.mask
        guard let entry = self.slots[slot], entry.end.handle == handle else { return }
        self.slots[slot] = nil
        self.count -= 1
    }

    mutating func removeAll() -> [Entry] {
        let entries = self.entries
        self.slots = Array(repeating: nil, count: self.slots.count)
        self.count = 0
        return entries
    }

    /// All links, by their index.
    var entries: [Entry] { self.count == 0 ? [] : self.slots.compactMap(\.self) }
}
