// What is observed of a manager and its peripherals. Each property is compared with what it was whenever something may
// have changed it: after a call of the app, and on the manager's queue before a delegate is called. The changes wait in
// one row, so that handlers are called in the order of the changes, on that queue alone.

#if !canImport(ObjectiveC)
import CoreBluetooth
import DequeModule
import NIOConcurrencyHelpers

/// One observation of one property.
final class ObservedProperty {
    /// The call of the handler for the change since the last time that this was asked; `nil` where there is none.
    let takeChange: () -> (() -> Void)?
    /// Guarded by the list's lock.
    fileprivate(set) var isObserved = true

    /// - Parameter value: What the property is now, as the handler knows it.
    init<Object: AnyObject, Value: Equatable>(
        of object: Object,
        _ keyPath: KeyPath<Object, Value>,
        value: Value,
        _ options: NSKeyValueObservingOptions,
        _ handler: @escaping (Object, NSKeyValueObservedChange<Value>) -> Void
    ) {
        var known = value
        // As key-value observation has it, what observes an object does not keep it.
        self.takeChange = { [weak object] in
            guard let object else { return nil }
            let present = object[keyPath: keyPath]
            guard present != known else { return nil }
            let change = NSKeyValueObservedChange(old: known, new: present, options)
            known = present
            return { handler(object, change) }
        }
    }
}

/// All observations of a manager and its peripherals.
final class ObservationList: PropertyObserver {
    private let lock = NIOLock()
    // Guarded by the lock.
    private var properties: [ObservedProperty] = []
    private var due: Deque<(property: ObservedProperty, call: () -> Void)> = []

    /// Begins to observe a property.
    func add(_ property: ObservedProperty) { self.lock.withLock { self.properties.append(property) } }

    /// Ends an observation.
    func remove(_ property: ObservedProperty) {
        // What the handler holds is released after the lock is free.
        let removed = self.lock.withLock { () -> [ObservedProperty] in
            property.isObserved = false
            defer { self.properties.removeAll { $0 === property } }
            return self.properties.filter { $0 === property }
        }
        withExtendedLifetime(removed) {}
    }

    func propertiesChanged() {
        self.lock.withLock {
            for property in self.properties {
                if let call = property.takeChange() { self.due.append((property, call)) }
            }
        }
    }

    func deliverChanges() {
        self.propertiesChanged()
        // A handler may change properties, too: those wait their turn in the same row.
        while let (property, call) = self.lock.withLock({ self.due.popFirst() }) {
            if self.lock.withLock({ property.isObserved }) { call() }
        }
    }
}
#endif
