// Validation of a server's cached database (Vol 3, Part G, 2.5.2 and 7.3): the host's first procedure on each link that
// it opened, and again after a change.
//
//     begin ─ cached ─▶ readingHash ─ the cached one ─▶ resuming ──────▶ unchanged
//       │                   │  └───── the one of this link ────────────────▲
//       │                   └──────── another, or an error ─┐
//       └── nothing cached ─────────────────────────────────┴▶ configuring ─▶ changed, or noDatabaseHash
//
// readingHash: the Database Hash is read by its type. Nothing else is sent, since attributes of waiting operations may
// be gone. resuming: the state that the server resets with the link is written again, once on each link: a server may
// report a change in answer to that. configuring: the Generic Attribute Service is discovered and caching configured.
//
// A peer can answer anything: an error or an invalid answer instead of the hash invalidates the cache, and later
// refusals are skipped. No timers beside the client's limit for each request.

import BluetoothTypes
import NIOCore

/// Validates the cached database of a server.
struct ValidateDatabaseCache: GATTProcedure {
    private enum Phase: Sendable {
        case readingHash(GATTCachedDatabase, isOfThisLink: Bool)
        case resuming(ResumeCaching, GATTCachedDatabase)
        case configuring(ConfigureCaching)
    }

    private var phase: Phase

    /// Creates the procedure.
    /// - Parameter cached: The cached database; `nil` if there is none.
    init(cached: GATTCachedDatabase?) {
        self.phase = cached.map { .readingHash($0, isOfThisLink: false) } ?? .configuring(ConfigureCaching())
    }

    /// Creates the procedure for a database that was validated on this link before: if its hash is the same, that is
    /// all.
    init(validated: GATTCachedDatabase) { self.phase = .readingHash(validated, isOfThisLink: true) }

    var isExclusive: Bool {
        switch self.phase {
        case .readingHash: true
        case .resuming, .configuring: false
        }
    }

    var serviceChanged: AttributeHandle? {
        switch self.phase {
        case .readingHash: nil
        case .resuming(let procedure, _): procedure.serviceChanged
        case .configuring(let procedure): procedure.serviceChanged
        }
    }

    mutating func step(_ event: GATTEvent, mtu: Int) -> GATTStep<GATTDatabaseValidation> {
        // Moved out, so that a discovery's arrays grow in place; every case says what comes next.
        let phase = self.phase
        self.phase = .configuring(ConfigureCaching())
        switch consume phase {
        case .readingHash(let cached, let isOfThisLink):
            switch event {
            case .turn:
                self.phase = .readingHash(cached, isOfThisLink: isOfThisLink)
                return .send(ReadDatabaseHash.request)
            case .response(let pdu) where (try? ReadDatabaseHash.hash(in: pdu)) == cached.databaseHash:
                if isOfThisLink { return .succeed(.unchanged(cached)) }
                self.phase = .resuming(ResumeCaching(cached), cached)
                return self.step(.turn, mtu: mtu)
            case .response, .error, .malformed:
                return self.step(.turn, mtu: mtu)
            }
        case .resuming(var procedure, let cached):
            let step = procedure.step(event, mtu: mtu)
            self.phase = .resuming(procedure, cached)
            guard case .request(let pdu) = step else { return .succeed(.unchanged(cached)) }
            return .request(pdu)
        case .configuring(var procedure):
            let step = procedure.step(event, mtu: mtu)
            self.phase = .configuring(procedure)
            return step.map { $0.cachedDatabase.map(GATTDatabaseValidation.changed) ?? .noDatabaseHash }
        }
    }
}
