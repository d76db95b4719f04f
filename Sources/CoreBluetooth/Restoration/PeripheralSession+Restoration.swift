// A peripheral manager's state as a record, and the way back.

import BluetoothHost
import BluetoothTypes
import Foundation

/// The state from which a peripheral manager is restored.
struct PeripheralRestoration: Sendable {
    /// Work that continues in a session that has outlived its manager.
    struct Live: Sendable {
        /// The handles of the services, in the order of the record.
        var handles: [GATTServiceHandles]
        /// The centrals that were reported to the manager.
        var centrals: [(link: LinkID, peer: PeerDescription, mtu: Int, window: TransmitWindow)]
        /// Their subscriptions.
        var subscriptions: [(link: LinkID, characteristic: AttributeHandle)]
    }

    var record: PeripheralRecord
    /// `nil` if all of it is a previous process's.
    var live: Live?
}

extension PeripheralSession {
    /// Restores the previous process's state, just before `poweredOn` is reported; work that was only paused while the
    /// adapter was off continues.
    func restore(from writer: StateWriter) {
        self.core.advertising.resume()
        guard var record = self.recordStore?.open(writer) else { return }
        record.services.removeAll { !$0.characteristics.allSatisfy(\.isPublishable) }
        self.report(.restored(PeripheralRestoration(record: record)))
    }

    /// The session's state as it is now.
    func makeRecord() -> PeripheralRecord {
        PeripheralRecord(
            services: self.services.map(\.record),
            advertisement: self.core.advertising.content(of: self).map { content in
                PeripheralRecord.Advertisement(localName: content.localName, services: content.services)
            }
        )
    }

    /// The session's state as it is now, for a manager that takes the session over.
    func restoration() -> PeripheralRestoration {
        PeripheralRestoration(
            record: self.makeRecord(),
            live: PeripheralRestoration.Live(
                handles: self.services.map(\.handles),
                centrals: self.centrals.compactMap { central in
                    let link = central.link
                    return self.core.host.information(of: link).map { information in
                        let known = self.core.identities.record(for: information.peer)
                        return (link, PeerDescription(known), self.core.host.mtu(of: link), central.window)
                    }
                },
                subscriptions: self.subscriptions.map { ($0.link, $0.characteristic) }
            )
        )
    }
}
