// Words for values, errors, strengths and security, on record: each code, each strength, and random octets.

import BluetoothHost
import BluetoothTypes
import CommandLineTool
import CoreBluetooth
import Fixtures
import Foundation
import TerminalScreen
import Testing

@testable import CoreBluetoothCommand

@Suite("Words")
struct TextWalkTests {
    private static func random(_ generator: inout SeededGenerator, _ count: Int) -> Data {
        Data((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }

    @Test("Octets of each characteristic of the SIG, random ones and those at the limits of numbers, become words")
    func values() {
        var generator = SeededGenerator(seed: 1)
        for number in 0x29F0...0x2C40 {
            let uuid = CBUUID(string: String(number, radix: 16, uppercase: true))
            for count in 0..<10 {
                let limits = [Data(repeating: 0xFF, count: count), Data(repeating: 0, count: count)]
                for data in [Self.random(&generator, count)] + (count < 5 ? limits : []) {
                    let text = ValueText.text(data, of: uuid)
                    #expect(!text.isEmpty)
                    RunRecord.note("\(number) \(Hexadecimal.digits(data)): \(text)")
                }
            }
        }
    }

    @Test(
        "Of the characteristics with formats of their own, each number of octets and each first octet is put into words"
    )
    func ownFormats() {
        var generator = SeededGenerator(seed: 2)
        for name in ["2A00", "2A01", "2A04", "2A06", "2A07", "2A24", "2A29", "2A2A", "2A37", "2A38", "2A50", "2A8A"] {
            let uuid = CBUUID(string: name)
            for first in UInt8.min...UInt8.max {
                let rest = Self.random(&generator, Int(first) % 10)
                RunRecord.note("\(name) \(first): \(ValueText.text(Data([first]) + rest, of: uuid))")
                let single = Data([UInt8](repeating: first % 3, count: Int(first) % 11))
                RunRecord.note("\(name) \(first): \(ValueText.text(single, of: uuid))")
            }
            // A slice does not begin at zero.
            let slice = Data([1, 2, 3, 4, 5, 6, 7, 8, 9]).dropFirst(2)
            #expect(ValueText.text(slice, of: uuid) == ValueText.text(Data(slice), of: uuid))
        }
        for octets in [Data([0xE2, 0x82, 0xAC]), Data([0x41, 0x0A]), Data([0xC3]), Data("A".utf8), Data()] {
            RunRecord.note("\(ValueText.plain(octets) ?? "-") \(ValueText.text(ofDescriptor: octets))")
        }
        let others: [Any?] = ["text\u{1B}", NSNumber(value: 3), nil, Date?.none as Any]
        for value in others { RunRecord.note(ValueText.text(ofDescriptor: value)) }
    }

    @Test("Properties, UUIDs, errors and states have their words")
    func codes() throws {
        for bits in UInt(0)...0x3FF {
            let words = PropertyText.words(CBCharacteristicProperties(rawValue: bits))
            #expect(words.count == (bits & 0xFF).nonzeroBitCount)
            RunRecord.note("\(bits) \(words)")
        }
        for number in Array(0x1800...0x1860) + Array(0x2800...0x2803) + Array(0x2900...0x2915) + [0xFFF0, 0xFEAA] {
            let uuid = CBUUID(string: String(number, radix: 16, uppercase: true))
            RunRecord.note(
                "\(UUIDText.name(uuid)) \(UUIDText.label(uuid)) \(UUIDText.json(uuid).text) \(UUIDText.spellings(uuid))"
            )
        }
        let levels: [LinkSecurity?] =
            [nil, LinkSecurity.none]
            + [
                (false, false, 16), (true, false, 16), (true, true, 16), (false, true, 16), (true, true, 15),
                (true, false, 7),
            ]
            .map {
                LinkSecurity(key: .init(isAuthenticated: $0.0, isSecureConnections: $0.1, size: $0.2))
            }
        for security in levels { RunRecord.note("\(SecurityText.text(security)) \(SecurityText.json(security).text)") }
        for level in SecurityLevel.allCases { RunRecord.note("\(level) \(SecurityText.name(level))") }
        for code in (0...255).compactMap(CBATTError.Code.init(rawValue:)) {
            let error = CBATTError(code)
            RunRecord.note("\(ErrorText.text(error)) \(ErrorText.text(DeviceFailure("reading failed", error)))")
            for security in levels { RunRecord.note("\(code) \(SecurityText.demand(error, on: security) ?? "-")") }
        }
        for code in (0...60).compactMap(CBError.Code.init(rawValue:)) {
            RunRecord.note("\(ErrorText.text(CBError(code))) \(SecurityText.demand(CBError(code), on: nil) ?? "-")")
        }
        #expect(ErrorText.text(Failure("a line.")) == "a line.")
        for state in (0...5).compactMap(CBManagerState.init(rawValue:)) { RunRecord.note(StateText.text(state)) }
    }

    @Test("Each strength has its bars and its number in as many columns, and its colours")
    func strengths() {
        for rssi in (-1200...30).map(Optional.some) + [nil] {
            let text = SignalText.text(rssi)
            #expect(ColumnWidth.columns(of: text.text) == SignalText.columns)
            RunRecord.note("\(rssi ?? 0) \(text.rendered(hasColors: true)) \(text.rendered(hasColors: false))")
        }
    }

    @Test("Digits become octets where they come in pairs, whatever separates these")
    func hexadecimal() {
        var generator = SeededGenerator(seed: 3)
        let parts = ["0", "1", "a", "F", "0x", "0X", " ", ":", "-", "g", "é", "00", "ff", "７"]
        for _ in 0..<4000 {
            let count = Int.random(in: 0...6, using: &generator)
            let text = (0..<count).map { _ in parts.randomElement(using: &generator) ?? "" }.joined()
            let octets = Hexadecimal.octets(text)
            RunRecord.note("\(text): \(octets.map { Hexadecimal.text($0) } ?? "-")")
            if let octets { #expect(Hexadecimal.octets(Hexadecimal.digits(octets)) == octets) }
        }
        for value in [0, 9, 10, 255, 256, 4095, 65535] as [UInt16] { RunRecord.note(Hexadecimal.number(value)) }
    }

    @Test("Text is broken to any width, farther to the right where it goes on")
    func wrapping() {
        let text = """
            Short
              indented a word, another-one and averyverylongwordthatdoesnotfitanywhere
                日本語 ends; Wärme 21.5 °C

                      deep indentation leaves ten columns for what follows it
            """
        for columns in 1...90 {
            let lines = WrappedText.text(text, columns: columns)
            RunRecord.note("\(columns)\n\(lines)")
            let fields = [("name", text), ("longer name", "x y z")]
            RunRecord.note("\(columns)\n\(FieldText.text(fields, columns: columns))")
        }
        #expect(WrappedText.text(text, columns: nil) == text)
        RunRecord.note(FieldText.text([], columns: nil) + FieldText.text([("a", "b")], columns: nil))
    }

    @Test("Timing has its words, and milliseconds in JSON")
    func timing() {
        for interval in [6, 7, 24, 800, 3200] as [Int64] {
            for latency in [0, 1, 499] as [UInt16] {
                for timeout in [100, 720, 32_000] as [Int64] {
                    let timing = LinkTiming(
                        interval: ConnectionInterval(.microseconds(interval * 1250)),
                        latency: latency,
                        supervisionTimeout: SupervisionTimeout(.milliseconds(timeout))
                    )
                    RunRecord.note("\(LinkText.line(timing)) \(JSONValue.object(LinkText.details(timing)).text)")
                }
            }
        }
    }
}
