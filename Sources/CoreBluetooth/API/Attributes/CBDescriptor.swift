// Descriptors of characteristics, remote and local.

package import BluetoothHost
import BluetoothTypes
import Foundation

/// A descriptor: metadata of a characteristic.
///
/// Apple documents it as `CBDescriptor`.
open class CBDescriptor: CBAttribute {
    /// A remote descriptor's handle in its peripheral's database. Not in Apple's interface.
    package let handle: AttributeHandle?
    weak var ownerStorage: CBCharacteristic?
    var valueStorage: Any?

    init(type: CBUUID, value: Any?, handle: AttributeHandle?, characteristic: CBCharacteristic?, lock: ObjectLock) {
        self.handle = handle
        self.ownerStorage = characteristic
        self.valueStorage = value
        super.init(type: type, lock: lock)
    }

    /// The characteristic that the descriptor belongs to.
    open var characteristic: CBCharacteristic? { self.lock.withLock { self.ownerStorage } }

    /// The value that was last read; `nil` before that.
    ///
    /// Its type depends on the UUID: an `NSNumber` for 2900, 2902 and 2903, an `NSString` for 2901, else an `NSData`.
    open var value: Any? { self.lock.withLock { self.valueStorage } }

    /// The object as log lines show it.
    open override var description: String {
        let value = self.value.map { "\($0)" } ?? "(null)"
        return "<\(Swift.type(of: self)): \(pointerText(self)), UUID = \(self.uuid), value = \(value)>"
    }
}

/// A descriptor that this app can publish: a Characteristic User Description (2901) with a `String`, or a
/// Characteristic Presentation Format (2904) with a `Data`.
///
/// The system creates all others by itself.
///
/// Apple documents it as `CBMutableDescriptor`.
open class CBMutableDescriptor: CBDescriptor {
    /// The security that reading it needs, as set when the service is added. Not in Apple's interface.
    package var requiredLevel: SecurityLevel {
        get { self.lock.withLock { self.requiredLevelStorage } }
        set { self.lock.withLock { self.requiredLevelStorage = newValue } }
    }
    private var requiredLevelStorage = SecurityLevel.none

    /// A descriptor with a fixed value.
    ///
    /// Another UUID or another type of value ends the program, as on Apple's platforms.
    public init(type UUID: CBUUID, value: Any?) {
        switch UUID.value.shortValue {
        case GATTAttributeType.userDescription:
            guard value == nil || value is String || value is NSString else {
                fatalMisuse("Expecting NSString value type for User Description descriptor")
            }
        case GATTAttributeType.presentationFormat:
            guard value == nil || value is Data || value is NSData else {
                fatalMisuse("Expecting NSData value type for Format descriptor")
            }
        default:
            fatalMisuse("Only User Description and Format descriptors can be created, not \(UUID.uuidString)")
        }
        super.init(type: UUID, value: value, handle: nil, characteristic: nil, lock: ObjectLock())
    }
}
