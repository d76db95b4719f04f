// Selects the device of a command by a name, an identifier, or the beginning of one.

import ArgumentParser
import BluetoothTypes
import CommandLineTool
import Foundation

/// The choice if several devices fit.
enum DevicePick: String, ExpressibleByArgument, CaseIterable {
    /// None: several devices are an error.
    case only
    /// The device with the strongest signal.
    case strongest
    /// The first device heard; the search ends with it.
    case first
}

/// Selects a device.
struct DeviceQuery {
    /// As it was written.
    let text: String
    /// The identifier, if the text is one.
    let identifier: UUID?
    /// The beginning of an identifier, if the text may be one: at least four of its characters.
    private let prefix: String?

    /// Parses what the user wrote.
    init(_ text: String) {
        self.text = text
        identifier = UUID(uuidString: text)
        let upper = text.uppercased()
        let mayBePrefix =
            text.count >= 4 && upper.unicodeScalars.allSatisfy { "0123456789ABCDEF-".unicodeScalars.contains($0) }
        prefix = mayBePrefix ? upper : nil
    }

    /// Whether a device fits; the system's pairings may be with devices that have no identifier here.
    func matches(name: String?, identifier other: UUID?) -> Bool {
        if let identifier { return identifier == other }
        let name = name.map(PrintableText.withoutPadding)
        if let name, name.compare(text, options: .caseInsensitive) == .orderedSame { return true }
        if let name, DeviceName.matches(name, text) { return true }
        return prefix.map { other?.uuidString.hasPrefix($0) == true } ?? false
    }
}
