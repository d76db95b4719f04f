// The common root of services, characteristics and descriptors, remote and local.
//
// Attributes change on the manager's queue, but programs look at them from anywhere, as Apple's atomic properties
// allow. So what can change is guarded by a lock, which all attributes of one peripheral share.

public import Foundation

/// The common root of ``CBService``, ``CBCharacteristic`` and ``CBDescriptor``.
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

    /// There is no such object by itself.
    @available(*, unavailable, message: "Attributes come from peripherals, or are made as CBMutable….")
    public override init() { fatalError("unavailable") }

    /// What kind of service, characteristic or descriptor it is: assigned by the Bluetooth SIG, or a
    /// custom UUID.
    open var uuid: CBUUID { self.type }
}
