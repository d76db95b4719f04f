// Which links are held back since apps do not take what the peers send. What a link brings has several owners, such as
// the connections of two managers; the link goes on when none of them is behind any more.

import BluetoothHost

/// The links that are held back, and whose apps are behind.
struct HeldLinks {
    private var owners: [LinkID: Set<TransmitToken>] = [:]

    /// An owner's app is behind; says whether the link is to be held back from now on.
    mutating func hold(_ link: LinkID, for owner: TransmitToken) -> Bool {
        let isFirst = self.owners[link] == nil
        self.owners[link, default: []].insert(owner)
        return isFirst
    }

    /// An owner's app is no longer behind, or no longer has the link; says whether the link is to go on.
    mutating func release(_ link: LinkID, for owner: TransmitToken) -> Bool {
        guard self.owners[link]?.remove(owner) != nil, self.owners[link]?.isEmpty == true else { return false }
        self.owners[link] = nil
        return true
    }

    /// A link has ended.
    mutating func forget(_ link: LinkID) { self.owners[link] = nil }
}
