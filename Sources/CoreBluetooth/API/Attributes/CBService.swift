// Services of peripherals, and services that this app publishes.

import BluetoothHost
import BluetoothTypes
import Foundation

/// A service: characteristics that belong together.
///
/// A remote peripheral's service is valid until its connection ends or
/// ``CBPeripheralDelegate/peripheral(_:didModifyServices:)`` names it.
///
/// Apple documents it as `CBService`.
open class CBService: CBAttribute {
    private let primary: Bool
    /// A remote service's place in its peripheral's database.
    let handles: AttributeHandleRange?
    weak var ownerStorage: CBPeripheral?
    var characteristicsStorage: [CBCharacteristic]?
    var includedStorage: [CBService]?

    init(type: CBUUID, isPrimary: Bool, handles: AttributeHandleRange?, peripheral: CBPeripheral?, lock: ObjectLock) {
        self.primary = isPrimary
        self.handles = handles
        self.ownerStorage = peripheral
        super.init(type: type, lock: lock)
    }

    /// The peripheral that has the service; `nil` for a service of this app.
    open var peripheral: CBPeripheral? { self.lock.withLock { self.ownerStorage } }

    /// Whether the service is primary, rather than only included by others.
    open var isPrimary: Bool { self.primary }

    /// The included services that were discovered; `nil` before
    /// ``CBPeripheral/discoverIncludedServices(_:for:)``.
    open var includedServices: [CBService]? { self.lock.withLock { self.includedStorage } }

    /// The characteristics of the service that were discovered; `nil` before
    /// ``CBPeripheral/discoverCharacteristics(_:for:)``.
    open var characteristics: [CBCharacteristic]? { self.lock.withLock { self.characteristicsStorage } }

    /// The object as log lines show it.
    open override var description: String {
        "<\(Swift.type(of: self)): \(pointerText(self)), isPrimary = \(self.isPrimary ? "YES" : "NO"), UUID = \(self.uuid)>"
    }
}

/// A service that this app can publish with ``CBPeripheralManager/add(_:)``.
///
/// Apple documents it as `CBMutableService`.
open class CBMutableService: CBService {
    /// A service without characteristics; a secondary one is found only through services that include it.
    public init(type UUID: CBUUID, primary isPrimary: Bool) {
        super.init(type: UUID, isPrimary: isPrimary, handles: nil, peripheral: nil, lock: ObjectLock())
    }

    /// The services to include; they must be published first.
    open override var includedServices: [CBService]? {
        get { super.includedServices }
        set { self.lock.withLock { self.includedStorage = newValue } }
    }

    /// The characteristics to publish.
    ///
    /// Changes after the service was published have no effect.
    open override var characteristics: [CBCharacteristic]? {
        get { super.characteristics }
        set {
            self.lock.withLock { self.characteristicsStorage = newValue }
            for characteristic in newValue ?? [] {
                characteristic.lock.withLock { characteristic.ownerStorage = self }
            }
        }
    }
}

extension CBService {
    /// Services of the system, which apps neither see nor publish: Generic Access, Generic Attribute, Human Interface
    /// Device.
    static let reserved: [BluetoothUUID] = [0x1800, 0x1801, 0x1812]
}
