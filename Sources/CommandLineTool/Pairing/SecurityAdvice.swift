// Advice for errors that say that a connection is not secure enough. Core Bluetooth's sentences are Apple's and give
// none.

import CoreBluetooth
import Foundation

/// Advice, to be appended to the sentence of an error.
package enum SecurityAdvice {
    /// The advice; `nil` if the error does not concern security.
    ///
    /// - Parameters:
    ///   - error: An error of Core Bluetooth.
    ///   - device: The name or identifier of the other device.
    ///   - identity: The value of `--identity`.
    ///   - failure: Why pairing with it failed, if it did.
    ///   - canAsk: Whether a user can be asked for a code.
    package static func text(
        for error: any Error,
        device: String?,
        identity: String?,
        failure: String?,
        canAsk: Bool = true
    ) -> String? {
        let who = argument(device ?? "DEVICE")
        let own = identity.map { " --identity " + argument($0) } ?? ""
        switch error {
        case let error as CBATTError:
            switch error.code {
            case .insufficientAuthentication, .insufficientEncryption:
                guard canAsk else {
                    let reason = failure.map { $0 + "; " } ?? ""
                    return reason
                        + "there is nobody to ask: use a terminal, or pass the code as a line of standard input"
                }
                return failure.map { "\($0); try again" } ?? "pair with the device: corebluetooth pair \(who)\(own)"
            case .insufficientEncryptionKeySize:
                return "the devices have to pair again: corebluetooth bonds remove \(who)\(own)"
            case .insufficientAuthorization:
                return "the device's user must allow it there"
            default:
                return nil
            }
        case let error as CBError:
            switch error.code {
            case .peerRemovedPairingInformation:
                return "remove the rest of the pairing: corebluetooth bonds remove \(who)\(own); then pair again"
            case .encryptionTimedOut:
                return failure.map { "\($0); try again" } ?? "try again"
            default:
                return nil
            }
        default:
            return nil
        }
    }

    /// A word of a command line, quoted if a shell needs it.
    private static func argument(_ text: String) -> String {
        func isPlain(_ character: Character) -> Bool {
            character.isASCII && (character.isLetter || character.isNumber || "-_.".contains(character))
        }
        if !text.isEmpty, text.allSatisfy(isPlain) { return text }
        return "'" + PrintableText.text(text).replacingOccurrences(of: "'", with: "'\\''") + "'"
    }
}
