// The attribute objects of a connected peripheral by handle: flat sorted tables, since every notification searches
// them.

import BluetoothHost

/// Objects by attribute handle.
typealias HandleTable<Object> = SortedTable<AttributeHandle, Object>

/// A few objects by a key that is cheaper to compare than to hash.
struct SortedTable<Key: Comparable, Object> {
    /// All keys, in order.
    private(set) var keys: ContiguousArray<Key> = []
    private var objects: ContiguousArray<Object> = []

    /// All objects, lowest key first.
    var all: ContiguousArray<Object> { self.objects }

    /// The index of a key, or the index at which it would be inserted.
    @inline(__always)
    private func place(of key: Key) -> Int {
        var low = 0
        var high = self.keys.count
        while low < high {
            let middle = (low + high) / 2
            if self.keys[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The object of a key.
    subscript(key: Key) -> Object? {
        @inline(__always)
        get {
            let place = self.place(of: key)
            guard place < self.keys.count, self.keys[place] == key else { return nil }
            return self.objects[place]
        }
        set {
            let place = self.place(of: key)
            let isThere = place < self.keys.count && self.keys[place] == key
            switch (newValue, isThere) {
            case (let object?, true): self.objects[place] = object
            case (let object?, false):
                self.keys.insert(key, at: place)
                self.objects.insert(object, at: place)
            case (nil, true):
                self.keys.remove(at: place)
                self.objects.remove(at: place)
            case (nil, false): break
            }
        }
    }

    /// Calls `body` with the object of a key, without a copy of it; false if there is none.
    @inline(__always)
    @discardableResult
    func withObject(of key: Key, _ body: (borrowing Object) -> Void) -> Bool {
        let place = self.place(of: key)
        guard place < self.keys.count, self.keys[place] == key else { return false }
        body(self.objects[place])
        return true
    }

    /// The object of a key, else another one, which is added when it is changed.
    subscript(key: Key, default other: @autoclosure () -> Object) -> Object {
        get { self[key] ?? other() }
        set { self[key] = newValue }
    }

    /// Removes and returns the objects whose keys are in `range`, lowest key first.
    mutating func remove(in range: ClosedRange<Key>) -> [Object] {
        let first = self.place(of: range.lowerBound)
        var end = first
        while end < self.keys.count, self.keys[end] <= range.upperBound { end += 1 }
        let removed = Array(self.objects[first..<end])
        self.keys.removeSubrange(first..<end)
        self.objects.removeSubrange(first..<end)
        return removed
    }
}

/// The attribute objects of one connection.
struct RemoteAttributes {
    /// By the declaration's handle, included services among them.
    var services = HandleTable<CBService>()
    /// By the value's handle.
    var characteristics = HandleTable<CBCharacteristic>()
    /// By the descriptor's handle.
    var descriptors = HandleTable<CBDescriptor>()
}
