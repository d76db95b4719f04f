// The fuzzer's octets as decisions, read from front to back. After their end there are no more faults.

/// An input that is used up octet by octet.
final class Input {
    private let octets: [UInt8]
    private var place = 0

    init(_ octets: [UInt8]) { self.octets = octets }

    /// Whether all octets are used.
    var isOver: Bool { self.place >= self.octets.count }

    /// The next octet; `nil` at the end.
    func next() -> UInt8? {
        guard self.place < self.octets.count else { return nil }
        defer { self.place += 1 }
        return self.octets[self.place]
    }

    /// Up to `count` further octets.
    func take(_ count: Int) -> [UInt8] {
        let end = min(self.octets.count, self.place + count)
        defer { self.place = end }
        return Array(self.octets[self.place..<end])
    }

    /// At most the number of octets that the next one says.
    func takeCounted() -> [UInt8] { self.take(Int(self.next() ?? 0)) }

    /// All remaining octets.
    func takeRest() -> [UInt8] { self.take(.max - self.place) }
}
