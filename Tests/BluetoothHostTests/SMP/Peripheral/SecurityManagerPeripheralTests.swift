// What the qualification suite asks of a peripheral: its cases as scripts, in their order. The octets were computed by
// another implementation of the protocol and of its cryptography than the one that is tested.

import BluetoothTypes
import Fixtures
import Testing

@testable import BluetoothHost

@Suite("SM/PER")
struct SecurityManagerPeripheralTests {
    static let own = SecurityManagerScript.ownKey
    static let tester = SecurityManagerScript.testerKey
    static let identity = PairingCase.peripheralIdentity
    static let bond = Bond(
        peerAddress: SecurityManagerPair.centralAddress,
        keySize: 16,
        isAuthenticated: false,
        isSecureConnections: true,
        local: PairingKeys(longTermKey: LongTermKey(value: octets16("00112233445566778899AABBCCDDEEFF"))),
        peer: PairingKeys(longTermKey: LongTermKey(value: octets16("00112233445566778899AABBCCDDEEFF")))
    )
}
