// UUIDs for a person: with the names that the Bluetooth SIG has assigned, where there are any.

import AssignedNumbers
import BluetoothTypes
import CommandLineTool
import CoreBluetooth

/// A UUID in words.
enum UUIDText {
    /// The digits, with the assigned name where there is one.
    static func label(_ uuid: CBUUID) -> String {
        assignedName(uuid).map { "\(uuid.uuidString) \($0)" } ?? uuid.uuidString
    }

    /// The assigned name for a JSON object; `null` where there is none.
    static func json(_ uuid: CBUUID) -> JSONValue { JSONValue(assignedName(uuid)) }

    /// What a person may write for it: the assigned name, where there is one, and the digits.
    static func spellings(_ uuid: CBUUID) -> [String] { [assignedName(uuid), uuid.uuidString].compactMap { $0 } }

    /// The assigned name of a service, else the digits; a characteristic's name is none of a service.
    static func name(ofService uuid: CBUUID) -> String { serviceName(uuid) ?? uuid.uuidString }

    /// The digits of a service, with its assigned name if it has one.
    static func label(ofService uuid: CBUUID) -> String {
        serviceName(uuid).map { "\(uuid.uuidString) \($0)" } ?? uuid.uuidString
    }

    /// The assigned name of a service for a JSON object; `null` if it has none.
    static func json(ofService uuid: CBUUID) -> JSONValue { JSONValue(serviceName(uuid)) }

    /// Declarations, descriptors and characteristics have the numbers from 0x2700 on that no organization has
    /// (Assigned Numbers, 3.5 to 3.8).
    private static func serviceName(_ uuid: CBUUID) -> String? {
        if let number = BluetoothUUID(uuid.uuidString)?.shortValue, (0x2700..<0xFC00).contains(number) { return nil }
        return assignedName(uuid)
    }

    private static func assignedName(_ uuid: CBUUID) -> String? {
        BluetoothUUID(uuid.uuidString).flatMap(AssignedNames.name(of:))
    }
}
