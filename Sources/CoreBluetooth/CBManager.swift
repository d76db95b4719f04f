// What central and peripheral managers have in common.

public import Foundation
import NIOConcurrencyHelpers

/// The common root of ``CBCentralManager`` and ``CBPeripheralManager``.
open class CBManager: NSObject {
    let lock = NIOLock()
    var stateStorage: CBManagerState = .unknown

    init(adapter: BluetoothAdapter) {
        super.init()
    }

    /// What the manager can do now.
    ///
    /// It is ``CBManagerState/unknown`` until the delegate was told for the first time.
    open var state: CBManagerState { self.lock.withLock { self.stateStorage } }

    /// Whether this app may use Bluetooth.
    @available(*, deprecated, message: "Use the class property.")
    open var authorization: CBManagerAuthorization { .allowedAlways }

    /// Whether this app may use Bluetooth: on Linux always.
    open class var authorization: CBManagerAuthorization { .allowedAlways }
}
