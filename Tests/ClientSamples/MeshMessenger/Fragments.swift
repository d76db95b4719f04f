// Packets are larger than what one write or notification takes. On each link a packet goes whole, or in fragments that
// the other end puts together again.

import Foundation

/// What one write or notification carries.
enum Frame {
    fileprivate static let whole: UInt8 = 0
    fileprivate static let fragment: UInt8 = 1
    /// Kind, identifier, index, count.
    fileprivate static let fragmentHeader = 1 + 4 + 2 + 2

    /// The frames of a packet, none longer than `length` octets.
    static func frames(of packet: Data, length: Int) -> [Data] {
        if packet.count < length { return [Data([whole]) + packet] }
        let pieceLength = max(1, length - fragmentHeader)
        let count = (packet.count + pieceLength - 1) / pieceLength
        guard count <= Int(UInt16.max) else { return [] }
        var generator = SystemRandomNumberGenerator()
        let identifier = UInt32.random(in: .min ... .max, using: &generator)
        return (0..<count).map { index in
            var frame = Data([fragment])
            frame.append(number: identifier)
            frame.append(number: UInt16(index))
            frame.append(number: UInt16(count))
            frame.append(packet.dropFirst(index * pieceLength).prefix(pieceLength))
            return frame
        }
    }
}

/// Puts the fragments of one link together.
struct FragmentAssembler {
    private struct Partial {
        var pieces: [Int: Data] = [:]
        var count: Int
        let began = Date()
    }

    /// How long the rest of a packet may take.
    static let timeLimit: TimeInterval = 20
    /// How many packets may be incomplete at once.
    static let limit = 16
    private static let maximumPieces = 1024

    private var partials: [String: Partial] = [:]

    /// The packet that a frame completes, or is.
    mutating func add(_ frame: Data) -> Data? {
        var reader = Reader(frame)
        switch reader.number(UInt8.self) {
        case Frame.whole?: return reader.remainder()
        case Frame.fragment?: return addFragment(&reader)
        default: return nil
        }
    }

    private mutating func addFragment(_ reader: inout Reader) -> Data? {
        guard
            let identifier = reader.octets(4)?.hexEncodedString,
            let index = reader.number(UInt16.self).map(Int.init),
            let count = reader.number(UInt16.self).map(Int.init),
            index < count, count <= FragmentAssembler.maximumPieces
        else { return nil }
        if partials[identifier] == nil {
            removeExpired()
            if partials.count >= FragmentAssembler.limit,
                let oldest = partials.min(by: { $0.value.began < $1.value.began })
            {
                partials[oldest.key] = nil
            }
        }
        var partial = partials[identifier] ?? Partial(count: count)
        guard partial.count == count else { return nil }
        partial.pieces[index] = reader.remainder()
        guard partial.pieces.count == count else {
            partials[identifier] = partial
            return nil
        }
        partials[identifier] = nil
        return (0..<count).reduce(into: Data()) { $0.append(partial.pieces[$1] ?? Data()) }
    }

    /// Forgets what has been incomplete for too long; gives how many packets that were.
    @discardableResult
    mutating func removeExpired() -> Int {
        let before = partials.count
        let now = Date()
        partials = partials.filter { now.timeIntervalSince($0.value.began) < FragmentAssembler.timeLimit }
        return before - partials.count
    }
}
