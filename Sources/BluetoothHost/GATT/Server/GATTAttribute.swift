// One attribute of the server's database: handle, type, permissions, and the source of its value (Vol 3, Part F, 3.2).

import BluetoothTypes
import NIOCore

/// An attribute.
struct GATTAttribute: Sendable {
    /// The operations that an attribute allows.
    struct Access: OptionSet, Hashable, Sendable {
        var rawValue: UInt8

        /// The value can be read.
        static let read = Access(rawValue: 0x01)
        /// The value can be written with a request.
        static let write = Access(rawValue: 0x02)
        /// The value can be written with a command.
        static let writeCommand = Access(rawValue: 0x04)
        /// The value can be written with a signed command.
        static let signedWrite = Access(rawValue: 0x08)
    }

    /// The source of the value.
    enum Content: Sendable {
        /// A fixed value.
        case fixed(ByteBuffer)
        /// The application is asked each time.
        case application
        /// The Client Characteristic Configuration of each client, for the characteristic with this value handle; the
        /// properties say which bits are valid, and `asks` whether the application may refuse a write.
        case clientConfiguration(characteristic: AttributeHandle, properties: CharacteristicProperties, asks: Bool)
        /// The Client Supported Features of each client.
        case clientSupportedFeatures
        /// The hash of the database's structure.
        case databaseHash
    }

    /// The attribute's handle.
    let handle: AttributeHandle
    /// The last handle of the service for a service declaration, otherwise the attribute's own handle.
    let groupEnd: AttributeHandle
    /// The allowed operations.
    let access: Access
    /// The required security for reading.
    let readSecurity: SecurityRequirement
    /// The required security for writing; for a Client Characteristic Configuration, also for sending a value.
    let writeSecurity: SecurityRequirement
    /// The type as ATT sends it.
    let type: BluetoothUUID
    /// The 16-bit type; 0 if it has 128 bits.
    let shortType: UInt16
    /// The source of the value; a fixed value may be replaced.
    var content: Content

    init(
        handle: AttributeHandle,
        groupEnd: AttributeHandle? = nil,
        type: BluetoothUUID,
        access: Access,
        readSecurity: SecurityRequirement = .none,
        writeSecurity: SecurityRequirement = .none,
        content: Content
    ) {
        self.handle = handle
        self.groupEnd = groupEnd ?? handle
        self.access = access
        self.readSecurity = readSecurity
        self.writeSecurity = writeSecurity
        self.type = type.attForm
        self.shortType = type.shortValue ?? 0
        self.content = content
    }

    /// Whether the application handles the value.
    var isApplicationValue: Bool { if case .application = self.content { true } else { false } }

    /// Whether the application may refuse a write of a value that the server stores.
    var asksBeforeSubscription: Bool {
        if case .clientConfiguration(_, _, asks: true) = self.content { true } else { false }
    }

    /// Whether the attribute starts a service.
    var isService: Bool {
        self.shortType == GATTAttributeType.primaryService || self.shortType == GATTAttributeType.secondaryService
    }
}
