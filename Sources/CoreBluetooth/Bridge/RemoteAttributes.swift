// The attribute objects of a connected peripheral by handle: flat sorted tables, since every notification looks here.

import BluetoothHost

/// Objects by attribute handle.
struct HandleTable<Object> {
    private var orderedHandles: ContiguousArray<AttributeHandle> = []
    private var objects: ContiguousArray<Object> = []

    /// All handles, in order.
    var handles: ContiguousArray<AttributeHandle> { self.orderedHandles }

    /// All objects, lowest handle first.
    var all: ContiguousArray<Object> { self.objects }

    /// The place of a handle, or where it would go.
    @inline(__always)
    private func place(of handle: AttributeHandle) -> Int {
        var low = 0
        var high = self.orderedHandles.count
        while low < high {
            let middle = (low + high) / 2
            if self.orderedHandles[middle] < handle { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The object of a handle.
    subscript(handle: AttributeHandle) -> Object? {
        @inline(__always)
        get {
            let place = self.place(of: handle)
            guard place < self.orderedHandles.count, self.orderedHandles[place] == handle else { return nil }
            return self.objects[place]
        }
        set {
            let place = self.place(of: handle)
            let isThere = place < self.orderedHandles.count && self.orderedHandles[place] == handle
            switch (newValue, isThere) {
            case (let object?, true): self.objects[place] = object
            case (let object?, false):
                self.orderedHandles.insert(handle, at: place)
                self.objects.insert(object, at: place)
            case (nil, true):
                self.orderedHandles.remove(at: place)
                self.objects.remove(at: place)
            case (nil, false): break
            }
        }
    }

    /// The object of a handle, else another one, which is put in its place when it is changed.
    subscript(handle: AttributeHandle, default other: @autoclosure () -> Object) -> Object {
        get { self[handle] ?? other() }
        set { self[handle] = newValue }
    }

    /// Takes out the objects whose handles lie in `range`, lowest handle first.
    mutating func remove(in range: AttributeHandleRange) -> [Object] {
        let first = self.place(of: range.lowerBound)
        var end = first
        while end < self.orderedHandles.count, self.orderedHandles[end] <= range.upperBound { end += 1 }
        let removed = Array(self.objects[first..<end])
        self.orderedHandles.removeSubrange(first..<end)
        self.objects.removeSubrange(first..<end)
        return removed
    }
}

/// The attribute objects of one connection.
struct RemoteAttributes {
    /// By the declaration's handle; services that were only found as included ones, too.
    var services = HandleTable<CBService>()
    /// By the value's handle.
    var characteristics = HandleTable<CBCharacteristic>()
    /// By the descriptor's handle.
    var descriptors = HandleTable<CBDescriptor>()
}
