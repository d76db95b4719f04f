// UUIDs for a person: with the names that the Bluetooth SIG has assigned, where there are any.

import CommandLineTool
import CoreBluetooth

/// A UUID in words.
enum UUIDText {
    /// The assigned name, else the digits.
    static func name(_ uuid: CBUUID) -> String { AssignedNames.name(of: uuid) ?? uuid.uuidString }

    /// The digits, with the assigned name where there is one.
    static func label(_ uuid: CBUUID) -> String {
        AssignedNames.name(of: uuid).map { "\(uuid.uuidString) \($0)" } ?? uuid.uuidString
    }

    /// The assigned name for a JSON object; `null` where there is none.
    static func json(_ uuid: CBUUID) -> JSONValue { JSONValue(AssignedNames.name(of: uuid)) }
}
