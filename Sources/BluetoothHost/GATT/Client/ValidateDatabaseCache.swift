// Whether what a client has cached of a server's database still holds (Vol 3, Part G, 2.5.2 and 7.3): what the host
// does first on each link that it opened, and again after a change.
//
//     begin ─ cached ─▶ readingHash ─ the cached one ─▶ resuming ──────▶ unchanged
//       │                   │  └───── the one of this link ────────────────▲
//       │                   └──────── another, or an error ─┐
//       └── nothing cached ─────────────────────────────────┴▶ configuring ─▶ changed, or noDatabaseHash
//
// readingHash: the Database Hash is read by its type. What waits in the queue may be about attributes that are no more,
// so nothing else is sent. resuming: what the server forgets with the link is written again, once on each link: a
// server may report a change in answer to that. configuring: the Generic Attribute Service is discovered and caching
// configured.
//
// A peer can answer anything: an error or nonsense instead of the hash makes the cache worthless, and what is refused
// later is left out. Time comes in with the bearer's limit for each request alone.

import BluetoothTypes
import NIOCore

/// Validates what is cached of the server's database.
struct ValidateDatabaseCache: GATTProcedure {
    private enum Phase: Sendable {
        case readingHash(GATTCachedDatabase, isOfThisLink: Bool)
        case resuming(ResumeCaching, GATTCachedDatabase)
        case configuring(ConfigureCaching)
    }

    private var phase: Phase

    /// Creates the procedure.
    /// - Parameter cached: What is cached; `nil` for nothing.
    init(cached: GATTCachedDatabase?) {
        self.phase = cached.map { .readingHash($0, isOfThisLink: false) } ?? .configuring(ConfigureCaching())
    }

    /// Creates the procedure for a database that was validated on this link before: where its hash is the same, that is
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

    mutating func begin(mtu: Int) -> GATTStep<GATTDatabaseValidation> {
        switch self.phase {
        case .readingHash: .send(ReadDatabaseHash.request)
        case .resuming(_, let cached): self.resume(cached, mtu: mtu)
        case .configuring: self.configure(mtu: mtu)
        }
    }

    mutating func receive(
        _ response: ByteBuffer,
        mtu: Int
    ) throws(MalformedBytes) -> GATTStep<GATTDatabaseValidation> {
        // Moved out, so that a discovery's arrays grow in place; every case says what comes next.
        let phase = self.phase
        self.phase = .configuring(ConfigureCaching())
        switch consume phase {
        case .readingHash(let cached, let isOfThisLink):
            let isUnchanged = (try? ReadDatabaseHash.hash(in: response)) == cached.databaseHash
            guard isUnchanged else { return self.configure(mtu: mtu) }
            return isOfThisLink ? .succeed(.unchanged(cached)) : self.resume(cached, mtu: mtu)
        case .resuming(var procedure, let cached):
            do throws(MalformedBytes) {
                let step = try procedure.receive(response, mtu: mtu)
                return self.follow(step, procedure, cached)
            } catch {
                return .succeed(.unchanged(cached))
            }
        case .configuring(var procedure):
            let step = try procedure.receive(response, mtu: mtu)
            return self.follow(step, procedure)
        }
    }

    mutating func receive(_ error: ATTErrorResponse, mtu: Int) -> GATTStep<GATTDatabaseValidation> {
        switch self.phase {
        case .readingHash:
            return self.configure(mtu: mtu)
        case .resuming(var procedure, let cached):
            let step = procedure.receive(error, mtu: mtu)
            return self.follow(step, procedure, cached)
        case .configuring(var procedure):
            let step = procedure.receive(error, mtu: mtu)
            return self.follow(step, procedure)
        }
    }

    mutating func receiveMalformed(mtu: Int) -> GATTStep<GATTDatabaseValidation> {
        switch self.phase {
        case .readingHash: self.configure(mtu: mtu)
        case .resuming(_, let cached): .succeed(.unchanged(cached))
        case .configuring: .fail(.malformedResponse)
        }
    }

    private mutating func resume(_ cached: GATTCachedDatabase, mtu: Int) -> GATTStep<GATTDatabaseValidation> {
        var procedure = ResumeCaching(cached)
        let step = procedure.begin(mtu: mtu)
        return self.follow(step, procedure, cached)
    }

    private mutating func configure(mtu: Int) -> GATTStep<GATTDatabaseValidation> {
        var procedure = ConfigureCaching()
        let step = procedure.begin(mtu: mtu)
        return self.follow(step, procedure)
    }

    private mutating func follow(
        _ step: GATTStep<GATTServerCaching>,
        _ procedure: ResumeCaching,
        _ cached: GATTCachedDatabase
    ) -> GATTStep<GATTDatabaseValidation> {
        self.phase = .resuming(procedure, cached)
        switch step {
        case .request(let pdu): return .request(pdu)
        case .finish: return .succeed(.unchanged(cached))
        }
    }

    private mutating func follow(
        _ step: GATTStep<GATTServerCaching>,
        _ procedure: ConfigureCaching
    ) -> GATTStep<GATTDatabaseValidation> {
        self.phase = .configuring(procedure)
        switch step {
        case .request(let pdu): return .request(pdu)
        case .finish(.success(let caching)):
            return .succeed(caching.cachedDatabase.map(GATTDatabaseValidation.changed) ?? .noDatabaseHash)
        case .finish(.failure(let error)): return .fail(error)
        }
    }
}
