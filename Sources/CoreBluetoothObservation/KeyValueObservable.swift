// What can be observed, and how: `observe` as Foundation has it on Apple's platforms, and the values one after the other.

#if !canImport(ObjectiveC)
public import CoreBluetooth

/// An object of Core Bluetooth whose properties can be observed.
///
/// What changes is `state` of managers and peripherals, `isScanning`, `isAdvertising`, what is discovered, `name`,
/// `canSendWriteWithoutResponse`, and `value` and `isNotifying` of a peripheral's characteristics. Other properties have
/// their first value for good.
public protocol KeyValueObservable: AnyObject {}

extension CBManager: KeyValueObservable {}
extension CBPeripheral: KeyValueObservable {}
extension CBService: KeyValueObservable {}
extension CBCharacteristic: KeyValueObservable {}
/// All that a channel has stays as it is; its streams have a delegate.
extension CBL2CAPChannel: KeyValueObservable {}

extension KeyValueObservable {
    /// Calls a handler when a property has another value.
    ///
    /// The handler is called on the queue of the object's manager, in the order of the changes, before the delegate is
    /// called for the same event; what one event changes is reported in the order in which it is observed. A change that
    /// a call of the app makes, such as that of a peripheral's `state` by `connect(_:options:)`, is reported there, too,
    /// and not within that call. A value that is the same as before is no change. With
    /// ``NSKeyValueObservingOptions/initial`` the first call comes from within this one.
    ///
    /// - Parameters:
    ///   - keyPath: The property, such as `\.state`.
    ///   - options: What the handler is given.
    ///   - changeHandler: Gets the object and the change. The observation does not keep the object.
    /// - Returns: The observation, which ends when it is released.
    @preconcurrency
    public func observe<Value: Equatable>(
        _ keyPath: KeyPath<Self, Value>,
        options: NSKeyValueObservingOptions = [],
        changeHandler: @escaping @Sendable (Self, NSKeyValueObservedChange<Value>) -> Void
    ) -> NSKeyValueObservation {
        self.observation(of: keyPath, options, changeHandler)
    }

    /// The values of a property: the present one, then each other one that it gets.
    ///
    /// In place of `publisher(for:).values`. Who takes values slowly misses the oldest of more than 256. The iteration
    /// keeps the object, and has no end but that of its task.
    public func values<Value: Equatable & Sendable>(of keyPath: KeyPath<Self, Value>) -> PropertyValues<Value> {
        PropertyValues { receive in
            self.observation(of: keyPath, [.initial, .new]) { _, change in
                if let value = change.newValue { receive(value) }
            }
        }
    }

    private func observation<Value: Equatable>(
        of keyPath: KeyPath<Self, Value>,
        _ options: NSKeyValueObservingOptions,
        _ handler: @escaping (Self, NSKeyValueObservedChange<Value>) -> Void
    ) -> NSKeyValueObservation {
        let observation = self.owningObservation
        let list = observation?.observer { ObservationList() }
        let value = self[keyPath: keyPath]
        let property = ObservedProperty(of: self, keyPath, value: value, options, handler)
        if options.contains(.initial) { handler(self, NSKeyValueObservedChange(old: nil, new: value, options)) }
        list?.add(property)
        // The property may have changed since it was read.
        observation?.propertiesChanged()
        return NSKeyValueObservation(property, in: list)
    }

    /// Who observes the object's manager; `nil` where nothing of the object changes.
    private var owningObservation: PropertyObservation? {
        switch self {
        case let manager as CBManager: manager.propertyObservation
        case let peripheral as CBPeripheral: peripheral.propertyObservation
        case let service as CBService: service.peripheral?.propertyObservation
        case let characteristic as CBCharacteristic: characteristic.service?.peripheral?.propertyObservation
        default: nil
        }
    }
}
#endif
