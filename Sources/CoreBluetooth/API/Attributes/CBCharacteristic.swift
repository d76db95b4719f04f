// Characteristics of remote peripherals.

package import BluetoothHost
import BluetoothTypes
public import Foundation

/// A characteristic: a value of at most 512 octets with properties and descriptors.
///
/// A remote peripheral's characteristic is valid until its connection ends or its service is removed.
///
/// Apple documents it as `CBCharacteristic`.
open class CBCharacteristic: CBAttribute {
    /// A remote characteristic's place in its peripheral's database.
    let record: GATTRemoteCharacteristic?
    weak var ownerStorage: CBService?
    var propertiesStorage: CBCharacteristicProperties
    @exclusivity(unchecked) final var valueStorage: Data?
    var descriptorsStorage: [CBDescriptor]?
    var notifyingStorage = false

    init(
        type: CBUUID,
        properties: CBCharacteristicProperties,
        value: Data?,
        record: GATTRemoteCharacteristic?,
        service: CBService?,
        lock: ObjectLock
    ) {
        self.record = record
        self.ownerStorage = service
        self.propertiesStorage = properties
        self.valueStorage = value
        super.init(type: type, lock: lock)
    }

    /// The handle of a remote characteristic's value. Not in Apple's interface.
    package var handle: AttributeHandle? { self.record?.valueHandle }

    /// The service that the characteristic belongs to.
    open var service: CBService? { self.lock.withLock { self.ownerStorage } }

    /// The supported operations, as the peripheral declares them.
    open var properties: CBCharacteristicProperties { self.lock.withLock { self.propertiesStorage } }

    /// The value that was last read, or sent by the peripheral; `nil` before that.
    ///
    /// Writing does not change it.
    open var value: Data? { self.lock.withLock { self.valueStorage } }

    /// The descriptors that were discovered; `nil` before ``CBPeripheral/discoverDescriptors(for:)``.
    open var descriptors: [CBDescriptor]? { self.lock.withLock { self.descriptorsStorage } }

    /// Whether the value is broadcast: always false, as on Apple's platforms.
    @available(*, deprecated)
    open var isBroadcasted: Bool { false }

    /// Whether the peripheral sends changes of the value.
    open var isNotifying: Bool { self.lock.withLock { self.notifyingStorage } }

    /// The object as log lines show it.
    open override var description: String {
        let properties = String(self.properties.rawValue, radix: 16, uppercase: true)
        let value = self.value.map { data in
            "{length = \(data.count), bytes = 0x\(data.hexadecimalDigits().lowercased())}"
        }
        return """
            <\(Swift.type(of: self)): \(pointerText(self)), UUID = \(self.uuid), properties = 0x\(properties), \
            value = \(value ?? "(null)"), notifying = \(self.isNotifying ? "YES" : "NO")>
            """
    }
}
