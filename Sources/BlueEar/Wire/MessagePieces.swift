// The encoding of messages: unchanged if one value holds it, else in pieces.
//
//     first piece   0xBE, length (4 octets), CRC-32 of the message (4 octets), its first octets
//     other pieces  0xBF, number of the piece modulo 256 (1 octet; the first piece is number 0), the next octets
//
// Numbers are big-endian. No property list begins with 0xBE or 0xBF: a binary one begins with "b", and these two octets
// cannot begin a text in UTF-8. So a peer without support for pieces rejects them as malformed, and its own messages
// are never taken for pieces.

import Foundation

/// The first octets of pieces.
internal enum PieceMarker {
    static let first: UInt8 = 0xBE
    static let other: UInt8 = 0xBF
    /// The length of the header of the first piece.
    static let firstHeaderLength = 9
    /// The length of the header of every other piece.
    static let otherHeaderLength = 2
}

/// A message that is cut into pieces as it is sent.
internal struct MessagePieces {
    /// The longest value of an attribute, in octets (Vol 3, Part F, 3.2.9).
    static let longestValue = 512

    /// The whole message.
    let message: Data
    private var sent = 0
    /// The number of pieces sent.
    private(set) var pieceCount = 0

    /// Starts with a message.
    init(_ message: Data) { self.message = message }

    /// Whether everything is sent.
    var isComplete: Bool { sent > 0 && sent >= message.count }

    /// Whether the message is being sent in pieces.
    var isCut: Bool { sent > 0 && sent < message.count }

    /// The next value to send, of at most `limit` octets; it stays the next one until ``advance(past:)``.
    ///
    /// - Parameter limit: at least 20, which is what every ATT value holds.
    func next(limit: Int) -> Data {
        if sent == 0 {
            guard message.count > limit else { return message }
            var piece = Data([PieceMarker.first])
            piece.append(bigEndian: UInt32(message.count))
            piece.append(bigEndian: CRC32.checksum(of: message))
            piece.append(message.prefix(limit - PieceMarker.firstHeaderLength))
            return piece
        }
        let start = message.startIndex + sent
        return Data([PieceMarker.other, UInt8(truncatingIfNeeded: pieceCount)])
            + message[start...].prefix(limit - PieceMarker.otherHeaderLength)
    }

    /// Marks a piece as sent.
    mutating func advance(past piece: Data) {
        if sent > 0 {
            sent += piece.count - PieceMarker.otherHeaderLength
        } else if piece.count == message.count {
            sent = message.count
        } else {
            sent = piece.count - PieceMarker.firstHeaderLength
        }
        pieceCount += 1
    }

    /// Whether a piece is the last one.
    func isLast(_ piece: Data) -> Bool {
        var rest = self
        rest.advance(past: piece)
        return rest.isComplete
    }
}

/// Reassembles pieces.
///
/// A link delivers in order, so only missing pieces must be detected: by the number of each piece, and by length and
/// checksum at the end.
internal struct MessageAssembler {
    private enum State {
        /// The next value is a message, or the first piece of one.
        case idle
        /// A message is incomplete.
        case collecting(Collection)
        /// A message was discarded; its remaining pieces are skipped.
        case skipping
    }

    private struct Collection {
        let length: Int
        let checksum: UInt32
        var octets: Data
        var number: UInt8
    }

    /// The result of a value.
    enum Outcome: Equatable {
        /// A complete message.
        case message(Data)
        /// A piece; more must follow.
        case piece
        /// A piece of a message that was discarded.
        case skipped
        /// Invalid.
        case failure(BlueEarError)
    }

    private var state = State.idle

    /// Whether a message is incomplete.
    var isCollecting: Bool {
        if case .collecting = state { return true }
        return false
    }

    /// Handles a value.
    ///
    /// - Returns: The result, and whether the value interrupted another message.
    mutating func receive(_ value: Data) -> (outcome: Outcome, brokeOff: Bool) {
        switch value.first {
        case PieceMarker.first?:
            let brokeOff = isCollecting
            return (begin(value), brokeOff)
        case PieceMarker.other?:
            return (goOn(value), false)
        default:
            let brokeOff = isCollecting
            state = .idle
            return (
                value.count <= BlueEarService.maximumMessageLength ? .message(value) : .failure(.malformed), brokeOff
            )
        }
    }

    private mutating func begin(_ value: Data) -> Outcome {
        state = .skipping
        guard value.count > PieceMarker.firstHeaderLength else { return .failure(.malformed) }
        let length = Int(value.bigEndian(at: 1))
        let octets = value.dropFirst(PieceMarker.firstHeaderLength)
        guard length <= BlueEarService.maximumMessageLength else { return .failure(.tooLong(length)) }
        // A message that fits into the first piece is not sent in pieces.
        guard length > octets.count else { return .failure(.malformed) }
        state = .collecting(
            Collection(length: length, checksum: value.bigEndian(at: 5), octets: Data(octets), number: 0)
        )
        return .piece
    }

    private mutating func goOn(_ value: Data) -> Outcome {
        switch state {
        case .idle:
            state = .skipping
            return .failure(.incomplete)
        case .skipping:
            return .skipped
        case .collecting(var collection):
            // Avoids a second copy while it grows.
            state = .skipping
            let octets = value.dropFirst(PieceMarker.otherHeaderLength)
            collection.number &+= 1
            guard
                !octets.isEmpty, value[value.startIndex + 1] == collection.number,
                octets.count <= collection.length - collection.octets.count
            else { return .failure(.incomplete) }
            collection.octets.append(octets)
            guard collection.octets.count == collection.length else {
                state = .collecting(collection)
                return .piece
            }
            state = .idle
            guard CRC32.checksum(of: collection.octets) == collection.checksum else { return .failure(.incomplete) }
            return .message(collection.octets)
        }
    }
}

extension Data {
    fileprivate mutating func append(bigEndian value: UInt32) {
        for shift in [24, 16, 8, 0] { append(UInt8(truncatingIfNeeded: value >> UInt32(shift))) }
    }

    /// The number at an offset; the octets must exist.
    fileprivate func bigEndian(at offset: Int) -> UInt32 {
        self[(startIndex + offset)..<(startIndex + offset + 4)].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
