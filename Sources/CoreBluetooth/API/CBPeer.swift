// Remote devices: what both roles know of them.

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

    /// There is no such object by itself.
    @available(*, unavailable, message: "Peers come from managers.")
    public override init() { fatalError("unavailable") }

    /// The name that this system gave to the device: random, and the same each time that the device is met.
    ///
    /// It is stored with the adapter's state, so that it is the same in the next run. It is not the device's address,
    /// and on another machine the same device has another one.
    open var identifier: UUID { self.identifierStorage }

    /// The object itself: two objects of one device of one manager do not exist.
    open func copy(with zone: NSZone? = nil) -> Any { self }
}
