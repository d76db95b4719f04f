import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("Hexadecimal digits")
struct HexadecimalTests {
    @Test("are read with or without separators between octets, and written with and without")
    func hexadecimal() {
        #expect(Hexadecimal.octets("0x0aFf") == Data([0x0A, 0xFF]))
        #expect(Hexadecimal.octets("0A ff:1-2") == nil)
        #expect(Hexadecimal.octets("0A ff:12-34") == Data([0x0A, 0xFF, 0x12, 0x34]))
        #expect(Hexadecimal.octets("") == Data())
        #expect(Hexadecimal.octets("abc") == nil)
        for separators in ["-", ":", "0x", " - "] { #expect(Hexadecimal.octets(separators) == nil, "\(separators)") }
        #expect(Hexadecimal.octets("zz") == nil)
        #expect(Hexadecimal.octets("１２") == nil)
        #expect(Hexadecimal.digits([0x00, 0x1F]) == "001F")
        #expect(Hexadecimal.text(Data([0x00, 0x1F])) == "00 1F")
        #expect([0, 9, 0x4C, 0xFFFF].map(Hexadecimal.number) == ["0x0000", "0x0009", "0x004C", "0xFFFF"])
    }
}
