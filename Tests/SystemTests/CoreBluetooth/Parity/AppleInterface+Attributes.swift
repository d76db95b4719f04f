// Apple's interface, line by line: services, characteristics, descriptors and UUIDs. The grammar of the lines is in
// InterfaceTable.swift.

extension AppleInterface {
    /// Attributes and UUIDs.
    static let attributes = """
        open class CBAttribute: NSObject
            unavailable init()
            var uuid: CBUUID { get }
        open class CBService: CBAttribute
            unavailable init()
            var characteristics: [CBCharacteristic]? { get }
            var includedServices: [CBService]? { get }
            var isPrimary: Bool { get }
            var peripheral: CBPeripheral? { get }
        open class CBMutableService: CBService
            init(type UUID: CBUUID, primary isPrimary: Bool)
            unavailable init()
            var characteristics: [CBCharacteristic]? { get set }
            var includedServices: [CBService]? { get set }
        open class CBCharacteristic: CBAttribute
            unavailable init()
            var descriptors: [CBDescriptor]? { get }
            deprecated var isBroadcasted: Bool { get }
            var isNotifying: Bool { get }
            var properties: CBCharacteristicProperties { get }
            var value: Data? { get }
            var service: CBService? { get }
        open class CBMutableCharacteristic: CBCharacteristic
            init(type UUID: CBUUID, properties: CBCharacteristicProperties, value: Data?, \
                permissions: CBAttributePermissions)
            unavailable init()
            var descriptors: [CBDescriptor]? { get set }
            var permissions: CBAttributePermissions { get set }
            var properties: CBCharacteristicProperties { get set }
            var subscribedCentrals: [CBCentral]? { get }
            var value: Data? { get set }
        open class CBDescriptor: CBAttribute
            unavailable init()
            var value: Any? { get }
            var characteristic: CBCharacteristic? { get }
        open class CBMutableDescriptor: CBDescriptor
            init(type UUID: CBUUID, value: Any?)
            unavailable init()
        open class CBUUID: NSObject, NSCopying
            convenience init()
            deprecated convenience init(cfuuid theUUID: CFUUID)
            convenience init(data theData: Data)
            convenience init(nsuuid theUUID: UUID)
            convenience init(string theString: String)
            var data: Data { get }
            var uuidString: String { get }
        struct CBCharacteristicProperties: OptionSet, BitwiseCopyable, Equatable, ExpressibleByArrayLiteral, \
            RawRepresentable, Sendable, SetAlgebra
            init(rawValue: UInt)
            static var broadcast: CBCharacteristicProperties { get } := 0x1
            static var read: CBCharacteristicProperties { get } := 0x2
            static var writeWithoutResponse: CBCharacteristicProperties { get } := 0x4
            static var write: CBCharacteristicProperties { get } := 0x8
            static var notify: CBCharacteristicProperties { get } := 0x10
            static var indicate: CBCharacteristicProperties { get } := 0x20
            static var authenticatedSignedWrites: CBCharacteristicProperties { get } := 0x40
            static var extendedProperties: CBCharacteristicProperties { get } := 0x80
            static var notifyEncryptionRequired: CBCharacteristicProperties { get } := 0x100
            static var indicateEncryptionRequired: CBCharacteristicProperties { get } := 0x200
        struct CBAttributePermissions: OptionSet, BitwiseCopyable, Equatable, ExpressibleByArrayLiteral, \
            RawRepresentable, Sendable, SetAlgebra
            init(rawValue: UInt)
            static var readable: CBAttributePermissions { get } := 0x1
            static var writeable: CBAttributePermissions { get } := 0x2
            static var readEncryptionRequired: CBAttributePermissions { get } := 0x4
            static var writeEncryptionRequired: CBAttributePermissions { get } := 0x8
        enum CBCharacteristicWriteType: Int, BitwiseCopyable, Equatable, Hashable, RawRepresentable, Sendable
            init?(rawValue: Int)
            case withResponse := 0
            case withoutResponse := 1
        """
}
