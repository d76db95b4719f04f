import CoreBluetooth
import Foundation

#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// What a lock and its key agree on.
enum Door {
    static var service: CBUUID { CBUUID(string: "5B3C1F0E-6E0B-4C61-9B7D-2F0C8B1E7A10") }
    static var challenge: CBUUID { CBUUID(string: "5B3C1F0E-6E0B-4C61-9B7D-2F0C8B1E7A11") }
    static var response: CBUUID { CBUUID(string: "5B3C1F0E-6E0B-4C61-9B7D-2F0C8B1E7A12") }

    /// The response that only the owner of the secret can compute.
    static func response(to challenge: Data, secret: String) -> Data {
        Data(HMAC<SHA256>.authenticationCode(for: challenge, using: SymmetricKey(data: Data(secret.utf8))))
    }

    /// Whether a response is the right one, found out in the same time for a right and a wrong one.
    static func isResponse(_ response: Data, to challenge: Data, secret: String) -> Bool {
        let key = SymmetricKey(data: Data(secret.utf8))
        return HMAC<SHA256>.isValidAuthenticationCode(response, authenticating: challenge, using: key)
    }
}
