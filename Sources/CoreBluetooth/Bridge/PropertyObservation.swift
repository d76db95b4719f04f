// The base of the module CoreBluetoothObservation, which is called when properties that apps can read may have changed.
// Without an observer nothing is stored, compared or called.

/// Compares the properties that are observed with what they were.
package protocol PropertyObserver: AnyObject {
    /// A call of the app may have changed properties; on that call's thread.
    func propertiesChanged()
    /// On the manager's queue, before the delegate is called.
    func deliverChanges()
}

/// The observer of properties of a manager and of its peripherals.
package final class PropertyObservation {
    private let lock: ObjectLock
    private let wakeQueue: () -> Void
    /// Guarded by the lock.
    private(set) var observer: (any PropertyObserver)?

    /// - Parameters:
    ///   - lock: The manager's, which guards everything observable.
    ///   - wakeQueue: Lets the manager deliver changes on its queue.
    init(lock: ObjectLock, wakeQueue: @escaping () -> Void) {
        self.lock = lock
        self.wakeQueue = wakeQueue
    }

    /// The observer; `make` creates it if there is none yet.
    package func observer<Observer: PropertyObserver>(orElse make: () -> Observer) -> Observer? {
        self.lock.withLock {
            if self.observer == nil { self.observer = make() }
            return self.observer as? Observer
        }
    }

    /// After a call of the app that changes properties: the changes are delivered on the manager's queue.
    package func propertiesChanged() {
        guard let observer = self.lock.withLock({ self.observer }) else { return }
        observer.propertiesChanged()
        self.wakeQueue()
    }

    /// A delegate, to be called now on the manager's queue; the observer is called first.
    func inform<Delegate>(before delegate: () -> Delegate?) -> Delegate? {
        self.inform(of: {}, before: { _ in delegate() }).1
    }

    /// Makes a change, and finds a delegate to be called now on the manager's queue; the observer is called first. Both
    /// under the lock, which is taken once if there is no observer.
    @inline(__always)
    func inform<Change, Delegate>(
        of change: () -> Change,
        before delegate: (Change) -> Delegate?
    ) -> (Change, Delegate?) {
        let (change, present, observer) = self.lock.withLock {
            let change = change()
            return (change, delegate(change), self.observer)
        }
        guard let observer else { return (change, present) }
        observer.deliverChanges()
        // It may have set another one.
        return (change, self.lock.withLock { delegate(change) })
    }

    /// On the manager's queue, without an event.
    func deliverChanges() { self.lock.withLock { self.observer }?.deliverChanges() }
}

// MARK: Peripherals

extension CBPeripheral {
    /// The observation of this peripheral's manager.
    package var propertyObservation: PropertyObservation { self.context.observation }

    /// The delegate, to be called now; the observer of properties is called first.
    var informedDelegate: (any CBPeripheralDelegate)? {
        self.propertyObservation.inform { self.delegateStorage }
    }
}
