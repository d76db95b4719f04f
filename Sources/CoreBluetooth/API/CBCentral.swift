// A remote central, as an app in the peripheral role sees it.

import BluetoothHost
import Foundation
import NIOConcurrencyHelpers

/// A remote central that reads, writes or subscribes.
///
/// A manager has one object for each central while the central is connected.
///
/// Apple documents it as `CBCentral`.
open class CBCentral: CBPeer {
    // Guarded by the lock.
    var mtu = ATT.defaultMTU
    /// The link to it, if there is one.
    var link: LinkID?
    /// Its updates in transit.
    var window = TransmitWindow()

    /// The longest value, in octets, that one update can carry to this central: the ATT MTU of its connection less 3,
    /// and never more than 512.
    ///
    /// It may grow when the central negotiates a larger MTU. Longer values are cut.
    open var maximumUpdateValueLength: Int { self.lock.withLock { min(self.mtu - 3, ATT.maximumValueLength) } }

    /// The object as log lines show it.
    open override var description: String {
        let mtu = self.lock.withLock { self.mtu }
        return
            "<\(Swift.type(of: self)): \(pointerText(self)), identifier = \(self.identifier.uuidString), MTU = \(mtu)>"
    }
}
