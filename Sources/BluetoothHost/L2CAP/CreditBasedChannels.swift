// The credit-based channels of one link, in the order of their CIDs. A channel that has closed leaves the table, and
// its CID is given out again after all others.
//
// A peer has as many channels as the table takes; every further request is refused with No Resources.

import NIOCore

/// All channels of a link.
struct CreditBasedChannels: Sendable {
    /// A service that peers may open channels to.
    struct Listener: Hashable, Sendable {
        /// What this side offers.
        var configuration: L2CAPChannelConfiguration
        /// What the link must offer.
        var security: SecurityRequirement
    }

    /// How many channels a link has at most; there are more CIDs.
    static let maximumCount = 16

    /// Who listens, by SPSM.
    var listeners: [SPSM: Listener] = [:]
    /// What the link must offer for any of them.
    var requirement = SecurityRequirement.none
    private var channels: [CreditBasedChannel] = []
    /// The CID that was given out last.
    private var lastCID = CID(rawValue: CID.dynamicRange.upperBound)

    /// The CIDs that are taken, in order.
    var localCIDs: [CID] { self.channels.map(\.localCID) }

    /// When the first of the channels has to be advanced; `nil` for never.
    var nextDeadline: NIODeadline? { self.channels.lazy.compactMap(\.deadline).min() }

    /// The channel of a CID.
    subscript(_ localCID: CID) -> CreditBasedChannel? { self.index(of: localCID).map { self.channels[$0] } }

    // MARK: Finding

    /// The channel of the user's identifier.
    func localCID(of id: L2CAPChannelID) -> CID? { self.localCID { $0.id == id } }

    /// The channel that the peer has this CID for.
    func localCID(forRemote remoteCID: CID) -> CID? { self.localCID { $0.remoteCID == remoteCID } }

    /// The channel that sends to this CID of the peer.
    func localCID(sendingTo remoteCID: CID) -> CID? {
        self.localCID { $0.isConnected && $0.remoteCID == remoteCID }
    }

    /// The channel that awaits the response to a command.
    func localCID(awaiting identifier: UInt8) -> CID? { self.localCID { $0.awaitedIdentifier == identifier } }

    /// The channels whose deadline has come.
    func localCIDs(dueAt now: NIODeadline) -> [CID] {
        self.channels.lazy.filter { $0.deadline.map { $0 <= now } ?? false }.map(\.localCID)
    }

    /// The first channel that is meant; looked at in its place, since that is done for each frame.
    @inline(__always)
    private func localCID(where isMeant: (borrowing CreditBasedChannel) -> Bool) -> CID? {
        for index in self.channels.indices where isMeant(self.channels[index]) { return self.channels[index].localCID }
        return nil
    }

    private func index(of localCID: CID) -> Int? {
        self.channels.indices.first { self.channels[$0].localCID == localCID }
    }

    // MARK: Changing

    /// A CID for one more channel; `nil` where there are enough. The one that was given back last comes last.
    mutating func takeCID() -> CID? {
        guard self.channels.count < Self.maximumCount else { return nil }
        let range = CID.dynamicRange
        repeat {
            let last = self.lastCID.rawValue
            self.lastCID = CID(rawValue: last < range.upperBound ? last + 1 : range.lowerBound)
        } while self.index(of: self.lastCID) != nil
        return self.lastCID
    }

    /// Adds a channel with a CID that was taken for it.
    mutating func insert(_ channel: CreditBasedChannel) {
        let index = self.channels.firstIndex { $0.localCID.rawValue > channel.localCID.rawValue }
        self.channels.insert(channel, at: index ?? self.channels.endIndex)
    }

    /// Works on a channel in its place; `nil` where there is none.
    @inline(__always)
    mutating func update<Result>(_ localCID: CID, _ body: (inout CreditBasedChannel) -> Result) -> Result? {
        guard let index = self.index(of: localCID) else { return nil }
        let result = body(&self.channels[index])
        if self.channels[index].isClosed { self.channels.remove(at: index) }
        return result
    }
}
