// A remote central, as an app in the peripheral role sees it.

import BluetoothHost
import Foundation
import NIOConcurrencyHelpers

/// A remote central that reads, writes or subscribed.
open class CBCentral: CBPeer {
    // Guarded by the lock.
    var mtu = 23
    /// The link to it, while there is one.
    var link: LinkID?
    /// Its updates on their way.
    var window = TransmitWindow()

    /// The longest value that one update can carry to this central.
    open var maximumUpdateValueLength: Int { self.lock.withLock { min(self.mtu - 3, 512) } }

    /// The object as log lines show it.
    open override var description: String {
        let mtu = self.lock.withLock { self.mtu }
        return
            "<\(Swift.type(of: self)): \(pointerText(self)), identifier = \(self.identifier.uuidString), MTU = \(mtu)>"
    }
}
