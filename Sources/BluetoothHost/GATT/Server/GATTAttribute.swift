// One attribute of the server's database: handle, type, who may use it, and where its value comes from
// (Vol 3, Part F, 3.2).

import BluetoothTypes
import NIOCore

/// An attribute.
struct GATTAttribute: Sendable {
    /// What may be done with the attribute, and on what kind of link.
    struct Access: OptionSet, Hashable, Sendable {
        var rawValue: UInt8

        /// The value can be read.
        static let read = Access(rawValue: 0x01)
        /// The value can be written with a request.
        static let write = Access(rawValue: 0x02)
        /// The value can be written with a command.
        static let writeCommand = Access(rawValue: 0x04)
        /// Reading needs an encrypted link.
        static let readNeedsEncryption = Access(rawValue: 0x08)
        /// Reading needs a link whose key was made with protection against a man in the middle.
        static let readNeedsAuthentication = Access(rawValue: 0x10)
        /// Writing needs an encrypted link.
        static let writeNeedsEncryption = Access(rawValue: 0x20)
        /// Writing needs a link whose key was made with protection against a man in the middle.
        static let writeNeedsAuthentication = Access(rawValue: 0x40)
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
    /// Who may use the attribute.
    let access: Access
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
        content: Content
    ) {
        self.handle = handle
        self.groupEnd = groupEnd ?? handle
        self.access = access
        self.type = type.attForm
        self.shortType = type.shortValue ?? 0
        self.content = content
    }

    /// Whether the attribute starts a service.
    var isService: Bool {
        self.shortType == GATTAttributeType.primaryService || self.shortType == GATTAttributeType.secondaryService
    }
}
