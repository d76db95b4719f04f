// The recipe "Associated objects" of the page "Porting an app".

import CoreBluetooth

/// Values beside objects, instead of `objc_setAssociatedObject`. A value goes with the next change after its object
/// has gone.
final class AssociatedValues<Value: Sendable>: @unchecked Sendable {
    // Unchecked: the lock is held wherever the entries are used.
    private struct Entry {
        weak var object: AnyObject?
        var value: Value
    }

    private let lock = NSLock()
    private var entries: [ObjectIdentifier: Entry] = [:]

    subscript(object: AnyObject) -> Value? {
        get {
            self.lock.withLock {
                let entry = self.entries[ObjectIdentifier(object)]
                return entry?.object === object ? entry?.value : nil
            }
        }
        set {
            self.lock.withLock {
                self.entries = self.entries.filter { $0.value.object != nil }
                self.entries[ObjectIdentifier(object)] = newValue.map { Entry(object: object, value: $0) }
            }
        }
    }
}

private let nicknames = AssociatedValues<String>()

extension CBPeripheral {
    var nickname: String? {
        get { nicknames[self] }
        set { nicknames[self] = newValue }
    }
}
