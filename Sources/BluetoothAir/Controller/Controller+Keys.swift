// The controller's computations for its host: AES, random numbers, and P-256 (Vol 4, Part E, 7.8.22, 7.8.23, 7.8.36 and
// 7.8.37). Random numbers derive from the air's seed, so that runs are repeatable: they are not secret.

import BluetoothHCI
import BluetoothTypes
import Crypto

extension Controller {
    /// HCI_LE_Read_Local_P-256_Public_Key: creates a new key pair.
    func makeKeyPair(_: LEReadLocalP256PublicKey) -> () -> Void {
        {
            let key = self.newPrivateKey()
            self.settings.privateKey = Array(key.rawRepresentation)
            let point = Array(key.publicKey.rawRepresentation)
            self.emit(
                LEReadLocalP256PublicKeyComplete(
                    x: Octets32(mostSignificantFirst: point[..<32]) ?? .zero,
                    y: Octets32(mostSignificantFirst: point[32...]) ?? .zero
                )
            )
        }
    }

    private func newPrivateKey() -> P256.KeyAgreement.PrivateKey {
        while true {
            var octets: [UInt8] = []
            for _ in 0..<4 { withUnsafeBytes(of: self.generator.next().littleEndian) { octets.append(contentsOf: $0) } }
            // Nearly every number is a valid key.
            if let key = try? P256.KeyAgreement.PrivateKey(rawRepresentation: octets) { return key }
        }
    }

    /// HCI_LE_Generate_DHKey.
    func makeSharedSecret(_ command: LEGenerateDHKey) throws(HCIErrorCode) -> () -> Void {
        try self.makeSharedSecret(x: command.x, y: command.y, type: .generated)
    }

    /// HCI_LE_Generate_DHKey, version 2: with the own key or the debug key.
    func makeSharedSecret(_ command: LEGenerateDHKeyV2) throws(HCIErrorCode) -> () -> Void {
        try self.makeSharedSecret(x: command.x, y: command.y, type: command.keyType)
    }

    private func makeSharedSecret(x: Octets32, y: Octets32, type: P256KeyType) throws(HCIErrorCode) -> () -> Void {
        guard type.rawValue <= 1 else { throw .invalidParameters }
        let own = type == .debug ? P256DebugKey.octets : self.settings.privateKey
        guard let own else { throw .commandDisallowed }
        return {
            let point = x.mostSignificantFirst + y.mostSignificantFirst
            guard let key = try? P256.KeyAgreement.PrivateKey(rawRepresentation: own),
                let peer = try? P256.KeyAgreement.PublicKey(rawRepresentation: point),
                let secret = try? key.sharedSecretFromKeyAgreement(with: peer)
            else {
                // The point is not on the curve (7.7.65.9).
                let ones = Octets16(high: .max, low: .max)
                return self.emit(
                    LEGenerateDHKeyComplete(status: .invalidParameters, key: Octets32(high: ones, low: ones))
                )
            }
            let octets = secret.withUnsafeBytes { Array($0) }
            self.emit(LEGenerateDHKeyComplete(key: Octets32(mostSignificantFirst: octets) ?? .zero))
        }
    }
}

/// The published private key for debugging (Vol 3, Part H, 2.3.5.6.1).
enum P256DebugKey {
    static let octets: [UInt8] = [
        0x3F, 0x49, 0xF6, 0xD4, 0xA3, 0xC5, 0x5F, 0x38, 0x74, 0xC9, 0xB3, 0xE3, 0xD2, 0x10, 0x3F, 0x50,
        0x4A, 0xFF, 0x60, 0x7B, 0xEB, 0x40, 0xB7, 0x99, 0x58, 0x99, 0xB8, 0xA6, 0xCD, 0x3C, 0x1A, 0xBD,
    ]
}
