import BluetoothHCI
import Testing

@testable import BluetoothHost

@Suite("Event masks of the host (Vol 4, Part E, 7.3.1, 7.3.69, 7.8.1)")
struct HostEventMaskTests {
    @Test("asks for the events that the host acts on, bit by bit")
    func masks() {
        // Links that end, encryption, versions, errors, packets that were sent, LE Meta: bits 4, 7, 11, 15, 18, 47, 61.
        #expect(EventMask.host.rawValue == 0x2000_8000_0004_8890)
        // Authenticated Payload Timeout Expired, Encryption Change v2: bits 23 and 25.
        #expect(EventMaskPage2.host.rawValue == 0x0280_0000)
        // Bits 0 to 6, 9, 11 and 12; none of a controller that pairs by itself.
        #expect(LEEventMask.host.rawValue == 0x1A7F)
    }
}
