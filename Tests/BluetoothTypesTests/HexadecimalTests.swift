// Numbers and octets as hexadecimal digits.

import BluetoothTypes
import Fixtures
import Testing

@Suite("Hexadecimal digits")
struct HexadecimalTests {
    @Test("a number has the digits of its full width, in upper case")
    func numbers() {
        #expect(UInt8(0x0A).hexadecimalDigits == "0A")
        #expect(UInt16(0x4C).hexadecimalDigits == "004C")
        #expect(UInt32(0xDEAD_BEEF).hexadecimalDigits == "DEADBEEF")
        #expect(UInt64(0).hexadecimalDigits == "0000000000000000")
    }

    @Test("octets follow each other, with a separator if there is one")
    func octets() {
        #expect([UInt8]().hexadecimalDigits().isEmpty)
        #expect([0x00, 0x1B, 0xFF].hexadecimalDigits() == "001BFF")
        #expect([0x00, 0x1B, 0xFF].hexadecimalDigits(separator: ":") == "00:1B:FF")
    }
}
