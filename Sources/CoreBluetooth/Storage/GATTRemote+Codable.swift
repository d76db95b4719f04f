// The GATT client's attributes in a form that can be stored.

import BluetoothHost
import BluetoothTypes
import Foundation

extension BluetoothUUID: Codable {
    /// Reads the text of a UUID.
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let uuid = BluetoothUUID(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(text) is not a UUID")
        }
        self = uuid
    }

    /// Writes the UUID as text.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self.description)
    }
}

extension GATTRemoteService: Codable {
    private enum CodingKeys: String, CodingKey {
        case uuid
        case first
        case last
        case isPrimary
    }

    /// Reads a service.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let first = try container.decode(AttributeHandle.self, forKey: .first)
        let last = try container.decode(AttributeHandle.self, forKey: .last)
        guard first >= 1, first <= last else {
            throw DecodingError.dataCorruptedError(
                forKey: .last,
                in: container,
                debugDescription: "\(first) to \(last) are no handles"
            )
        }
        self.init(
            uuid: try container.decode(BluetoothUUID.self, forKey: .uuid),
            handles: first...last,
            isPrimary: try container.decode(Bool.self, forKey: .isPrimary)
        )
    }

    /// Writes a service.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.uuid, forKey: .uuid)
        try container.encode(self.handles.lowerBound, forKey: .first)
        try container.encode(self.handles.upperBound, forKey: .last)
        try container.encode(self.isPrimary, forKey: .isPrimary)
    }
}

extension GATTRemoteCharacteristic: Codable {
    private enum CodingKeys: String, CodingKey {
        case uuid
        case properties
        case declaration
        case value
        case end
    }

    /// Reads a characteristic.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let declaration = try container.decode(AttributeHandle.self, forKey: .declaration)
        let value = try container.decode(AttributeHandle.self, forKey: .value)
        let end = try container.decode(AttributeHandle.self, forKey: .end)
        guard 1 <= declaration, declaration < value, value <= end else {
            throw DecodingError.dataCorruptedError(
                forKey: .value,
                in: container,
                debugDescription: "\(declaration), \(value), \(end) are no handles"
            )
        }
        self.init(
            uuid: try container.decode(BluetoothUUID.self, forKey: .uuid),
            properties: CharacteristicProperties(rawValue: try container.decode(UInt8.self, forKey: .properties)),
            declarationHandle: declaration,
            valueHandle: value,
            endHandle: end
        )
    }

    /// Writes a characteristic.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.uuid, forKey: .uuid)
        try container.encode(self.properties.rawValue, forKey: .properties)
        try container.encode(self.declarationHandle, forKey: .declaration)
        try container.encode(self.valueHandle, forKey: .value)
        try container.encode(self.endHandle, forKey: .end)
    }
}

extension GATTRemoteDescriptor: Codable {
    private enum CodingKeys: String, CodingKey {
        case uuid
        case handle
    }

    /// Reads a descriptor.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            uuid: try container.decode(BluetoothUUID.self, forKey: .uuid),
            handle: try container.decode(AttributeHandle.self, forKey: .handle)
        )
    }

    /// Writes a descriptor.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.uuid, forKey: .uuid)
        try container.encode(self.handle, forKey: .handle)
    }
}
