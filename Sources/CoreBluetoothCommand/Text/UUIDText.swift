// UUIDs for a person: with the names that the Bluetooth SIG has assigned, where there are any.

import AssignedNumbers
import BluetoothTypes
import CommandLineTool
import CoreBluetooth

/// A UUID in words.
enum UUIDText {
    /// The assigned name, else the digits.
    static func name(_ uuid: CBUUID) -> String { assignedName(uuid) ?? uuid.uuidString }

    /// The digits, with the assigned name where there is one.
    static func label(_ uuid: CBUUID) -> String {
        assignedName(uuid).map { "\(uuid.uuidString) \($0)" } ?? uuid.uuidString
    }

    /// The assigned name for a JSON object; `null` where there is none.
    static func json(_ uuid: CBUUID) -> JSONValue { JSONValue(assignedName(uuid)) }

    /// The assigned name, where there is one.
    static func assignedName(_ uuid: CBUUID) -> String? {
        BluetoothUUID(uuid.uuidString).flatMap(AssignedNames.name(of:))
    }
}
