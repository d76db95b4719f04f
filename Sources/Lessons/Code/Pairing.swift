// Lesson 11: pairing by code. Nothing is called to pair: a permission demands it, and the two users see to the rest.

import CoreBluetooth

// MARK: - A ball for friends

extension MagicBall {
    /// A ball that takes questions over an encrypted connection alone.
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
        // Keys that are there are not replaced without a user who says so.
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
