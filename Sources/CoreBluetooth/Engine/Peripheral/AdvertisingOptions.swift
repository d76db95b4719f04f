// Advertising that Core Bluetooth does not let apps ask for: more content, another interval, other PDUs. For tools.

import BluetoothHCI
import BluetoothHost
package import BluetoothTypes
package import NIOCore

/// How to advertise, and what, beside an app's name, services and manufacturer data.
package struct AdvertisingOptions: Hashable, Sendable {
    /// Elements of the packet.
    package var elements: [AdvertisingData.Element] = []
    /// Whether the packet also has the power with which it is sent.
    package var includesTxPower = false
    package var isConnectable = true
    /// The time between two advertising events, 20 ms to 10.24 s; `nil` for the default.
    package var interval: TimeAmount?
    /// The PHY of the data in extended PDUs, whose primary PHY is LE Coded or LE 1M; `nil` for legacy PDUs.
    package var phy: PHY?

    package init() {}

    /// The octets of elements that a packet has space for, beside the flags, with those in front of each field.
    package var capacity: Int {
        (self.phy == nil ? AdvertisingDataLimits.legacy : AdvertisingDataLimits.connectable) - 3
    }

    /// The octets of Manufacturer Specific Data that a packet has space for, the company's identifier included.
    package var manufacturerDataLimit: Int { self.capacity - 2 }

    /// The octets that these options take.
    package var octetCount: Int {
        AdvertisingData(elements: self.elements).octetCount + (self.includesTxPower ? 3 : 0)
    }

    var pdus: AdvertisingParameters.PDUs {
        self.phy.map { .extended(primary: $0 == .leCoded ? .leCoded : .le1M, secondary: $0) } ?? .legacy
    }
}
