import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("Hexadecimal digits")
struct HexadecimalTextTests {
    @Test("are read with or without separators between octets, and written with and without")
    func hexadecimal() {
        #expect(HexadecimalText.octets("0x0aFf") == Data([0x0A, 0xFF]))
        #expect(HexadecimalText.octets("0A ff:1-2") == nil)
        #expect(HexadecimalText.octets("0A ff:12-34") == Data([0x0A, 0xFF, 0x12, 0x34]))
        #expect(HexadecimalText.octets("") == Data())
        #expect(HexadecimalText.octets("abc") == nil)
        for separators in ["-", ":", "0x", " - "] {
            #expect(HexadecimalText.octets(separators) == nil, "\(separators)")
        }
        #expect(HexadecimalText.octets("zz") == nil)
        #expect(HexadecimalText.octets("１２") == nil)
        #expect(HexadecimalText.digits([0x00, 0x1F]) == "001F")
        #expect(HexadecimalText.text(Data([0x00, 0x1F])) == "00 1F")
        #expect([0, 9, 0x4C, 0xFFFF].map(HexadecimalText.number) == ["0x0000", "0x0009", "0x004C", "0xFFFF"])
    }
}
