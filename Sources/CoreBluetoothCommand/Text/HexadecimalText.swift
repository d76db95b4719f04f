// Octets as hexadecimal digits, and back.

import BluetoothTypes
import Foundation

/// Octets as digits.
enum HexadecimalText {
    /// `0A1B`.
    static func digits(_ data: some Sequence<UInt8>) -> String {
        data.hexadecimalDigits()
    }

    /// `0A 1B`, for a person.
    static func text(_ data: some Sequence<UInt8>) -> String {
        data.hexadecimalDigits(separator: " ")
    }

    /// `0x004C`.
    static func number(_ value: UInt16) -> String { "0x" + value.hexadecimalDigits }

    /// The octets that digits stand for, with an optional 0x, and spaces, colons or hyphens between octets.
    ///
    /// - Returns: `nil` for any other text, also for one of separators alone.
    static func octets(_ text: some StringProtocol) -> Data? {
        var rest = text.trimmingCharacters(in: .whitespaces)[...]
        if rest.hasPrefix("0x") || rest.hasPrefix("0X") { rest = rest.dropFirst(2) }
        var data = Data()
        // Separators stand between octets, not within one.
        for group in rest.split(whereSeparator: { " :-".contains($0) }) {
            guard let octets = [UInt8](hexadecimal: group) else { return nil }
            data += octets
        }
        return text.isEmpty || !data.isEmpty ? data : nil
    }
}
