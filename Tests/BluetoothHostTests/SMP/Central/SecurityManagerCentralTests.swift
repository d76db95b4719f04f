// What the qualification suite asks of a central: its cases as scripts, in their order. The octets were computed by
// another implementation of the protocol and of its cryptography than the one that is tested.

import BluetoothTypes
import Fixtures
import Testing

@testable import BluetoothHost

@Suite("SM/CEN")
struct SecurityManagerCentralTests {
    static let own = SecurityManagerScript.ownKey
    static let tester = SecurityManagerScript.testerKey
    static let identity = PairingCase.centralIdentity
}
