// A GATT server's state of a bonded client, in a form that can be stored.

import BluetoothHost
import BluetoothTypes
import NIOCore

extension BondedClient.Configuration: Codable {
    private enum CodingKeys: String, CodingKey {
        case characteristic
        case uuid
        case bits
    }

    /// Reads a configuration.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            characteristic: try container.decode(AttributeHandle.self, forKey: .characteristic),
            uuid: try container.decode(BluetoothUUID.self, forKey: .uuid),
            bits: try container.decode(UInt8.self, forKey: .bits)
        )
    }

    /// Writes a configuration.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.characteristic, forKey: .characteristic)
        try container.encode(self.uuid, forKey: .uuid)
        try container.encode(self.bits, forKey: .bits)
    }
}

extension BondedClient: StateContent {
    static var version: Int { 1 }

    private enum CodingKeys: String, CodingKey {
        case configurations
        case features
        case databaseHash
    }

    /// Reads the state.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let hash = try container.decodeIfPresent([UInt8].self, forKey: .databaseHash)
        if let hash, hash.count != 16 {
            throw DecodingError.dataCorruptedError(
                forKey: .databaseHash,
                in: container,
                debugDescription: "a Database Hash has 16 octets, not \(hash.count)"
            )
        }
        self.init(
            configurations: try container.decode([Configuration].self, forKey: .configurations),
            features: try container.decode(UInt8.self, forKey: .features),
            databaseHash: hash.map { ByteBuffer(bytes: $0) }
        )
    }

    /// Writes the state.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.configurations, forKey: .configurations)
        try container.encode(self.features, forKey: .features)
        try container.encodeIfPresent(self.databaseHash.map { Array($0.readableBytesView) }, forKey: .databaseHash)
    }
}
