// The credit-based channels of a host: who listens on which SPSM, and which channel of which link a user's identifier
// stands for.

/// The channels of all links of a host.
struct HostChannels {
    /// How far a channel is for the user.
    enum Entry {
        /// The peer has not responded to the request of this side.
        case opening((Result<L2CAPChannelInformation, L2CAPChannelOpenError>) -> Void)
        /// Octets can be written and come.
        case open(HostLink, L2CAPChannelInformation)
    }

    /// Who listens, by SPSM.
    private(set) var listeners: [SPSM: CreditBasedChannels.Listener] = [:]
    /// The channels whose capacity is reported at the end of the turn.
    var writable: [L2CAPChannelID] = []
    private var entries: [L2CAPChannelID: Entry] = [:]
    private var lastDynamicSPSM: SPSM?
    private var lastID: UInt64 = 0

    /// Whether there is no channel.
    var isEmpty: Bool { self.entries.isEmpty }

    /// An identifier that was never given before.
    mutating func makeID() -> L2CAPChannelID {
        self.lastID += 1
        return L2CAPChannelID(rawValue: self.lastID)
    }

    // MARK: Listening

    /// Adds a listener on an SPSM; on a free dynamic one where that is `nil`. These are given out in turn, from `first`
    /// on, so that a peer that remembers an old one does not meet another service.
    mutating func listen(
        on spsm: SPSM?,
        from first: SPSM,
        _ listener: CreditBasedChannels.Listener
    ) throws(L2CAPListenError) -> SPSM {
        guard let spsm = spsm ?? self.freeSPSM(from: first), self.listeners[spsm] == nil else { throw .inUse }
        guard SPSM.validRange.contains(spsm) else { throw .invalidSPSM }
        self.listeners[spsm] = listener
        return spsm
    }

    /// Removes a listener.
    mutating func stopListening(on spsm: SPSM) { self.listeners[spsm] = nil }

    private mutating func freeSPSM(from first: SPSM) -> SPSM? {
        let range = SPSM.dynamicRange
        var next = self.lastDynamicSPSM?.following ?? first
        for _ in range.lowerBound.rawValue...range.upperBound.rawValue {
            if self.listeners[next] == nil {
                self.lastDynamicSPSM = next
                return next
            }
            next = next.following
        }
        return nil
    }

    // MARK: Channels

    /// Notes who asked for a channel.
    mutating func insert(
        _ id: L2CAPChannelID,
        opening completion: @escaping (Result<L2CAPChannelInformation, L2CAPChannelOpenError>) -> Void
    ) {
        self.entries[id] = .opening(completion)
    }

    /// Notes that a channel is open; returns who asked for it, on this side.
    mutating func open(
        _ information: L2CAPChannelInformation,
        on link: HostLink
    ) -> ((Result<L2CAPChannelInformation, L2CAPChannelOpenError>) -> Void)? {
        let entry = self.entries.updateValue(.open(link, information), forKey: information.id)
        return if case .opening(let completion)? = entry { completion } else { nil }
    }

    /// Forgets a channel that was not opened, or has ended.
    mutating func remove(_ id: L2CAPChannelID) -> Entry? { self.entries.removeValue(forKey: id) }

    /// The link of an open channel, and what is known of it.
    subscript(_ id: L2CAPChannelID) -> (link: HostLink, information: L2CAPChannelInformation)? {
        guard case .open(let link, let information)? = self.entries[id] else { return nil }
        return (link, information)
    }
}

extension SPSM {
    /// The next one of the dynamic range, which is a round.
    fileprivate var following: SPSM {
        self < Self.dynamicRange.upperBound ? SPSM(rawValue: self.rawValue + 1) : Self.dynamicRange.lowerBound
    }
}
