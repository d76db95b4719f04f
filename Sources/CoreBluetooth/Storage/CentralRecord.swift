// The stored state of a central manager with a restore identifier: its scan, and the peripherals that it is connected
// to or waits for, with their discovered attributes.

import BluetoothTypes
import Foundation

/// The preserved state of a central manager.
package struct CentralRecord: Hashable, Sendable {
    /// A scan.
    package struct Scan: Codable, Hashable, Sendable {
        /// The services; `nil` for everything.
        var services: [BluetoothUUID]?
        /// Solicited services.
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
        /// Its name, if known.
        package var name: String?
        /// Whether it was connected, rather than waited for.
        package var wasConnected: Bool
        /// Whether the app asked for reconnection.
        var reconnectsByItself: Bool
        /// The attributes that the app discovered.
        var attributes: DiscoveredAttributes?
    }

    /// The scan, if there is one.
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
    /// A session's scan.
    init(_ filter: ScanFilter) {
        self.init(
            services: filter.services,
            solicitedServices: filter.solicitedServices,
            allowsDuplicates: filter.allowsDuplicates
        )
    }

    /// The scan for a session.
    var filter: ScanFilter {
        ScanFilter(
            services: self.services,
            solicitedServices: self.solicitedServices,
            allowsDuplicates: self.allowsDuplicates
        )
    }
}

extension CentralRecord.Peripheral {
    /// The address; `nil` if the record has no valid one.
    var deviceAddress: DeviceAddress? { DeviceAddress(self.address, kind: self.isRandom ? .random : .public) }
}
