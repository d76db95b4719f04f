import CoreBluetooth
import Foundation

/// A message, cut and put together. Each piece begins with an octet: 1 where more pieces follow, else 0.
struct Pieces {
    /// What a peer may make this device keep, in octets.
    static let longestMessage = 4_096
    private var octets = Data()

    /// The pieces of a message, each of at most `limit` octets.
    static func cut(_ message: [String: String], limit: Int) throws -> [Data] {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        let octets = try encoder.encode(message)
        let length = max(1, limit - 1)
        return stride(from: 0, to: octets.count, by: length).map { start in
            let end = min(start + length, octets.count)
            return Data([end < octets.count ? 1 : 0]) + octets[start..<end]
        }
    }

    /// Takes a piece; gives the message where that was the last one.
    mutating func take(_ piece: Data) -> [String: String]? {
        // Of a message that is too long nothing more is kept, up to its last piece.
        if octets.count <= Pieces.longestMessage { octets += piece.dropFirst() }
        guard piece.first == 0 else { return nil }
        defer { octets = Data() }
        guard octets.count <= Pieces.longestMessage else { return nil }
        // Decoded as what it has to be, and as nothing else: these octets come from another device.
        return try? PropertyListDecoder().decode([String: String].self, from: octets)
    }
}
