// A table of links by connection handle or identifier.

/// Links by a key.
///
/// A controller has few links, and every packet is looked up here, so keys are compared one after the other: that is
/// cheaper than hashing.
struct LinkTable<Key: Equatable> {
    private var keys: ContiguousArray<Key> = []
    private var links: ContiguousArray<HostLink> = []

    /// The link of a key; `nil` if there is none.
    subscript(key: Key) -> HostLink? {
        get { self.keys.firstIndex(of: key).map { self.links[$0] } }
        set {
            switch (self.keys.firstIndex(of: key), newValue) {
            case (let index?, let link?):
                self.links[index] = link
            case (nil, let link?):
                self.keys.append(key)
                self.links.append(link)
            case (let index?, nil):
                self.keys.remove(at: index)
                self.links.remove(at: index)
            case (nil, nil): break
            }
        }
    }
}
