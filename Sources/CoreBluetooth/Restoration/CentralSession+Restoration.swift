// A central manager's state as a record, and the way back.

import BluetoothHost
import BluetoothTypes
import Foundation

/// What a central manager is made from again.
struct CentralRestoration: Sendable {
    /// A peripheral whose connection goes on in the session, for a session that has outlived its manager.
    struct Live: Sendable {
        var id: ConnectionID
        /// The ATT MTU, where it is connected.
        var mtu: Int?
        /// Its writes without response on their way.
        var window: TransmitWindow
    }

    var record: CentralRecord
    /// For each peripheral of the record the connection that goes on, as the scan does; `nil` if the process before
    /// this one had them.
    var live: [Live]?
    /// How many places for objects managers before this one have used: of these the session may still report something,
    /// also of those that are not in the record.
    var placeCount = 0
}

extension CentralSession {
    /// Restores what the process before this one did, just before `poweredOn` is reported.
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

    /// The session's state as the app knows it: also what has ended, as long as the app was not told.
    func makeRecord() -> CentralRecord {
        var record = self.restoration().record
        for (_, unseen) in self.unseenEnds {
            // The app may wait for it again already.
            let isKnown = record.peripherals.contains { $0.identifier == unseen.identifier }
            if !isKnown { record.peripherals.append(unseen) }
        }
        return record
    }

    /// What is stored of a connection.
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
