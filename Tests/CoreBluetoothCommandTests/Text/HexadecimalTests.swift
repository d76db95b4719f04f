import Fixtures
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
        #expect(Hexadecimal.octets("zz") == nil)
        #expect(Hexadecimal.octets("１２") == nil)
        #expect(Hexadecimal.digits([0x00, 0x1F]) == "001F")
        #expect(Hexadecimal.text(Data([0x00, 0x1F])) == "00 1F")
        #expect([0, 9, 0x4C, 0xFFFF].map(Hexadecimal.number) == ["0x0000", "0x0009", "0x004C", "0xFFFF"])
    }

    @Test("are the same octets when they are written and read again, whatever separated them")
    func again() {
        var choices = SeededChoices(seed: 3)
        let parts = ["0", "1", "a", "F", "0x", "0X", " ", ":", "-", "g", "é", "00", "ff", "７"]
        for _ in 0..<2000 {
            let text = (0..<choices.below(7)).map { _ in choices.pick(parts) }.joined()
            guard let octets = Hexadecimal.octets(text) else { continue }
            #expect(Hexadecimal.octets(Hexadecimal.digits(octets)) == octets, "\(text)")
            #expect(Hexadecimal.octets(Hexadecimal.text(octets)) == octets, "\(text)")
        }
    }
}
