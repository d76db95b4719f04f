// The credit-based channels of one link, in the order of their CIDs. A closed channel leaves the table, and its CID is
// reused after all others.
//
// Once the table is full, every request of the peer is refused with No Resources.

import NIOCore

/// All channels of a link.
struct CreditBasedChannels: Sendable {
    /// A service to which peers may open channels.
    struct Listener: Hashable, Sendable {
        /// The configuration of this side.
        var configuration: L2CAPChannelConfiguration
        /// The required security of the link.
        var security: SecurityRequirement
    }

    /// The largest number of channels of a link; there are more CIDs.
    static let maximumCount = 16

    /// The listeners by SPSM.
    var listeners: [SPSM: Listener] = [:]
    /// The security that all of them require.
    var requirement = SecurityRequirement.none
    private var channels: [CreditBasedChannel] = []
    /// The CID that was used last.
    private var lastCID = CID(rawValue: CID.dynamicRange.upperBound)

    /// The CIDs in use, in order.
    var localCIDs: [CID] { self.channels.map(\.localCID) }

    /// The earliest deadline of the channels; `nil` for never.
    var nextDeadline: NIODeadline? { self.channels.lazy.compactMap(\.deadline).min() }

    /// The channel of a CID.
    subscript(_ localCID: CID) -> CreditBasedChannel? { self.index(of: localCID).map { self.channels[$0] } }

    // MARK: Finding

    /// The channel of the user's identifier.
    func localCID(of id: L2CAPChannelID) -> CID? { self.localCID { $0.id == id } }

    /// The channel with this CID of the peer.
    func localCID(forRemote remoteCID: CID) -> CID? { self.localCID { $0.remoteCID == remoteCID } }

    /// The channel that sends to this CID of the peer.
    func localCID(sendingTo remoteCID: CID) -> CID? {
        self.localCID { $0.isConnected && $0.remoteCID == remoteCID }
    }

    /// The channel that waits for the response to a command.
    func localCID(awaiting identifier: UInt8) -> CID? { self.localCID { $0.awaitedIdentifier == identifier } }

    /// The channels whose deadlines have expired.
    func localCIDs(dueAt now: NIODeadline) -> [CID] {
        self.channels.lazy.filter { $0.deadline.map { $0 <= now } ?? false }.map(\.localCID)
    }

    /// The first channel that satisfies a condition. Inspected in place, since every frame does this.
    @inline(__always)
    private func localCID(where isMeant: (borrowing CreditBasedChannel) -> Bool) -> CID? {
        for index in self.channels.indices where isMeant(self.channels[index]) { return self.channels[index].localCID }
        return nil
    }

    private func index(of localCID: CID) -> Int? {
        self.channels.indices.first { self.channels[$0].localCID == localCID }
    }

    // MARK: Changing

    /// A CID for one more channel; `nil` if the table is full. The CID that was freed last comes last.
    mutating func takeCID() -> CID? {
        guard self.channels.count < Self.maximumCount else { return nil }
        let range = CID.dynamicRange
        repeat {
            let last = self.lastCID.rawValue
            self.lastCID = CID(rawValue: last < range.upperBound ? last + 1 : range.lowerBound)
        } while self.index(of: self.lastCID) != nil
        return self.lastCID
    }

    /// Adds a channel with a CID from ``makeCID()``.
    mutating func insert(_ channel: CreditBasedChannel) {
        let index = self.channels.firstIndex { $0.localCID.rawValue > channel.localCID.rawValue }
        self.channels.insert(channel, at: index ?? self.channels.endIndex)
    }

    /// Modifies a channel in place; returns `nil` if there is none.
    @inline(__always)
    mutating func update<Result>(_ localCID: CID, _ body: (inout CreditBasedChannel) -> Result) -> Result? {
        guard let index = self.index(of: localCID) else { return nil }
        let result = body(&self.channels[index])
        if self.channels[index].isClosed { self.channels.remove(at: index) }
        return result
    }
}
