// What a person can do about an error that says that a connection is not secure enough. Core Bluetooth's sentences are
// Apple's and say none of it.

import CoreBluetooth
import Foundation

/// Words behind the sentence of an error.
package enum SecurityAdvice {
    /// What to do; `nil` where the error has nothing to do with security.
    ///
    /// - Parameters:
    ///   - error: An error of Core Bluetooth.
    ///   - device: The name or identifier of the other device.
    ///   - identity: What `--identity` says.
    ///   - failure: Why pairing with it has failed, where it has.
    ///   - canAsk: Whether there is a user who could be asked for a code.
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
                    return reason + "nobody can be asked here: use a terminal, or a line of standard input"
                }
                return failure.map { "\($0); try again" } ?? "pair with the device: corebluetooth pair \(who)\(own)"
            case .insufficientEncryptionKeySize:
                return "the devices have to pair anew: corebluetooth bonds remove \(who)\(own)"
            case .insufficientAuthorization:
                return "the device's user has to permit it there"
            default:
                return nil
            }
        case let error as CBError:
            switch error.code {
            case .peerRemovedPairingInformation:
                return "remove what is left of the pairing: corebluetooth bonds remove \(who)\(own); then pair anew"
            case .encryptionTimedOut:
                return failure.map { "\($0); try again" } ?? "try again"
            default:
                return nil
            }
        default:
            return nil
        }
    }

    /// A word of a command line, in quotation marks where a shell needs them.
    private static func argument(_ text: String) -> String {
        func isPlain(_ character: Character) -> Bool {
            character.isASCII && (character.isLetter || character.isNumber || "-_.".contains(character))
        }
        if !text.isEmpty, text.allSatisfy(isPlain) { return text }
        return "'" + PrintableText.text(text).replacingOccurrences(of: "'", with: "'\\''") + "'"
    }
}
