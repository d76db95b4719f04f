// Lesson 11: pairing with a code. There is no call for pairing: a permission requires it, and the two users do the
// rest.

import CoreBluetooth

// MARK: - A ball for friends

extension MagicBall {
    /// A ball that accepts questions only over an encrypted connection.
    static func forFriends(name: String) -> MagicBall {
        MagicBall(name: name, permissions: .writeEncryptionRequired)
    }
}

// MARK: - The user of the ball

/// Shows the code that the other user has to enter.
final class CodeDisplay: PairingAgent {
    let capabilities = PairingCapabilities.display
    private let show: @Sendable (String) -> Void

    init(show: @escaping @Sendable (String) -> Void) {
        self.show = show
    }

    func pairing(_ prompt: PairingPrompt) {
        switch prompt.kind {
        case .showCode(let code): show(code)
        // Existing keys are not replaced without the consent of a user.
        case .pair(let replacesBond): prompt.confirm(!replacesBond)
        case .enterCode, .compareCode: break
        }
    }
}

// MARK: - The user of the phone

/// Asks the user for the code that the other device shows.
final class CodeEntry: PairingAgent {
    let capabilities = PairingCapabilities.keyboard
    private let readCode: @Sendable () -> String?

    init(readCode: @escaping @Sendable () -> String?) {
        self.readCode = readCode
    }

    func pairing(_ prompt: PairingPrompt) {
        switch prompt.kind {
        case .enterCode: prompt.enter(readCode())
        case .pair(let replacesBond): prompt.confirm(!replacesBond)
        case .showCode, .compareCode: break
        }
    }
}
