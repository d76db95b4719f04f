// Remote devices, as far as both roles know them.

public import Foundation
import NIOConcurrencyHelpers

/// A remote device.
open class CBPeer: NSObject, NSCopying {
    let lock: NIOLock
    private let identifierStorage: UUID

    init(identifier: UUID, lock: NIOLock) {
        self.identifierStorage = identifier
        self.lock = lock
        super.init()
    }

    /// There is no such object by itself.
    @available(*, unavailable, message: "Peers come from managers.")
    public override init() { fatalError("unavailable") }

    /// The name that this system gave to the device: random, and the same each time the device is met.
    open var identifier: UUID { self.identifierStorage }

    /// The object itself.
    open func copy(with zone: NSZone? = nil) -> Any { self }
}
