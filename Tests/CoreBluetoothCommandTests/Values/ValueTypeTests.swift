import CommandLineTool
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("The type of a value")
struct ValueTypeTests {
    @Test(
        "turns a text into octets, and octets back into the text",
        arguments: [
            (.hex, "0A1B", [0x0A, 0x1B]), (.hex, "", []), (.text, "Hi", [0x48, 0x69]), (.base64, "AQL/", [1, 2, 255]),
            (.uint8, "255", [255]), (.int8, "-128", [0x80]), (.uint16, "2150", [0x66, 0x08]),
            (.int16, "-2", [0xFE, 0xFF]), (.uint24, "16777215", [0xFF, 0xFF, 0xFF]),
            (.int24, "-8388608", [0, 0, 0x80]), (.uint32, "4294967295", [255, 255, 255, 255]),
            (.int32, "-1", [255, 255, 255, 255]),
            (.uint64, "18446744073709551615", [255, 255, 255, 255, 255, 255, 255, 255]),
            (.int64, "-9223372036854775808", [0, 0, 0, 0, 0, 0, 0, 0x80]),
            (.float32, "36.6", [0x66, 0x66, 0x12, 0x42]), (.float32, "-2", [0, 0, 0, 0xC0]),
            (.float64, "0.1", [0x9A, 0x99, 0x99, 0x99, 0x99, 0x99, 0xB9, 0x3F]),
            (.medfloat16, "36.6", [0x6E, 0xF1]), (.medfloat32, "36.65", [0x51, 0x0E, 0x00, 0xFE]),
        ] as [(ValueType, String, [UInt8])]
    )
    func pairs(type: ValueType, text: String, octets: [UInt8]) throws {
        #expect(try type.octets(of: text) == Data(octets))
        #expect(type.texts(of: Data(octets)) == [text])
    }

    @Test("takes the hexadecimal digits of an unsigned number, too")
    func hexadecimalNumber() throws {
        #expect(try ValueType.uint16.octets(of: "0x1234") == Data([0x34, 0x12]))
    }

    @Test(
        "refuses a text that is not of the type",
        arguments: [
            (.hex, "0A1", "\"0A1\" is not hexadecimal"), (.base64, "A", "\"A\" is not base64"),
            (.uint8, "256", "256 is no whole number from 0 to 255"), (.uint8, "-1", "-1 is no whole number"),
            (.uint16, "1.5", "1.5 is no whole number from 0 to 65535"), (.uint16, "0x10000", "0x10000 is no whole"),
            (.int8, "128", "128 is no whole number from -128 to 127"), (.int16, "x", "x is no whole number"),
            (.float32, "1e39", "1e39 is too large for a float32"), (.float64, "nan", "nan is no number"),
            (.float64, "x", "x is no number"), (.medfloat16, "36.655", "36.655 has more digits than a medfloat16"),
            (.medfloat32, "inf", "inf is no number"),
        ] as [(ValueType, String, String)]
    )
    func refused(type: ValueType, text: String, words: String) {
        let failure = #expect(throws: Failure.self) { try type.octets(of: text) }
        #expect(failure?.line.hasPrefix(words) == true, "\(failure?.line ?? "")")
    }

    @Test("reads several numbers of a value one after the other, and no part of one")
    func several() {
        let octets = Data([1, 0, 0xFF, 0xFF])
        #expect(ValueType.int16.texts(of: octets) == ["1", "-1"] && ValueType.int16.json(of: octets).text == "[1,-1]")
        #expect(ValueType.uint32.json(of: octets).text == "4294901761")
        #expect(ValueType.uint24.texts(of: octets) == nil && ValueType.uint24.json(of: octets).text == "null")
        #expect(ValueType.uint8.texts(of: Data()) == nil)
        // As slices begin at any index.
        #expect(ValueType.uint16.texts(of: octets.dropFirst(2)) == ["65535"])
    }

    @Test("has what is no number as a text of its own, and as null in JSON")
    func special() {
        let octets = Data([0xFF, 0x07])
        #expect(ValueType.medfloat16.texts(of: octets) == ["not a number"])
        #expect(ValueType.medfloat16.json(of: octets).text == "null")
        #expect(ValueType.base64.json(of: octets).text == "\"/wc=\"")
    }
}
