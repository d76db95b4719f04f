// Errors in words.

import BluetoothTypes
import CommandLineTool
import CoreBluetooth
import Foundation

/// A failed procedure with a device, and the error of Core Bluetooth.
struct DeviceFailure: Error {
    /// The procedure, as in "reading FFF1 failed".
    let what: String
    /// The error.
    let cause: any Error

    /// A failure.
    init(_ what: String, _ cause: any Error) {
        self.what = what
        self.cause = cause
    }
}

extension Failure.Kind {
    /// The kind of an error of a command.
    init(_ error: any Error) {
        switch error {
        case let failure as Failure: self = failure.kind
        case let failure as DeviceFailure: self.init(failure.cause)
        case is CBATTError: self = .refused
        case let error as CBError: self.init(error.code)
        default: self = .other
        }
    }

    private init(_ code: CBError.Code) {
        switch code {
        case .notConnected, .connectionTimeout, .peripheralDisconnected, .connectionFailed, .encryptionTimedOut:
            self = .notConnected
        case .peerRemovedPairingInformation: self = .refused
        default: self = .other
        }
    }
}

/// An error in one line.
enum ErrorText {
    /// The words for an error of Core Bluetooth, without a full stop.
    static func text(_ error: any Error) -> String {
        if let failure = error as? Failure { return failure.line }
        if let failure = error as? DeviceFailure { return "\(failure.what): \(text(failure.cause))" }
        let sentence = PrintableText.text(error.localizedDescription)
        let text = sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence
        // Core Bluetooth has no words for codes of applications and profiles (Vol 3, Part F, 3.4.1.1).
        guard case .unnamed(let code)? = (error as? CBATTError)?.code else { return text }
        return text + " " + code.hexadecimalNumber
    }
}
