// The challenge and the response between a lock and its key, in the messenger's messages:
//
//     lock → key   Lock = closed, Challenge = 32 hexadecimal digits, new for each link and never reused
//     key → lock   Response = HMAC-SHA256 of the challenge under the shared secret, 64 hexadecimal digits
//     lock → key   Lock = open; or Lock = closed, Error = the reason
//
// The lock is open while the link lasts. A key without the secret cannot open it, and an overheard exchange opens
// nothing later. Two attacks remain: the lock does not know how far away the key is, so a relay between the two opens
// it; and a guessable secret can be found from an overheard exchange.

import Foundation

#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// The messages of a lock and its key, and the code that proves the secret.
internal enum ChallengeResponse {
    static let state = "Lock"
    static let open = "open"
    static let closed = "closed"
    static let challenge = "Challenge"
    static let response = "Response"
    static let error = "Error"

    /// The length of a challenge, in octets.
    static let challengeLength = 16
    /// The purpose of the response, so that it proves nothing else.
    private static let purpose = Data("BlueEar lock 1".utf8)

    /// A new challenge.
    static func makeChallenge<Generator: RandomNumberGenerator>(using generator: inout Generator) -> Data {
        Data((0..<challengeLength).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }

    /// The response to a challenge.
    static func response(to challenge: Data, secret: String) -> Data {
        Data(HMAC<SHA256>.authenticationCode(for: purpose + challenge, using: key(secret)))
    }

    /// Whether a response is correct. The time that this takes does not depend on the response.
    static func isResponse(_ response: Data, to challenge: Data, secret: String) -> Bool {
        HMAC<SHA256>.isValidAuthenticationCode(response, authenticating: purpose + challenge, using: key(secret))
    }

    private static func key(_ secret: String) -> SymmetricKey { SymmetricKey(data: Data(secret.utf8)) }

    /// Octets as hexadecimal digits.
    static func text(_ octets: Data) -> String {
        octets.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// Hexadecimal digits as octets; `nil` if they are not hexadecimal digits.
    static func octets(_ text: String) -> Data? {
        let digits = Array(text.utf8)
        guard digits.count % 2 == 0, digits.count <= 128 else { return nil }
        var result = Data()
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digit(digits[index]), let low = digit(digits[index + 1]) else { return nil }
            result.append(high << 4 | low)
        }
        return result
    }

    private static func digit(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): return character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): return character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): return character - UInt8(ascii: "A") + 10
        default: return nil
        }
    }
}
