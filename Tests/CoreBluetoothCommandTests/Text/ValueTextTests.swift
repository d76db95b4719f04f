// The formats are those of the Bluetooth SIG (GATT Specification Supplement).

import CoreBluetooth
import Fixtures
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("A value in words")
struct ValueTextTests {
    @Test(
        "has the meaning of its characteristic; a value without one is octets, and text if it may be text",
        arguments: [
            ("2A19", [0x57], "57 (87 %)"), ("2A6E", [0xCE, 0xFF], "CE FF (-0.5 °C)"), ("2A00", [0x48, 0x69], "\"Hi\""),
            ("2A37", [0x00, 0x48], "00 48 (72 bpm)"), ("2A37", [0x01, 0x48, 0x01], "01 48 01 (328 bpm)"),
            ("2A37", [0x01], "01"), ("2A07", [0xFC], "FC (-4 dBm)"), ("2A38", [0x02], "02 (wrist)"),
            ("2A07", [0x80], "80 (-128 dBm)"), ("2A07", [0x7F], "7F (127 dBm)"),
            ("2A6E", [0x00, 0x80], "00 80 (not known)"), ("2A6E", [0xFF, 0x7F], "FF 7F (327.67 °C)"),
            ("2A38", [0xEE], "EE"), ("FFF1", [0x48, 0x69], "48 69 \"Hi\""), ("FFF1", [0x1B, 0x5B], "1B 5B"),
            ("FFF1", [], "(empty)"), ("2A6D", [0xA0, 0x8C, 0x0F, 0x00], "A0 8C 0F 00 (101904 Pa)"),
            (
                "2A04", [0x06, 0x00, 0x0C, 0x00, 0x00, 0x00, 0xC8, 0x00],
                "06 00 0C 00 00 00 C8 00 (interval 7.5 to 15.0 ms, latency 0, timeout 2000 ms)"
            ),
            (
                "2A50", [0x01, 0x4C, 0x00, 0x34, 0x12, 0x00, 0x01],
                "01 4C 00 34 12 00 01 (vendor Apple, product 0x1234, version 0x0100)"
            ),
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
        // A slice does not begin at zero.
        #expect(ValueText.text(Data([0xFF] + octets).dropFirst(), of: CBUUID(string: uuid)) == text)
    }

    @Test(
        "is text for names and descriptions, and octets if it is not UTF-8",
        arguments: [
            ("2A00", true), ("2A23", false), ("2A24", true), ("2A25", true), ("2A26", true), ("2A27", true),
            ("2A28", true), ("2A29", true), ("2A2A", false), ("2A87", true), ("2A8A", true), ("2A90", true),
        ]
    )
    func texts(uuid: String, isText: Bool) {
        let text = ValueText.text(Data("Hi".utf8), of: CBUUID(string: uuid))
        #expect(text == (isText ? "\"Hi\"" : "48 69 \"Hi\""))
        #expect(ValueText.text(Data([0xC3, 0x28]), of: CBUUID(string: uuid)) == "C3 28")
    }

    @Test("has no format of the Bluetooth SIG's for a UUID of 128 bits, whatever it begins with")
    func longUUID() {
        let uuid = CBUUID(string: "2A190000-0000-0000-0000-000000000000")
        #expect(ValueText.text(Data([0x57]), of: uuid) == "57 \"W\"")
    }

    @Test("is text, a number, octets or nothing for a descriptor")
    func descriptors() {
        #expect(ValueText.text(ofDescriptor: "a\u{1B}b") == "\"a\u{FFFD}b\"")
        #expect(ValueText.text(ofDescriptor: NSNumber(value: 2)) == "2")
        #expect(ValueText.text(ofDescriptor: Data([0x04, 0x00])) == "04 00")
        #expect(ValueText.text(ofDescriptor: Data()) == "(empty)")
        #expect(ValueText.text(ofDescriptor: nil) == "(none)")
    }

    @Test("begins with the octets, or is text, for any octets of any characteristic")
    func anyOctets() {
        var choices = SeededChoices(seed: 1)
        for number in 0x2A00...0x2C20 {
            let uuid = CBUUID(string: String(number, radix: 16, uppercase: true))
            for count in 1..<12 {
                let octets = choices.octets(count)
                let text = ValueText.text(Data(octets), of: uuid)
                let starts = [HexadecimalText.text(octets), "\""].contains { text.utf8.starts(with: $0.utf8) }
                #expect(starts, "\(uuid) \(text)")
            }
        }
    }

    @Test("names properties in the order of their bits (Vol 3, Part G, 3.3.1.1)")
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
