// A bond with all that the tests of what is kept of bonds look at, and nothing else.

import BluetoothHost
import BluetoothTypes

extension Bond {
    /// A bond of LE Secure Connections: the sides have one and the same key of 16 octets, and where there is a counter,
    /// the peer has a key for signing.
    static func symmetric(
        with peer: DeviceAddress,
        isAuthenticated: Bool = true,
        identity: IdentityInformation? = nil,
        signCounter: UInt32? = nil
    ) -> Bond {
        let key = LongTermKey(value: Octets16(high: 1, low: 2), encryptedDiversifier: 3, random: 4)
        let signing = signCounter.map {
            SigningKey(connectionSignatureResolvingKey: Octets16(high: 5, low: 6), signCounter: $0)
        }
        return Bond(
            peerAddress: peer,
            keySize: 16,
            isAuthenticated: isAuthenticated,
            isSecureConnections: true,
            local: PairingKeys(longTermKey: key),
            peer: PairingKeys(longTermKey: key, identity: identity, signing: signing)
        )
    }
}
