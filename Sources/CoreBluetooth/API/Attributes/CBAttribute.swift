// The base class of services, characteristics and descriptors, remote and local.
//
// Attributes change on the manager's queue, but programs read them from any thread, as Apple's atomic properties allow.
// So all attributes of one peripheral share a lock.

public import Foundation

/// The base class of ``CBService``, ``CBCharacteristic`` and ``CBDescriptor``.
///
/// Apple documents it as `CBAttribute`.
open class CBAttribute: NSObject {
    let lock: ObjectLock
    private let type: CBUUID

    init(type: CBUUID, lock: ObjectLock) {
        self.type = type
        self.lock = lock
        super.init()
    }

    /// Not available: attributes come from peripherals, or are created as `CBMutable…`.
    @available(*, unavailable, message: "Attributes come from peripherals, or are made as CBMutable….")
    public override init() { fatalError("unavailable") }

    /// The type of the service, characteristic or descriptor: a UUID of the Bluetooth SIG, or a custom one.
    open var uuid: CBUUID { self.type }
}
