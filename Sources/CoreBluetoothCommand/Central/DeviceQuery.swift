// The device that a command is to use: a name, an identifier, or the beginning of one.

import ArgumentParser
import BluetoothTypes
import CommandLineTool
import Foundation

/// Which one is meant if several devices fit.
enum DevicePick: String, ExpressibleByArgument, CaseIterable {
    /// None: that there are several is an error.
    case only
    /// The one that is heard best.
    case strongest
    /// The one that is heard first, for which no others are listened for.
    case first
}

/// Selects a device.
struct DeviceQuery {
    /// As it was written.
    let text: String
    /// The identifier, where it is one.
    let identifier: UUID?
    /// The beginning of an identifier, where it may be one: four or more of its characters.
    private let prefix: String?

    /// Reads what a person wrote.
    init(_ text: String) {
        self.text = text
        identifier = UUID(uuidString: text)
        let upper = text.uppercased()
        let mayBePrefix =
            text.count >= 4 && upper.unicodeScalars.allSatisfy { "0123456789ABCDEF-".unicodeScalars.contains($0) }
        prefix = mayBePrefix ? upper : nil
    }

    /// Whether a device is the one.
    func matches(name: String?, identifier other: UUID) -> Bool {
        if let identifier { return identifier == other }
        let name = name.map(PrintableText.withoutPadding)
        if let name, name.compare(text, options: .caseInsensitive) == .orderedSame { return true }
        if let name, DeviceName.matches(name, text) { return true }
        return prefix.map { other.uuidString.hasPrefix($0) } ?? false
    }
}
