// Values that come before any app has subscribed on the link. A server keeps the Client Characteristic Configuration of
// a bonded client (Vol 3, Part G, 3.3.3.3), so it may send as soon as the link is encrypted, before this side has
// discovered anything; and a server's app is not informed again when the descriptor is written with the value that it
// has. The first app that subscribes gets them, right after the answer to its subscription.

import BluetoothHost
import NIOCore

/// The latest values of characteristics without a subscriber on this link.
struct EarlyValues {
    /// The number of characteristics with values here; values of further ones are dropped.
    static let characteristicLimit = 16
    /// The number of values kept of one characteristic; of more, the oldest are dropped, so that there is no gap before
    /// what comes next.
    static let valueLimit = 64

    private var values = HandleTable<ContiguousArray<ByteBuffer>>()

    /// Whether values of a characteristic wait.
    @inline(__always)
    func contains(_ handle: AttributeHandle) -> Bool { !self.values.keys.isEmpty && self.values[handle] != nil }

    /// Keeps a value.
    mutating func add(_ value: ByteBuffer, for handle: AttributeHandle) {
        var kept = self.values[handle] ?? []
        guard !kept.isEmpty || self.values.keys.count < Self.characteristicLimit else { return }
        if kept.count == Self.valueLimit { kept.removeFirst() }
        // A copy, which does not hold the packet.
        kept.append(ByteBuffer(bytes: value.readableBytesView))
        self.values[handle] = kept
    }

    /// Takes the values of a characteristic, oldest first.
    mutating func take(_ handle: AttributeHandle) -> ContiguousArray<ByteBuffer> {
        defer { self.values[handle] = nil }
        return self.values[handle] ?? []
    }

    /// Removes the values of characteristics that are gone.
    mutating func remove(in range: AttributeHandleRange) { _ = self.values.remove(in: range) }
}
