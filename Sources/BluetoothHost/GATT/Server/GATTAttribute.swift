// One attribute of the server's database: handle, type, who may use it, and where its value comes from
// (Vol 3, Part F, 3.2).

import BluetoothTypes
import NIOCore

/// An attribute.
struct GATTAttribute: Sendable {
    /// What may be done with the attribute at all.
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

    /// Where the value comes from.
    enum Content: Sendable {
        /// It never changes.
        case fixed(ByteBuffer)
        /// The application is asked each time.
        case application
        /// Each client has a Client Characteristic Configuration of its own for the characteristic whose value has the
        /// handle; the properties say which bits make sense.
        case clientConfiguration(characteristic: AttributeHandle, properties: CharacteristicProperties)
        /// Each client has Client Supported Features of its own.
        case clientSupportedFeatures
        /// The hash over the database's structure.
        case databaseHash
    }

    /// The attribute's handle.
    let handle: AttributeHandle
    /// The last handle of the service for a service declaration, else the attribute's own handle.
    let groupEnd: AttributeHandle
    /// What may be done with the attribute.
    let access: Access
    /// What the link must offer before the value is read.
    let readSecurity: SecurityRequirement
    /// What the link must offer before the value is written; for a Client Characteristic Configuration also before a
    /// value is sent.
    let writeSecurity: SecurityRequirement
    /// The type, in the form that ATT sends.
    let type: BluetoothUUID
    /// The 16 bits of the type; 0 where it has 128.
    let shortType: UInt16
    /// Where the value comes from; a fixed value may be replaced by another of the same meaning.
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

    /// Whether the application is asked for the value.
    var isApplicationValue: Bool { if case .application = self.content { true } else { false } }

    /// Whether the attribute starts a service.
    var isService: Bool {
        self.shortType == GATTAttributeType.primaryService || self.shortType == GATTAttributeType.secondaryService
    }
}
