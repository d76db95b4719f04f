// Characteristics of remote peripherals: a value and what can be done with it.

import BluetoothHost
import BluetoothTypes
public import Foundation

/// A characteristic: a value of at most 512 octets, what can be done with it, and descriptors that say more.
///
/// One of a remote peripheral is of use until its connection ends or its service is gone.
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

    /// The service that the characteristic belongs to.
    open var service: CBService? { self.lock.withLock { self.ownerStorage } }

    /// What can be done with the value, as the peripheral declares it.
    open var properties: CBCharacteristicProperties { self.lock.withLock { self.propertiesStorage } }

    /// The value that was last read or sent by the peripheral; `nil` before that.
    ///
    /// Writing does not change it.
    open var value: Data? { self.lock.withLock { self.valueStorage } }

    /// The descriptors that were discovered; `nil` before ``CBPeripheral/discoverDescriptors(for:)``.
    open var descriptors: [CBDescriptor]? { self.lock.withLock { self.descriptorsStorage } }

    /// Whether the value is broadcast: always false, as on Apple's platforms.
    @available(*, deprecated)
    open var isBroadcasted: Bool { false }

    /// Whether the peripheral was asked to send changes of the value, and agreed.
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
