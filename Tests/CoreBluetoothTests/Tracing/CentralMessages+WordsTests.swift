// How the messages of an app's trace name what they are about.

import BluetoothTypes
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("The words of messages")
struct CentralMessagesTests {
    @Test("a UUID of 16 or 32 bits is shown as a whole, one of 128 bits by its beginning")
    func uuids() throws {
        #expect(words(BluetoothUUID(0x180D)) == "180D")
        #expect(words(try #require(BluetoothUUID("12345678"))) == "12345678")
        #expect(words(try #require(BluetoothUUID("5B3C1F0E-6E0B-4C61-9B7D-2F0C8B1E7A10"))) == "5B3C1F0E…")
        #expect(words([0x180D, 0x180F] as [BluetoothUUID]?) == "[180D, 180F]")
        #expect(words(nil as [BluetoothUUID]?) == "nil")
    }
}
