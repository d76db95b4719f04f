// The base class of remote devices.

public import Foundation

/// A remote device: a ``CBPeripheral`` or a ``CBCentral``.
///
/// Apple documents it as `CBPeer`.
open class CBPeer: NSObject, NSCopying {
    let lock: ObjectLock
    private let identifierStorage: UUID

    init(identifier: UUID, lock: ObjectLock) {
        self.identifierStorage = identifier
        self.lock = lock
        super.init()
    }

    /// Not available: peers come from managers.
    @available(*, unavailable, message: "Peers come from managers.")
    public override init() { fatalError("unavailable") }

    /// The device's random identifier on this system, the same each time the device is met.
    ///
    /// It is stored with the adapter's state, so that it is the same in the next run. It is not the device's address,
    /// and the same device has another one on another machine.
    open var identifier: UUID { self.identifierStorage }

    /// The object itself: a manager has only one object for a device.
    open func copy(with zone: NSZone? = nil) -> Any { self }
}
