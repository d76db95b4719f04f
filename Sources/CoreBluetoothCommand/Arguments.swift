// Arguments of several commands, and the errors of wrong ones.

import ArgumentParser
import AssignedNumbers
import BluetoothTypes
import CoreBluetooth
import Foundation

/// Reads arguments.
enum Arguments {
    /// A UUID of 4, 8 or 36 characters, or the name of a service, characteristic or descriptor.
    static func uuid(_ text: String) throws -> CBUUID {
        if BluetoothUUID(text) != nil { return CBUUID(string: text) }
        if let uuid = AssignedNames.uuid(named: text) { return CBUUID(string: uuid.description) }
        throw ValidationError(
            "\"\(text)\" is no UUID: write 4 hexadecimal digits such as 180D, 36 characters, or a name such as \"Heart Rate\"."
        )
    }
}
