import Fixtures
import NIOCore
import Testing

@testable import BluetoothTypes

@Suite("Bluetooth UUID")
struct BluetoothUUIDTests {
    @Test("values that differ in any one bit are not equal")
    func inequality() {
        let (high, low): (UInt64, UInt64) = (0x5B3C_1F0E_6E0B_4C61, 0x9B7D_2F0C_8B1E_7A10)
        let uuid = BluetoothUUID(form: .full(high, low))
        for bit in 0..<64 {
            #expect(uuid != BluetoothUUID(form: .full(high ^ 1 << bit, low)))
            #expect(uuid != BluetoothUUID(form: .full(high, low ^ 1 << bit)))
        }
    }

    @Test("forms of one value are equal and have the same hash")
    func equality() throws {
        let short: BluetoothUUID = 0x180D
        let medium = BluetoothUUID(form: .medium(0x0000_180D))
        let full = try #require(BluetoothUUID("0000180D-0000-1000-8000-00805F9B34FB"))
        #expect(short == medium)
        #expect(short == full)
        #expect(Set([short, medium, full]).count == 1)
        #expect(full.shortValue == 0x180D)
        #expect(medium.shortValue == 0x180D)
        #expect(full.mediumValue == 0x180D)
        #expect(full.attForm.octetCount == 2)
        #expect(BluetoothUUID(form: .medium(0x1234_5678)).attForm.octetCount == 16)
        #expect(BluetoothUUID(form: .full(1, 2)).shortValue == nil)
        #expect(BluetoothUUID(form: .medium(0x1234_5678)).shortValue == nil)
    }

    @Test("a long UUID has a short form only if all its other bits are those of the Bluetooth Base UUID")
    func baseUUID() throws {
        let cases: [(String, UInt16?, UInt32?)] = [
            ("0000FFFF-0000-1000-8000-00805F9B34FB", 0xFFFF, 0x0000_FFFF),
            ("00010000-0000-1000-8000-00805F9B34FB", nil, 0x0001_0000),
            ("0000180D-0001-1000-8000-00805F9B34FB", nil, nil),
            ("0000180D-0000-1001-8000-00805F9B34FB", nil, nil),
            ("0000180D-0000-1000-8000-00805F9B34FC", nil, nil),
        ]
        for (text, short, medium) in cases {
            let uuid = try #require(BluetoothUUID(text))
            #expect(uuid.shortValue == short, "\(text)")
            #expect(uuid.mediumValue == medium, "\(text)")
            #expect(uuid.attForm.octetCount == (short == nil ? 16 : 2), "\(text)")
            #expect(uuid.attForm == uuid)
        }
        #expect(BluetoothUUID(form: .medium(0xFFFF)).shortValue == 0xFFFF)
        #expect(BluetoothUUID(form: .medium(0x1_0000)).shortValue == nil)
        #expect(BluetoothUUID(form: .full(1, 2)).mediumValue == nil)
    }

    @Test("parses text and writes the same", arguments: ["180D", "12345678", "00112233-4455-6677-8899-AABBCCDDEEFF"])
    func text(text: String) {
        #expect(BluetoothUUID(text)?.description == text)
        #expect(BluetoothUUID(text.lowercased())?.description == text)
    }

    @Test(
        "rejects other text",
        arguments: [
            "", "1", "180G", "18 D", "١٨٠D", "1234567G", "0011223344556677",
            "00112233x4455-6677-8899-AABBCCDDEEFF", "00112233-4455x6677-8899-AABBCCDDEEFF",
            "00112233-4455-6677x8899-AABBCCDDEEFF", "00112233-4455-6677-8899xAABBCCDDEEFF",
            "0011223G-4455-6677-8899-AABBCCDDEEFF", "00112233-4455-6677-8899-AABBCCDDEEFG",
        ]
    )
    func wrongText(text: String) { #expect(BluetoothUUID(text) == nil) }

    @Test("parses little-endian octets and writes the same")
    func octets() throws {
        for (hex, uuid) in [
            ("0D 18", BluetoothUUID(0x180D)), ("78 56 34 12", BluetoothUUID(form: .medium(0x1234_5678))),
            (
                "FF EE DD CC BB AA 99 88 77 66 55 44 33 22 11 00",
                BluetoothUUID(form: .full(0x0011_2233_4455_6677, 0x8899_AABB_CCDD_EEFF))
            ),
        ] {
            var bytes = ByteBuffer()
            uuid.encode(into: &bytes)
            #expect(bytes.hex == hex)
            #expect(try BluetoothUUID(parsing: &bytes, length: uuid.octetCount) == uuid)
            #expect(throws: MalformedBytes(.truncated, "UUID")) {
                try BluetoothUUID(parsing: &bytes, length: uuid.octetCount)
            }
        }
        var bytes = ByteBuffer(hex: "01 02 03")
        #expect(throws: MalformedBytes(.invalid, "UUID")) { try BluetoothUUID(parsing: &bytes, length: 3) }
    }

    @Test("reads back each UUID that it writes, for texts with each character changed")
    func changedTexts() {
        for text in ["180D", "0001180D", "0000180D-0000-1000-8000-00805F9B34FB"] {
            for place in text.indices {
                for character in ["0", "9", "A", "f", "g", "-", ":", "é", ""] {
                    let changed = text[..<place] + character + text[text.index(after: place)...]
                    guard let uuid = BluetoothUUID(String(changed)) else { continue }
                    var bytes = ByteBuffer()
                    uuid.encode(into: &bytes)
                    #expect(BluetoothUUID(uuid.description) == uuid)
                    #expect((try? BluetoothUUID(parsing: &bytes, length: uuid.octetCount)) == uuid)
                }
            }
            for end in ["0", "-", " "] { #expect(BluetoothUUID(text + end) == nil) }
        }
    }
}
