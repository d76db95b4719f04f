// Observation of properties: `observe` as in Foundation on Apple's platforms, and an asynchronous sequence of values.

#if !canImport(ObjectiveC)
public import CoreBluetooth

/// An object of Core Bluetooth whose properties can be observed.
///
/// The properties that change are `state` of managers and peripherals, `isScanning`, `isAdvertising`, discovered
/// attributes, `name`, `canSendWriteWithoutResponse`, and `value` and `isNotifying` of a peripheral's characteristics.
/// Other properties never change.
public protocol KeyValueObservable: AnyObject {}

extension CBManager: KeyValueObservable {}
extension CBPeripheral: KeyValueObservable {}
extension CBService: KeyValueObservable {}
extension CBCharacteristic: KeyValueObservable {}
/// The properties of a channel never change; its streams have a delegate.
extension CBL2CAPChannel: KeyValueObservable {}

extension KeyValueObservable {
    /// Calls a handler when the value of a property changes.
    ///
    /// The handler is called on the queue of the object's manager, in the order of the changes, before the delegate is
    /// called for the same event; changes of one event are reported in the order of the observations. A change by a
    /// call of the app, such as that of a peripheral's `state` by `connect(_:options:)`, is also reported there, and
    /// not within that call. An equal value is not a change. With ``NSKeyValueObservingOptions/initial`` the first call
    /// occurs within this one.
    ///
    /// - Parameters:
    ///   - keyPath: The property, such as `\.state`.
    ///   - options: The values that the handler gets.
    ///   - changeHandler: Gets the object and the change. The observation does not retain the object.
    /// - Returns: The observation, which ends when it is deallocated.
    @preconcurrency
    public func observe<Value: Equatable>(
        _ keyPath: KeyPath<Self, Value>,
        options: NSKeyValueObservingOptions = [],
        changeHandler: @escaping @Sendable (Self, NSKeyValueObservedChange<Value>) -> Void
    ) -> NSKeyValueObservation {
        self.observation(of: keyPath, options, changeHandler)
    }

    /// The values of a property: the present one, then each new one.
    ///
    /// A replacement for `publisher(for:).values`. A slow consumer misses the oldest of more than 256 pending values.
    /// The iteration retains the object, and ends only with its task.
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

    /// The observation of the object's manager; `nil` if no property of the object changes.
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
