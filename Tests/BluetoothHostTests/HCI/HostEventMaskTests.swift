// The events that the host asks a controller for, bit by bit (Vol 4, Part E, 7.3.1, 7.3.69 and 7.8.1).

import BluetoothHCI
import Testing

@testable import BluetoothHost

@Suite("Event masks of the host")
struct HostEventMaskTests {
    @Test("Set Event Mask: links that end and their encryption, versions, errors, packets that were sent, LE Meta")
    func events() {
        // Bits 4, 7, 11, 15, 18, 47 and 61.
        #expect(EventMask.host.rawValue == 0x2000_8000_0004_8890)
    }

    @Test("Set Event Mask Page 2: Authenticated Payload Timeout Expired, and Encryption Change v2")
    func secondPage() {
        // Bits 23 and 25.
        #expect(EventMaskPage2.host.rawValue == 0x0280_0000)
    }

    @Test("LE Set Event Mask: what the host acts on, and no keys of a controller that pairs by itself")
    func subevents() {
        // Bits 0 to 6, 9, 11 and 12.
        #expect(LEEventMask.host.rawValue == 0x1A7F)
    }
}
