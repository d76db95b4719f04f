// What the module CoreBluetoothObservation stands on: it is called when properties that apps can read may have changed.
// Nothing is kept, compared or called here while nobody observes.

/// Compares the properties that are observed with what they were.
package protocol PropertyObserver: AnyObject {
    /// A call of the app may have changed properties; on that call's thread.
    func propertiesChanged()
    /// On the manager's queue, before the delegate is called.
    func deliverChanges()
}

/// Who observes properties of a manager and of its peripherals.
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

    /// The observer; `make` makes it where there is none yet.
    package func observer<Observer: PropertyObserver>(orElse make: () -> Observer) -> Observer? {
        self.lock.withLock {
            if self.observer == nil { self.observer = make() }
            return self.observer as? Observer
        }
    }

    /// After a call of the app that changes something: what has changed is delivered on the manager's queue, as all
    /// else is.
    package func propertiesChanged() {
        guard let observer = self.lock.withLock({ self.observer }) else { return }
        observer.propertiesChanged()
        self.wakeQueue()
    }

    /// A delegate, to be called now on the manager's queue: who observes is called first.
    func inform<Delegate>(before delegate: () -> Delegate?) -> Delegate? {
        self.inform(of: {}, before: { _ in delegate() }).1
    }

    /// Takes in a change, and finds a delegate to be called now on the manager's queue: who observes is called first.
    /// Both under the lock, which is taken once where nobody observes.
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

    /// On the manager's queue, with no event for it.
    func deliverChanges() { self.lock.withLock { self.observer }?.deliverChanges() }
}

// MARK: Whose observation it is

extension CBPeripheral {
    /// Who observes properties of this peripheral's manager.
    package var propertyObservation: PropertyObservation { self.context.observation }

    /// The delegate, to be called now: who observes properties is called first.
    var informedDelegate: (any CBPeripheralDelegate)? {
        self.propertyObservation.inform { self.delegateStorage }
    }
}
