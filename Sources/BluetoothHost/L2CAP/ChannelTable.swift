// The credit-based channels of a host: the listeners by SPSM, and the channels by the user's identifiers.

/// The channels of all links of a host.
struct ChannelTable {
    /// The state of a channel for the user.
    enum Entry {
        /// The peer has not responded to the request of this side.
        case opening((Result<L2CAPChannelInformation, L2CAPChannelOpenError>) -> Void)
        /// The channel is open.
        case open(HostLink, L2CAPChannelInformation)
    }

    /// The listeners by SPSM.
    private(set) var listeners: [SPSM: CreditBasedChannels.Listener] = [:]
    /// The channels whose capacity is reported at the end of the turn.
    var writable: [L2CAPChannelID] = []
    private var entries: [L2CAPChannelID: Entry] = [:]
    private var lastDynamicSPSM: SPSM?
    private var lastID: UInt64 = 0

    /// Whether there is no channel.
    var isEmpty: Bool { self.entries.isEmpty }

    /// A new identifier.
    mutating func makeID() -> L2CAPChannelID {
        self.lastID += 1
        return L2CAPChannelID(rawValue: self.lastID)
    }

    // MARK: Listening

    /// Adds a listener on an SPSM; `nil` for a free dynamic one. These are used in turn, from `first` on, so that a
    /// peer that remembers an old one does not reach another service.
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

    /// Adds a channel that this side has requested.
    mutating func insert(
        _ id: L2CAPChannelID,
        opening completion: @escaping (Result<L2CAPChannelInformation, L2CAPChannelOpenError>) -> Void
    ) {
        self.entries[id] = .opening(completion)
    }

    /// Notes that a channel is open; returns the completion if this side has requested it.
    mutating func open(
        _ information: L2CAPChannelInformation,
        on link: HostLink
    ) -> ((Result<L2CAPChannelInformation, L2CAPChannelOpenError>) -> Void)? {
        let entry = self.entries.updateValue(.open(link, information), forKey: information.id)
        return if case .opening(let completion)? = entry { completion } else { nil }
    }

    /// Forgets a channel that was not opened, or has ended.
    mutating func remove(_ id: L2CAPChannelID) -> Entry? { self.entries.removeValue(forKey: id) }

    /// An open channel and its link.
    subscript(_ id: L2CAPChannelID) -> (link: HostLink, information: L2CAPChannelInformation)? {
        guard case .open(let link, let information)? = self.entries[id] else { return nil }
        return (link, information)
    }
}

extension SPSM {
    /// The next one of the dynamic range, with wraparound.
    fileprivate var following: SPSM {
        self < Self.dynamicRange.upperBound ? SPSM(rawValue: self.rawValue + 1) : Self.dynamicRange.lowerBound
    }
}
