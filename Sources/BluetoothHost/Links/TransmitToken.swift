// The owners of PDUs. A user that queues PDUs for several owners gives each owner a token and gets it back with the
// counts of sent PDUs.

/// The owner of PDUs that are sent without a response: a number of the user's choice.
public struct TransmitToken: RawRepresentable, Hashable, Sendable {
    /// The number.
    public var rawValue: UInt64

    /// Creates a token.
    @inlinable
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The token of a user with one owner.
    public static let standard = TransmitToken(rawValue: 0)
}

/// PDUs, or values in one PDU, of one owner.
struct Transmission: Hashable, Sendable {
    var token: TransmitToken
    var count: Int
}

/// The PDUs that have left, in order: one entry for each run of one owner.
struct TransmitTally {
    private(set) var transmissions: [Transmission] = []

    var isEmpty: Bool { self.transmissions.isEmpty }

    /// Adds PDUs that have left.
    @inline(__always)
    mutating func add(_ token: TransmitToken, count: Int = 1) {
        if let last = self.transmissions.indices.last, self.transmissions[last].token == token {
            self.transmissions[last].count += count
        } else {
            self.transmissions.append(Transmission(token: token, count: count))
        }
    }

    /// Empties the tally and keeps its storage.
    mutating func removeAll() { self.transmissions.removeAll(keepingCapacity: true) }
}
