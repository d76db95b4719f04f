// The links that are paused because apps do not take what the peers send. The data of one link may be for several
// owners, such as the connections of two managers; the link is resumed when none of them is behind any more.

import BluetoothHost

/// The paused links, with the owners whose apps are behind.
struct PausedLinks {
    private var owners: [LinkID: Set<TransmitToken>] = [:]

    /// An owner's app is behind. Returns whether the link has to be paused now.
    mutating func pause(_ link: LinkID, for owner: TransmitToken) -> Bool {
        let isFirst = self.owners[link] == nil
        self.owners[link, default: []].insert(owner)
        return isFirst
    }

    /// An owner's app is no longer behind, or no longer has the link. Returns whether the link has to be resumed.
    mutating func resume(_ link: LinkID, for owner: TransmitToken) -> Bool {
        guard self.owners[link]?.remove(owner) != nil, self.owners[link]?.isEmpty == true else { return false }
        self.owners[link] = nil
        return true
    }

    /// A link has ended.
    mutating func forget(_ link: LinkID) { self.owners[link] = nil }
}
