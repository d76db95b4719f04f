// The security of a connection in words.

import BluetoothHost
import CommandLineTool
import CoreBluetooth

/// How secure a connection is.
enum SecurityText {
    /// The words for a connection, to follow "is".
    static func text(_ security: LinkSecurity?) -> String {
        security?.key.map(text) ?? "not encrypted"
    }

    /// The words for a key.
    static func text(_ key: LinkSecurity.Key) -> String {
        let code = key.level >= .authenticated ? "by a code" : "without a code"
        let legacy = key.isSecureConnections ? "" : " (legacy pairing)"
        let how = "encrypted, paired \(code)\(legacy)"
        return key.size < 16 ? "\(how), key of \(key.size) octets" : how
    }

    /// The name of a level for a JSON object.
    static func name(_ level: SecurityLevel) -> String {
        switch level {
        case .none: "none"
        case .encrypted: "encrypted"
        case .authenticated: "authenticated"
        case .secureConnections: "secureConnections"
        }
    }

    /// The level of a connection for a JSON object.
    static func json(_ security: LinkSecurity?) -> JSONValue { .string(name(security?.level ?? .none)) }

    /// What a refused attribute demands of a connection; `nil` if security was not the reason.
    static func demand(_ error: any Error, on security: LinkSecurity?) -> String? {
        switch (error as? CBATTError)?.code {
        case .insufficientAuthentication:
            switch security?.level ?? .none {
            case .none: "needs pairing"
            case .encrypted: "needs pairing by a code"
            case .authenticated, .secureConnections: "needs LE Secure Connections"
            }
        case .insufficientEncryption: "needs an encrypted connection"
        case .insufficientEncryptionKeySize: "needs a longer key"
        case .insufficientAuthorization: "needs the permission of the device's user"
        default: nil
        }
    }
}
