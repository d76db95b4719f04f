// Descriptions that are wrong at every place in many ways, on record: what is refused, with its line and column, and
// what becomes of what is taken.

import BluetoothTypes
import CommandLineTool
import CoreBluetooth
import Fixtures
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("A walk through descriptions")
struct DescriptionWalkTests {
    /// A description with every key.
    private static let whole = """
        {
          "$schema": "x", "name": "Lamp", "manufacturerData": { "hex": "FFFF01" },
          "services": [
            { "uuid": "Battery" },
            { "uuid": "FFF0", "primary": false, "advertise": true, "includes": ["180F"],
              "characteristics": [
                { "uuid": "FFF1", "properties": ["read", "notify"], "values": [ { "int16": -5 }, { "uint24": 70000 } ],
                  "notifyEvery": 0.5, "description": "A \\"text\\"", "format": { "hex": "04000027010000" },
                  "security": { "read": "encrypted", "notify": "authenticated" }, "delay": 60 },
                { "uuid": "FFF2", "properties": ["write", "indicate", "writeWithoutResponse"],
                  "value": { "text": "Hä" }, "security": "encrypted",
                  "reads": [ { "uint8": 1 } ],
                  "notifications": [ { "after": 0.25, "value": { "float32": 1.5 }, "uuid": "FFF1" } ],
                  "answers": [ { "written": { "hex": "01" }, "error": 128,
                                 "notifications": [ { "after": 1, "value": { "uint64": 7 } } ] } ] } ] } ],
          "channels": [ { "security": "authenticated" }, {} ]
        }
        """

    /// What becomes of a text: what the description says, or the line that says what is wrong.
    private func outcome(_ json: String) throws -> String {
        do {
            let description = try GATTDescription(json: Data(json.utf8), from: "t.json")
            let rest = description.services.flatMap { $0.characteristics ?? [] }
                .map {
                    "\($0.notifyEvery ?? -1) \($0.delay ?? -1) \($0.value?.data.hex ?? "-") \($0.values?.count ?? -1)"
                }
            let channels = description.channels?.map { $0.security?.rawValue ?? "none" }
            return "\(String(decoding: try description.json, as: UTF8.self)) \(rest) \(channels ?? [])"
        } catch let failure as Failure {
            return failure.line
        }
    }

    /// All values in a JSON object, by the path to them.
    private func paths(_ value: Any, _ path: [String] = []) -> [[String]] {
        switch value {
        case let object as [String: Any]:
            [path] + object.keys.sorted().flatMap { paths(object[$0] ?? 0, path + [$0]) }
        case let list as [Any]: [path] + list.enumerated().flatMap { paths($1, path + ["\($0)"]) }
        default: [path]
        }
    }

    /// A JSON value with another one at a path; without that place where the other one is `nil`.
    private func replacing(_ path: ArraySlice<String>, in value: Any, with other: Any?) -> Any {
        guard let first = path.first else { return other ?? value }
        let rest = path.dropFirst()
        if var object = value as? [String: Any] {
            object[first] = rest.isEmpty ? other : object[first].map { replacing(rest, in: $0, with: other) }
            return object
        }
        guard var list = value as? [Any], let index = Int(first), list.indices.contains(index) else { return value }
        if rest.isEmpty, other == nil {
            list.remove(at: index)
        } else {
            list[index] = replacing(rest, in: list[index], with: other)
        }
        return list
    }

    private func text(_ value: Any) throws -> String {
        let options: JSONSerialization.WritingOptions = [.sortedKeys, .prettyPrinted, .fragmentsAllowed]
        return String(decoding: try JSONSerialization.data(withJSONObject: value, options: options), as: UTF8.self)
    }

    @Test("Each value is left out, or replaced by many others: what is refused is said in one line")
    func replacements() throws {
        let whole = try JSONSerialization.jsonObject(with: Data(Self.whole.utf8))
        let others: [Any?] = [
            nil, NSNull(), true, -1, 0, 1, 59.5, 60.1, 255, 256, 86_400, 86_401, 1e300, "", "x", "180F", "FFF1",
            "encrypted", "read", [Any](), ["180F"], [1], [String: Any](), ["x": 1], ["hex": "0"], ["uint8": 256],
            ["text": String(repeating: "x", count: 512)], ["text": String(repeating: "x", count: 513)],
            ["hex": String(repeating: "00", count: 26)], ["hex": String(repeating: "00", count: 27)], ["hex": "01"],
            ["uint8": 1, "int8": 1], ["read": "secret"], ["uuid": "FFF3", "properties": ["read"]],
        ]
        for path in paths(whole) {
            for (number, other) in others.enumerated() {
                let outcome = try outcome(try text(replacing(path[...], in: whole, with: other)))
                RunRecord.note("\(path) \(number): \(outcome)")
                #expect(!outcome.hasPrefix("t.json") || !outcome.contains("\n"))
            }
            // A key that has no meaning.
            let added = try text(replacing((path + ["meaning"])[...], in: whole, with: 1))
            let outcome = try outcome(added)
            RunRecord.note("\(path) meaning: \(outcome)")
        }
    }

    @Test("A text that ends at any octet, or has another one there, is refused with its line and column, or taken")
    func texts() throws {
        let octets = Array(Self.whole.utf8)
        for count in 0..<octets.count {
            let outcome = try outcome(String(decoding: octets.prefix(count), as: UTF8.self))
            RunRecord.note("\(count): \(outcome)")
        }
        var generator = SeededGenerator(seed: 1)
        for number in 0..<600 {
            var changed = octets
            let other = Array("{}[],:\"\\x0 \n-".utf8).randomElement(using: &generator) ?? 0
            changed[Int.random(in: 0..<octets.count, using: &generator)] = other
            let outcome = try outcome(String(decoding: changed, as: UTF8.self))
            RunRecord.note("\(number): \(outcome)")
        }
        let whole = try outcome(Self.whole)
        RunRecord.note(whole)
        #expect(whole.hasPrefix("{"))
    }

    @Test("Places are found in any JSON, and in what is none")
    func places() {
        var generator = SeededGenerator(seed: 2)
        let parts = [
            "{", "}", "[", "]", ",", ":", "\"a\"", "\"b\\\"\"", "1", "true", " ", "\n", "\t", "\r", "\"", "\\",
        ]
        let names = ["", "a", "[0]", "[1]", "a.a", "a[0]", "[0].a", "a[1].b\\\"", "[0][0]", "x.y", "a.x[3]", "b\\\""]
        for _ in 0..<3000 {
            let count = Int.random(in: 0...14, using: &generator)
            let text = (0..<count).map { _ in parts.randomElement(using: &generator) ?? "" }.joined()
            let places = JSONPlaces(Data(text.utf8))
            let found = names.map { places.offset(of: $0) }
            RunRecord.note("\(text) \(found.map { $0 ?? -1 })")
            for offset in found.compactMap({ $0 }) {
                #expect(offset <= text.utf8.count)
                RunRecord.note(JSONPlaces.position(offset, in: Data(text.utf8)))
            }
        }
        for offset in 0...9 { RunRecord.note(JSONPlaces.position(offset, in: Data("ä\nb\n\ncd".utf8))) }
    }

    @Test("Numbers of each kind at the limits of all kinds, and medical numbers of any size")
    func numbers() throws {
        let kinds = GATTDescription.Value.CodingKeys.allCases.map(\.rawValue)
        var numbers = [
            "0", "-0.0", "0.1", "1.5", "1e10", "1e-10", "3.4028235e38", "3.5e38", "-3.5e38", "1e400", "2147", "2045",
            "2046",
        ]
        for bits in [7, 8, 11, 15, 16, 23, 24, 31, 32, 63] as [UInt64] {
            for number in [1 << bits - 1, 1 << bits, 1 << bits + 1] as [UInt64] {
                numbers += ["\(number)", "-\(number)"]
            }
        }
        numbers += ["18446744073709551615", "18446744073709551616"]
        for kind in kinds {
            for number in numbers + [#""0A""#, #""x""#, "null", "true"] {
                let value = #"{ "\#(kind)": \#(number) }"#
                let characteristic = #"{ "uuid": "FFF1", "properties": ["read"], "reads": [ \#(value) ] }"#
                let outcome = try outcome(
                    #"{ "services": [ { "uuid": "FFF0", "characteristics": [ \#(characteristic) ] } ] }"#
                )
                RunRecord.note("\(value): \(outcome)")
            }
        }
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<1500 {
            let mantissa = Double(
                Int.random(in: -9_000_000...9_000_000, using: &generator) >> Int.random(in: 0...20, using: &generator)
            )
            let value = mantissa * pow(10, Double(Int.random(in: -12...9, using: &generator)))
            for octets in [2, 4] {
                RunRecord.note("\(value) \(GATTDescription.Value.medicalFloat(value, octets: octets)?.hex ?? "-")")
            }
        }
        for value in [
            2045, 2046, -2045, -2046, 8_388_605, 8_388_606, -8_388_605, 8e7, 2e10, 2.046e10, 1e127, 1e-128, .infinity,
            .nan,
        ] {
            for octets in [2, 4] {
                RunRecord.note("\(value) \(GATTDescription.Value.medicalFloat(value, octets: octets)?.hex ?? "-")")
            }
        }
    }
}
