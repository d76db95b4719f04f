// A central manager's state as a record, and the way back.

import BluetoothHost
import BluetoothTypes
import Foundation

/// The state from which a central manager is restored.
struct CentralRestoration: Sendable {
    /// A peripheral whose connection continues in a session that has outlived its manager.
    struct Live: Sendable {
        var id: ConnectionID
        /// The ATT MTU, if it is connected.
        var mtu: Int?
        /// Its writes without response in transit.
        var window: TransmitWindow
    }

    var record: CentralRecord
    /// The continuing connections, one for each peripheral of the record, if the scan continues, too; `nil` if they are
    /// a previous process's.
    var live: [Live]?
    /// The number of object slots that earlier managers have used: the session may still report events for all of them,
    /// even those that are not in the record.
    var placeCount = 0
}

extension CentralSession {
    /// Restores the previous process's state, just before `poweredOn` is reported.
    func restore(from writer: StateWriter) {
        guard var record = self.recordStore?.open(writer) else { return }
        for index in record.peripherals.indices {
            guard let address = record.peripherals[index].deviceAddress else { continue }
            // The identities are stored in a file of their own, which may have been lost.
            let known = self.core.identities.restore(
                IdentityStore.Record(
                    identifier: record.peripherals[index].identifier,
                    address: address,
                    advertisedName: record.peripherals[index].name
                )
            )
            record.peripherals[index].identifier = known.identifier
            record.peripherals[index].name = known.name
        }
        self.report(.restored(CentralRestoration(record: record)))
    }

    /// The session's state as the app knows it, including what has ended without the app having been told.
    func makeRecord() -> CentralRecord {
        var record = self.restoration().record
        for (_, unseen) in self.unseenEnds {
            // The app may already be waiting for it again.
            let isKnown = record.peripherals.contains { $0.identifier == unseen.identifier }
            if !isKnown { record.peripherals.append(unseen) }
        }
        return record
    }

    /// The stored form of a connection.
    func record(of connection: PeripheralConnection, wasConnected: Bool) -> CentralRecord.Peripheral {
        let known = self.core.identities.record(for: connection.peer.address)
        return CentralRecord.Peripheral(
            identifier: known.identifier,
            address: known.address.description,
            isRandom: known.address.isRandom,
            name: known.name,
            wasConnected: wasConnected,
            reconnectsByItself: connection.options.reconnectsByItself,
            attributes: connection.attributes.isEmpty ? nil : connection.attributes
        )
    }

    /// The session's state as it is now, for a manager that takes the session over.
    func restoration() -> CentralRestoration {
        var restoration = CentralRestoration(
            record: CentralRecord(scan: self.scan.map { .init($0.filter) }),
            live: [],
            placeCount: self.placeCount
        )
        for connection in self.liveConnections {
            var mtu: Int?
            switch connection.phase {
            case .delayed, .pending: break
            case .established: mtu = connection.peer.server.mtu
            case .leaving, nil: continue
            }
            restoration.record.peripherals.append(self.record(of: connection, wasConnected: mtu != nil))
            restoration.live?.append(CentralRestoration.Live(id: connection.id, mtu: mtu, window: connection.window))
        }
        return restoration
    }
}
