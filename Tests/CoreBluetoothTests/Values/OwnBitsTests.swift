// The bits of properties and permissions that Core Bluetooth does not have: what they stand for is demanded beside
// Apple's, and is none of it.

import Testbed
import Testing

@testable import CoreBluetooth

@Suite("Bits beside Apple's")
struct OwnBitsTests {
    @Test("A bit of our own stands above those of Apple's, and is one alone")
    func bits() {
        #expect(CBCharacteristicProperties.subscriptionAuthenticationRequired.rawValue == 0x1_0000)
        #expect(CBAttributePermissions.readAuthenticationRequired.rawValue == 0x1_0000)
        #expect(CBAttributePermissions.writeAuthenticationRequired.rawValue == 0x2_0000)
    }
}
