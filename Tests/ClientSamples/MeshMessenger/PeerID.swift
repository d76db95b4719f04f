// Who somebody in the mesh is, whatever addresses and identifiers Bluetooth gives their device: the beginning of the
// hash of their signing key.

import Foundation

#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

package struct PeerID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// How many octets it has in a packet.
    static let length = 8

    /// Sixteen hexadecimal digits.
    package let text: String

    init(signingKey: Data) {
        self.text = Data(SHA256.hash(data: signingKey).prefix(PeerID.length)).hexEncodedString
    }

    init(octets: Data) {
        self.text = octets.hexEncodedString
    }

    var octets: Data { Data(hexString: text) ?? Data(count: PeerID.length) }

    package var description: String { text }

    package static func < (left: PeerID, right: PeerID) -> Bool { left.text < right.text }
}
