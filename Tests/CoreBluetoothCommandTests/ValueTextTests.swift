// Values of characteristics in words, as the Bluetooth SIG defines them (GATT Specification Supplement), at the ends of
// what each may hold.

import CoreBluetooth
import Fixtures
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("Values in words")
struct ValueTextTests {
    @Test(
        "Each characteristic by its own format, and one that is too short for it as octets",
        arguments: [
            ("2A01", [0xC1, 0x03], "C1 03 (Human Interface Device: Keyboard)"),
            ("2A01", [0xC0, 0xFF], "C0 FF (appearance 0xFFC0)"), ("2A01", [0xC1], "C1"),
            ("2A06", [0x00], "00 (no alert)"), ("2A06", [0x01], "01 (mild alert)"), ("2A06", [0x02], "02 (high alert)"),
            ("2A06", [0x03], "03 (high alert)"), ("2A07", [0x14, 0x00], "14 00 (20 dBm)"),
            ("2A19", [0x00], "00 (0 %)"), ("2A19", [0x64], "64 (100 %)"),
            ("2A37", [0x00], "00"), ("2A37", [0x02, 0xFF], "02 FF (255 bpm)"), ("2A37", [0x01, 0x48], "01 48"),
            ("2A38", [0x00], "00 (other)"), ("2A38", [0x01], "01 (chest)"), ("2A38", [0x03], "03 (finger)"),
            ("2A38", [0x04], "04 (hand)"), ("2A38", [0x05], "05 (ear lobe)"), ("2A38", [0x06], "06 (foot)"),
            ("2A38", [0x07], "07"), ("2A6E", [0x01], "01"), ("2A6F", [0x10, 0x27], "10 27 (100 %)"),
            ("2A6F", [0x10], "10"), ("2A6D", [0x01, 0x00, 0x00], "01 00 00"),
            ("2A6D", [0xFF, 0xFF, 0xFF, 0xFF], "FF FF FF FF (429496729.5 Pa)"),
            (
                "2A04", [0x06, 0x00, 0x80, 0x0C, 0xF3, 0x01, 0x80, 0x0C],
                "06 00 80 0C F3 01 80 0C (interval 7.5 to 4000.0 ms, latency 499, timeout 32000 ms)"
            ),
            ("2A04", [0x06, 0x00, 0x0C, 0x00, 0x00, 0x00, 0xC8], "06 00 0C 00 00 00 C8"),
            (
                "2A50", [0x02, 0x4C, 0x00, 0x34, 0x12, 0x00, 0x01],
                "02 4C 00 34 12 00 01 (vendor 0x004C, product 0x1234, version 0x0100)"
            ),
            (
                "2A50", [0x01, 0xFE, 0xFF, 0x34, 0x12, 0x00, 0x01],
                "01 FE FF 34 12 00 01 (vendor 0xFFFE, product 0x1234, version 0x0100)"
            ),
            ("2A50", [0x01, 0x4C, 0x00, 0x34, 0x12, 0x00], "01 4C 00 34 12 00"),
        ] as [(String, [UInt8], String)]
    )
    func formats(uuid: String, octets: [UInt8], text: String) {
        #expect(ValueText.text(Data(octets), of: CBUUID(string: uuid)) == text)
    }

    @Test(
        "Names and descriptions are texts, the ones beside them are not",
        arguments: [
            ("2A00", true), ("2A23", false), ("2A24", true), ("2A25", true), ("2A26", true), ("2A27", true),
            ("2A28", true), ("2A29", true), ("2A2A", false), ("2A87", true), ("2A8A", true), ("2A90", true),
        ]
    )
    func texts(uuid: String, isText: Bool) {
        let text = ValueText.text(Data("Hi".utf8), of: CBUUID(string: uuid))
        #expect(text == (isText ? "\"Hi\"" : "48 69 \"Hi\""))
        // What is no UTF-8 is shown as what it is.
        #expect(ValueText.text(Data([0xC3, 0x28]), of: CBUUID(string: uuid)) == "C3 28")
    }

    @Test("A UUID of 128 bits has no format of the Bluetooth SIG's, whatever it begins with")
    func longUUID() {
        let uuid = CBUUID(string: "2A190000-0000-0000-0000-000000000000")
        #expect(ValueText.text(Data([0x57]), of: uuid) == "57 \"W\"")
    }

    @Test("The value of a descriptor is a text, a number, octets or nothing")
    func descriptors() {
        #expect(ValueText.text(ofDescriptor: "a\u{1B}b") == "\"a\u{FFFD}b\"")
        #expect(ValueText.text(ofDescriptor: NSNumber(value: 2)) == "2")
        #expect(ValueText.text(ofDescriptor: Data([0x04, 0x00])) == "04 00")
        #expect(ValueText.text(ofDescriptor: Data()) == "(empty)")
        #expect(ValueText.text(ofDescriptor: nil) == "(none)")
    }

    @Test("Properties are named in the order of their bits (Vol 3, Part G, 3.3.1.1), each alone and all together")
    func properties() {
        let names = [
            "broadcast", "read", "writeWithoutResponse", "write", "notify", "indicate", "authenticatedSignedWrites",
            "extendedProperties",
        ]
        for (bit, name) in names.enumerated() {
            #expect(PropertyText.words(CBCharacteristicProperties(rawValue: 1 << UInt(bit))) == [name])
        }
        #expect(PropertyText.words(CBCharacteristicProperties(rawValue: 0xFF)) == names)
        #expect(PropertyText.words([]) == [])
    }
}
