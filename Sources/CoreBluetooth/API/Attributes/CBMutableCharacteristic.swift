// Characteristics that this app publishes.

import BluetoothHost
public import Foundation

/// A characteristic that this app can publish as a part of a ``CBMutableService``.
///
/// Apple documents it as `CBMutableCharacteristic`.
open class CBMutableCharacteristic: CBCharacteristic {
    private var permissionsStorage: CBAttributePermissions
    // Guarded by the lock.
    @exclusivity(unchecked) var subscribedStorage: [CBCentral] = []
    /// The handle of the value, while the characteristic is published.
    @exclusivity(unchecked) var publishedHandle: AttributeHandle?

    /// Creates a characteristic. With a value it is static: the system answers reads, and it cannot be written. Without
    /// one the app is asked each time.
    ///
    /// Adding its service reports properties that cannot be published, `broadcast` and `extendedProperties`, with
    /// ``CBError/Code/invalidParameters``.
    public init(
        type UUID: CBUUID,
        properties: CBCharacteristicProperties,
        value: Data?,
        permissions: CBAttributePermissions
    ) {
        self.permissionsStorage = permissions
        super.init(type: UUID, properties: properties, value: value, record: nil, service: nil, lock: ObjectLock())
    }

    /// The permissions to read and write the value.
    ///
    /// A change after the service was published has no effect.
    open var permissions: CBAttributePermissions {
        get { self.lock.withLock { self.permissionsStorage } }
        set { self.lock.withLock { self.permissionsStorage = newValue } }
    }

    /// The centrals that are subscribed to the value.
    open var subscribedCentrals: [CBCentral]? { self.lock.withLock { self.subscribedStorage } }

    /// The supported operations.
    ///
    /// Changes after the service was published have no effect.
    open override var properties: CBCharacteristicProperties {
        get { super.properties }
        set { self.lock.withLock { self.propertiesStorage = newValue } }
    }

    /// The value; if the service was published without one, for the app's own use.
    open override var value: Data? {
        get { super.value }
        set { self.lock.withLock { self.valueStorage = newValue } }
    }

    /// The descriptors to publish.
    ///
    /// Changes after the service was published have no effect.
    open override var descriptors: [CBDescriptor]? {
        get { super.descriptors }
        set {
            self.lock.withLock { self.descriptorsStorage = newValue }
            for descriptor in newValue ?? [] {
                descriptor.lock.withLock { descriptor.ownerStorage = self }
            }
        }
    }
}
