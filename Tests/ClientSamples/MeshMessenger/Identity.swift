// The keys of this user: one to sign with, one to agree on keys with for private messages. They are made at random when
// the app is first used.

import Foundation

#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

struct Identity: Sendable {
    private let signing = Curve25519.Signing.PrivateKey()
    private let agreement = Curve25519.KeyAgreement.PrivateKey()
    let id: PeerID

    init() {
        self.id = PeerID(signingKey: signing.publicKey.rawRepresentation)
    }

    /// What others have to know of it.
    func announcement(nickname: String) -> Announcement {
        Announcement(
            nickname: nickname,
            signingKey: signing.publicKey.rawRepresentation.hexEncodedString,
            agreementKey: agreement.publicKey.rawRepresentation.hexEncodedString,
            nonce: UUID()
        )
    }

    func sign(_ octets: Data) throws -> Data { try signing.signature(for: octets) }

    // MARK: Private messages

    func seal(_ text: Data, for peer: Peer) throws -> Data {
        try ChaChaPoly.seal(text, using: key(with: peer)).combined
    }

    func open(_ sealed: Data, from peer: Peer) throws -> Data {
        try ChaChaPoly.open(ChaChaPoly.SealedBox(combined: sealed), using: key(with: peer))
    }

    private func key(with peer: Peer) throws -> SymmetricKey {
        let secret = try agreement.sharedSecretFromKeyAgreement(with: peer.agreementKey)
        return secret.hkdfDerivedSymmetricKey(
            using: SHA256.self,
            salt: Data(),
            sharedInfo: Data("mesh messenger, private message".utf8),
            outputByteCount: 32
        )
    }
}

/// Another member of the mesh, as their last announcement says.
struct Peer: Sendable {
    let id: PeerID
    var nickname: String
    let signingKey: Curve25519.Signing.PublicKey
    let agreementKey: Curve25519.KeyAgreement.PublicKey
    /// When their last announcement was made, by their clock.
    var announced: Date
    /// When something of theirs was last heard, by ours.
    var lastHeard: Date

    /// `nil` if the announcement's keys are none, or are not those of the sender.
    init?(_ announcement: Announcement, sender: PeerID, announced: Date) {
        guard
            let signing = Data(hexString: announcement.signingKey),
            let agreement = Data(hexString: announcement.agreementKey),
            PeerID(signingKey: signing) == sender,
            let signingKey = try? Curve25519.Signing.PublicKey(rawRepresentation: signing),
            let agreementKey = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: agreement)
        else { return nil }
        self.id = sender
        self.nickname = announcement.nickname
        self.signingKey = signingKey
        self.agreementKey = agreementKey
        self.announced = announced
        self.lastHeard = Date()
    }

    func hasSigned(_ packet: MeshPacket) -> Bool {
        signingKey.isValidSignature(packet.signature, for: packet.signedOctets)
    }
}
