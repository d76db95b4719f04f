// The characteristics of a device that notify our host. BlueZ reports a notified value and a read value in the same
// way, so values that arrive during a read of ours are kept until the read has ended.

import NIOCore

/// The characteristics of a device that notify our host, by their paths.
struct Subscriptions {
    private struct Reading {
        var count = 1
        var held: [ByteBuffer] = []
    }

    /// The paths of those that notify.
    private(set) var active: Set<String> = []
    private var reading: [String: Reading] = [:]

    /// More values than these are not kept while a read lasts.
    private static let heldLimit = 256

    func isActive(_ path: String) -> Bool { self.active.contains(path) }

    mutating func begin(_ path: String) { self.active.insert(path) }

    mutating func end(_ path: String) { self.active.remove(path) }

    /// Keeps the subscriptions that still have an attribute.
    mutating func forget(unless isKept: (String) -> Bool) {
        self.active = self.active.filter(isKept)
        self.reading = self.reading.filter { isKept($0.key) }
    }

    mutating func readBegan(_ path: String) {
        if self.reading[path] == nil { self.reading[path] = Reading() } else { self.reading[path]?.count += 1 }
    }

    /// A read has ended; returns the values that were notified meanwhile.
    mutating func readEnded(_ path: String, value: ByteBuffer?) -> [ByteBuffer] {
        guard let reading = self.reading[path] else { return [] }
        var held = reading.held
        // BlueZ reports the value that was read just before it answers.
        if let value, let last = held.lastIndex(of: value) { held.remove(at: last) }
        self.reading[path] = reading.count > 1 ? Reading(count: reading.count - 1) : nil
        return self.isActive(path) ? held : []
    }

    /// A value was reported; returns it if it is to go to our host now.
    mutating func received(_ value: ByteBuffer, of path: String) -> ByteBuffer? {
        guard self.isActive(path) else { return nil }
        guard let reading = self.reading[path] else { return value }
        if reading.held.count < Self.heldLimit { self.reading[path]?.held.append(value) }
        return nil
    }
}
