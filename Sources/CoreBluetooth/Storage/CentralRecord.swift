// What is stored of a central manager with a restore identifier: what it scans for, and the peripherals that it is
// connected to or waits for, with what its app has discovered of them.

import BluetoothTypes
import Foundation

/// The preserved state of a central manager.
package struct CentralRecord: Hashable, Sendable {
    /// A scan.
    package struct Scan: Codable, Hashable, Sendable {
        /// The services; `nil` for everything.
        var services: [BluetoothUUID]?
        /// Services that may be looked for instead.
        var solicitedServices: [BluetoothUUID]
        /// Whether every packet is reported.
        var allowsDuplicates: Bool
    }

    /// A peripheral that was connected, or waited for.
    package struct Peripheral: Codable, Hashable, Sendable {
        /// Its identifier.
        package var identifier: UUID
        /// Its address, as text.
        var address: String
        /// Whether the address is a random one.
        var isRandom: Bool
        /// Its name, where it is known.
        package var name: String?
        /// Whether it was connected, rather than waited for.
        package var wasConnected: Bool
        /// Whether the app asked for reconnection.
        var reconnectsByItself: Bool
        /// What the app discovered.
        var attributes: DiscoveredAttributes?
    }

    /// The scan, where one is going on.
    package var scan: Scan?
    /// The peripherals, in the order in which they were asked for.
    package var peripherals: [Peripheral]

    /// A record.
    package init(scan: Scan? = nil, peripherals: [Peripheral] = []) {
        self.scan = scan
        self.peripherals = peripherals
    }

    /// Whether there is nothing to restore.
    package var isEmpty: Bool { self.scan == nil && self.peripherals.isEmpty }
}

extension CentralRecord: StateContent {
    static var version: Int { 1 }
}

extension CentralRecord.Scan {
    /// What a session scans for.
    init(_ filter: ScanFilter) {
        self.init(
            services: filter.services,
            solicitedServices: filter.solicitedServices,
            allowsDuplicates: filter.allowsDuplicates
        )
    }

    /// What a session is to scan for.
    var filter: ScanFilter {
        ScanFilter(
            services: self.services,
            solicitedServices: self.solicitedServices,
            allowsDuplicates: self.allowsDuplicates
        )
    }
}

extension CentralRecord.Peripheral {
    /// The address; `nil` where the record holds none.
    var deviceAddress: DeviceAddress? { DeviceAddress(self.address, kind: self.isRandom ? .random : .public) }
}
