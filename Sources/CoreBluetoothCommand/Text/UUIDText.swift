// UUIDs with the names that the Bluetooth SIG has assigned.

import AssignedNumbers
import BluetoothTypes
import CommandLineTool
import CoreBluetooth

/// A UUID in words.
enum UUIDText {
    /// The digits, and the assigned name if there is one.
    static func label(_ uuid: CBUUID) -> String {
        assignedName(uuid).map { "\(uuid.uuidString) \($0)" } ?? uuid.uuidString
    }

    /// The assigned name for a JSON object; `null` if there is none.
    static func json(_ uuid: CBUUID) -> JSONValue { JSONValue(assignedName(uuid)) }

    /// The texts that stand for it on the command line: the assigned name, if there is one, and the digits.
    static func spellings(_ uuid: CBUUID) -> [String] { [assignedName(uuid), uuid.uuidString].compactMap { $0 } }

    /// The assigned name of a service, else the digits; the name of a characteristic does not count.
    static func name(ofService uuid: CBUUID) -> String { serviceName(uuid) ?? uuid.uuidString }

    /// The digits of a service, with its assigned name if it has one.
    static func label(ofService uuid: CBUUID) -> String {
        serviceName(uuid).map { "\(uuid.uuidString) \($0)" } ?? uuid.uuidString
    }

    /// The assigned name of a service for a JSON object; `null` if it has none.
    static func json(ofService uuid: CBUUID) -> JSONValue { JSONValue(serviceName(uuid)) }

    /// Numbers from 0x2700 belong to declarations, descriptors and characteristics, except those of organizations
    /// (Assigned Numbers, 3.5 to 3.8).
    private static func serviceName(_ uuid: CBUUID) -> String? {
        if let number = BluetoothUUID(uuid.uuidString)?.shortValue, (0x2700..<0xFC00).contains(number) { return nil }
        return assignedName(uuid)
    }

    private static func assignedName(_ uuid: CBUUID) -> String? {
        BluetoothUUID(uuid.uuidString).flatMap(AssignedNames.name(of:))
    }
}
