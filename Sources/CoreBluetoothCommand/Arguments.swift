// Arguments of several commands: what they mean, and what is wrong with wrong ones.

import ArgumentParser
import BluetoothTypes
import CoreBluetooth
import Foundation

/// Reads arguments.
enum Arguments {
    /// A UUID of 4, 8 or 36 characters, or the name of a service, characteristic or descriptor.
    static func uuid(_ text: String) throws -> CBUUID {
        if BluetoothUUID(text) != nil { return CBUUID(string: text) }
        if let uuid = AssignedNames.uuid(named: text) { return uuid }
        throw ValidationError(
            "\"\(text)\" is no UUID: write 4 hexadecimal digits such as 180D, 36 characters, or a name such as \"Heart Rate\"."
        )
    }

    /// A time limit in seconds.
    static func check(timeout: Double) throws {
        guard timeout > 0, timeout <= 86_400 else {
            throw ValidationError("The timeout must be more than 0 and at most 86400 seconds.")
        }
    }
}
