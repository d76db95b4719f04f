// The names in traces, compared with the specification.

import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("PacketTexts")
struct PacketTextsTests {
    @Test("shows up to 24 octets, with their text if all are printable")
    func octets() {
        func text(_ octets: [UInt8]) -> String { octetText(ByteBuffer(bytes: octets)) }
        #expect(text([]) == "nothing")
        #expect(text([0x20, 0x7E]) == "207E \" ~\"")
        #expect(text([0x41, 0x1F]) == "411F" && text([0x7F, 0x41]) == "7F41")
        let (digits, letters) = (String(repeating: "41", count: 24), String(repeating: "A", count: 24))
        #expect(text([UInt8](repeating: 0x41, count: 24)) == "\(digits) \"\(letters)\"")
        #expect(text([UInt8](repeating: 0x41, count: 25)) == "\(digits)… (25 octets) \"\(letters)…\"")
        #expect(text([UInt8](repeating: 0x41, count: 24) + [0]) == "\(digits)… (25 octets) \"\(letters)…\"")
    }

    @Test(
        "shows advertising data element by element, in one order",
        arguments: [
            ("", "no data"), ("02 01 06", "no data"), ("03 09 48 69", "\"Hi\""), ("03 03 0D 18", "service 180D"),
            ("05 03 0D 18 0F 18", "services 180D 180F"), ("05 14 0D 18 0F 18", "solicits 180D 180F"),
            ("04 16 0D 18 AA", "data of 180D AA"), ("05 FF 4C 00 01 02", "manufacturer data 4C000102"),
            ("02 0A 04", "sent with 4 dBm"), ("02 0A FC 03 03 0D 18", "service 180D, sent with -4 dBm"),
            (
                "02 0A 04 05 FF 4C 00 01 02 04 16 0D 18 AA 03 14 0F 18 03 03 0D 18 05 09 42 61 6C 6C",
                "\"Ball\", service 180D, solicits 180F, data of 180D AA, manufacturer data 4C000102, sent with 4 dBm"
            ),
        ]
    )
    func advertising(octets: String, text: String) {
        #expect(advertisingText(hex(octets)) == text)
    }

    @Test(
        "shows each signalling command with its parameters (Vol 3, Part A, 4)",
        arguments: [
            ("01 07 02 00 00 00", "Command Reject, #7"),
            ("06 01 04 00 40 00 41 00", "Disconnection Request 0x0040 from 0x0041, #1"),
            ("07 01 04 00 40 00 41 00", "Disconnection Response 0x0040 from 0x0041, #1"),
            (
                "12 02 08 00 18 00 28 00 03 00 48 00",
                "Connection Parameter Update Request interval 30 ms to 50 ms, latency 3, timeout 720 ms, #2"
            ),
            ("13 02 02 00 00 00", "Connection Parameter Update Response, accepted, #2"),
            ("13 02 02 00 01 00", "Connection Parameter Update Response, rejected, #2"),
            (
                "14 03 0A 00 80 00 41 00 40 00 20 00 04 00",
                "LE Credit Based Connection Request SPSM 0x80, channel 0x0041, MTU 64, MPS 32, 4 credits, #3"
            ),
            (
                "15 03 0A 00 41 00 40 00 20 00 04 00 00 00",
                "LE Credit Based Connection Response channel 0x0041, MTU 64, MPS 32, 4 credits, #3"
            ),
            (
                "15 03 0A 00 00 00 00 00 00 00 00 00 0A 00",
                "LE Credit Based Connection Response, refused: 0xA, #3"
            ),
            ("16 03 04 00 41 00 05 00", "Flow Control Credit channel 0x0041, 5 credits, #3"),
            (
                "17 04 0C 00 80 00 40 00 40 00 04 00 41 00 42 00",
                "Credit Based Connection Request SPSM 0x80, 2 channels, #4"
            ),
            ("18 04 0A 00 40 00 40 00 04 00 0B 00 41 00", "Credit Based Connection Response, result 0xB, #4"),
            ("19 05 06 00 40 00 50 00 41 00", "Credit Based Reconfigure Request MTU 64, MPS 80, #5"),
            ("1A 05 02 00 0C 00", "Credit Based Reconfigure Response, result 0xC, #5"),
            ("0A 06 02 00 02 00", "Signalling command 0xA, #6"),
            ("16 07 04 00 40 00", "Signalling, malformed: 160704004000"),
        ]
    )
    func signalling(octets: String, text: String) {
        #expect(signallingText(hex(octets)) == text)
    }

    @Test("names each pairing command, and shows its parameters as octets (Vol 3, Part H, 3.3)")
    func pairing() {
        #expect(pairingText(hex("01")) == "Pairing Request" && pairingText(hex("05 0A B1")) == "Pairing Failed 0AB1")
        #expect(pairingText(hex("0E 04")) == "Pairing Keypress Notification 04")
        #expect(pairingText(hex("00")) == "PDU 0x0" && pairingText(hex("0F 01")) == "PDU 0xF 01")
        #expect(pairingText(ByteBuffer()) == "Empty PDU")
    }

    @Test(
        "names each error, or shows its code (Vol 3, Part F, 3.4.1.1; CSS, Part B, 1.2)",
        arguments: [
            (0x01, "Invalid Handle (0x01)"), (0x13, "Value Not Allowed (0x13)"), (0xFF, "Out Of Range (0xFF)"),
            (0x14, "error 0x14"), (0x80, "error 0x80"),
        ] as [(UInt8, String)]
    )
    func errors(octet: UInt8, text: String) {
        #expect(ATTErrorCode(rawValue: octet).words == text)
    }
}
