// The observed properties of a manager and its peripherals. Each property is compared with its known value whenever
// something may have changed it: after a call of the app, and on the manager's queue before a delegate is called. The
// changes wait in one queue, so that handlers are called in the order of the changes, on the manager's queue only.

#if !canImport(ObjectiveC)
import CoreBluetooth
import DequeModule
import NIOConcurrencyHelpers

/// One observation of one property.
final class ObservedProperty {
    /// Returns the call of the handler for the change since the last call of this closure; `nil` if there is none.
    let takeChange: () -> (() -> Void)?
    /// Guarded by the list's lock.
    fileprivate(set) var isObserved = true

    /// - Parameter value: The value that the handler knows.
    init<Object: AnyObject, Value: Equatable>(
        of object: Object,
        _ keyPath: KeyPath<Object, Value>,
        value: Value,
        _ options: NSKeyValueObservingOptions,
        _ handler: @escaping (Object, NSKeyValueObservedChange<Value>) -> Void
    ) {
        var known = value
        // As in key-value observation, an observation does not retain the object.
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

    /// Starts observing a property.
    func add(_ property: ObservedProperty) { self.lock.withLock { self.properties.append(property) } }

    /// Ends an observation.
    func remove(_ property: ObservedProperty) {
        // Release the handler's captures outside of the lock.
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
        // A handler may change properties, too: those changes join the same queue.
        while let (property, call) = self.lock.withLock({ self.due.popFirst() }) {
            if self.lock.withLock({ property.isObserved }) { call() }
        }
    }
}
#endif
