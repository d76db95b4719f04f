// What is in packets, as JSON.

import Foundation

struct Announcement: Codable {
    var nickname: String
    /// Hexadecimal, as the other key.
    var signingKey: String
    var agreementKey: String
    /// Makes two announcements of one instant two packets.
    var nonce: UUID
}

struct PublicMessage: Codable {
    var id: UUID
    var text: String
    var sentAt: Date
}

/// A private message on its way: everyone can see which one it is, and nobody what is in it.
struct PrivateEnvelope: Codable {
    var id: UUID
    var sealed: Data
}

/// What is in the envelope.
struct PrivateMessage: Codable {
    var text: String
    var sentAt: Date
}

struct Acknowledgement: Codable {
    /// The private message that has arrived.
    var id: UUID
    var receivedAt: Date
}

struct Farewell: Codable {
    var leftAt: Date
}

struct ArchiveDigest: Codable, Equatable {
    var count: Int
    /// Hexadecimal.
    var hash: String
}

struct ArchiveInventory: Codable {
    var topics: [String]
}

/// The app's JSON: dates in seconds since 1970, keys in order, so that equal values are equal octets.
enum MeshJSON {
    static func encode<Value: Encodable>(_ value: Value) throws -> Data {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .secondsSince1970
        encoder.outputFormatting = .sortedKeys
        return try encoder.encode(value)
    }

    static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        return try decoder.decode(type, from: data)
    }
}
