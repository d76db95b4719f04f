// The names that BlueZ has on the bus (BlueZ, doc/*.rst), and what its object paths say.

import BluetoothHost
import BluetoothTypes

/// Names of BlueZ.
enum BlueZ {
    static let service = "org.bluez"
    static let root = "/org/bluez"
    static let adapter = "org.bluez.Adapter1"
    static let device = "org.bluez.Device1"
    static let gattManager = "org.bluez.GattManager1"
    static let gattService = "org.bluez.GattService1"
    static let characteristic = "org.bluez.GattCharacteristic1"
    static let descriptor = "org.bluez.GattDescriptor1"
    static let advertisingManager = "org.bluez.LEAdvertisingManager1"
    static let advertisement = "org.bluez.LEAdvertisement1"

    static let objectManager = "org.freedesktop.DBus.ObjectManager"
    static let propertiesInterface = "org.freedesktop.DBus.Properties"
    static let bus = "org.freedesktop.DBus"
    static let busPath = "/org/freedesktop/DBus"

    /// The number in the path of an adapter; `nil` for another path.
    static func adapterIndex(_ path: String) -> Int? {
        guard path.hasPrefix("\(self.root)/hci") else { return nil }
        let digits = path.dropFirst(self.root.utf8.count + 4)
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        return Int(digits)
    }

    /// Whether an object belongs to another one, as an attribute to its device.
    static func path(_ path: String, isBelow parent: String) -> Bool {
        path.utf8.count > parent.utf8.count + 1 && path.hasPrefix(parent)
            && path.utf8[path.utf8.index(path.utf8.startIndex, offsetBy: parent.utf8.count)] == UInt8(ascii: "/")
    }

    /// The handle in the last part of an attribute's path, such as `service000a` or `char000b`; `nil` if the path is
    /// not that of a child of `parent` of this kind.
    static func handle(_ path: String, below parent: String, _ kind: String) -> AttributeHandle? {
        guard self.path(path, isBelow: parent) else { return nil }
        let name = path.dropFirst(parent.utf8.count + 1)
        guard name.hasPrefix(kind) else { return nil }
        let digits = name.dropFirst(kind.utf8.count)
        guard digits.utf8.count == 4, digits.allSatisfy(\.isHexDigit), let handle = UInt16(digits, radix: 16),
            handle != 0
        else { return nil }
        return handle
    }
}
