// Arguments of several commands, and the errors of wrong ones.

import ArgumentParser
import AssignedNumbers
import BluetoothTransport
import BluetoothTypes
import CommandLineTool
import CoreBluetooth
import Foundation

/// Reads arguments.
enum Arguments {
    /// The adapter with a name; that of the environment, or the user's own air, where none is given.
    static func adapter(_ name: String?) throws -> AdapterName {
        let name = name ?? ProcessInfo.processInfo.environment["COREBLUETOOTH_ADAPTER"] ?? ""
        do throws(TransportError) {
            return try AdapterName(parsing: name.isEmpty ? "air" : name)
        } catch {
            throw ValidationError(error.message)
        }
    }

    /// Where to listen.
    static func listeningAddress(_ text: String) throws -> StreamAddress {
        do throws(TransportError) {
            return try StreamAddress(parsing: text, allowsAnyPort: true)
        } catch {
            throw ValidationError(error.message)
        }
    }

    /// A UUID of 4, 8 or 36 characters, or the name of a service, characteristic or descriptor.
    static func uuid(_ text: String) throws -> CBUUID {
        if BluetoothUUID(text) != nil { return CBUUID(string: text) }
        if let uuid = AssignedNames.uuid(named: text) { return CBUUID(string: uuid.description) }
        let suggestion = suggestedName(for: text)
        guard suggestion.isEmpty else {
            throw ValidationError("\"\(text)\" is no UUID and no assigned name\(suggestion)")
        }
        throw ValidationError(
            "\"\(text)\" is no UUID: write 4 hexadecimal digits such as 180D, 36 characters, or a name such as \"Heart Rate\"."
        )
    }

    /// The question whether a person has meant an assigned name by a word that is none; empty if no name is like it.
    static func suggestedName(for text: String) -> String {
        CommandSuggestion.suffix(for: text, among: AssignedNames.names(beginningWith: ""))
    }
}
