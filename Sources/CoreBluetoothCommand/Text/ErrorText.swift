// Errors and states in words.

import CommandLineTool
import CoreBluetooth
import Foundation

/// An error in one line.
enum ErrorText {
    /// The words for an error of Core Bluetooth, without the full stop of a sentence.
    static func text(_ error: any Error) -> String {
        if let failure = error as? Failure { return failure.line }
        let text = PrintableText.text(error.localizedDescription)
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }
}

/// A manager's state.
enum StateText {
    /// The words for a state.
    static func text(_ state: CBManagerState) -> String {
        switch state {
        case .unknown: "unknown"
        case .resetting: "resetting"
        case .unsupported: "not available"
        case .unauthorized: "not permitted"
        case .poweredOff: "off"
        case .poweredOn: "on"
        @unknown default: "in a state of its own"
        }
    }
}
