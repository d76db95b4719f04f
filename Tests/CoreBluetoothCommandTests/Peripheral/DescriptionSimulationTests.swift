// Descriptions that are wrong at a random place in a random way.

import CommandLineTool
import Fixtures
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("Random descriptions")
struct DescriptionSimulationTests {
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

    /// The paths to all values in a JSON object.
    private func paths(_ value: Any, _ path: [String] = []) -> [[String]] {
        switch value {
        case let object as [String: Any]:
            [path] + object.keys.sorted().flatMap { paths(object[$0] ?? 0, path + [$0]) }
        case let list as [Any]: [path] + list.enumerated().flatMap { paths($1, path + ["\($0)"]) }
        default: [path]
        }
    }

    /// A JSON value with another one at a path, or without that place if the other one is `nil`.
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

    /// Reads a text, and what is written of it again.
    private func check(_ json: String) throws {
        do {
            let description = try GATTDescription(json: Data(json.utf8), from: "t.json")
            let written = try description.json
            #expect(try GATTDescription(json: written, from: "again.json").json == written)
        } catch let failure as Failure {
            #expect(failure.line.hasPrefix("t.json: ") && !failure.line.contains("\n"), "\(failure.line)")
            #expect(failure.line.hasSuffix("; corebluetooth advertise --help has an example"))
        }
    }

    @Test(
        "are rejected in one line, or written and read again the same",
        arguments: simulationSeeds(12)
    )
    func replacements(seed: UInt64) throws {
        var choices = SeededChoices(seed: seed)
        let whole = try JSONSerialization.jsonObject(with: Data(Self.whole.utf8))
        let paths = paths(whole)
        let others: [Any?] = [
            nil, NSNull(), true, -1, 0, 1, 59.5, 60.1, 255, 256, 86_400, 86_401, 1e300, "", "x", "180F", "FFF1",
            "encrypted", "read", [Any](), ["180F"], [1], [String: Any](), ["x": 1], ["hex": "0"], ["uint8": 256],
            ["text": String(repeating: "x", count: 513)], ["hex": String(repeating: "00", count: 27)], ["hex": "01"],
            ["uint8": 1, "int8": 1], ["read": "secret"], ["uuid": "FFF3", "properties": ["read"]],
        ]
        for _ in 0..<40 {
            var changed = whole
            for _ in 0...choices.below(3) {
                let path = choices.pick(paths) + (choices.once(in: 10) ? ["meaning"] : [])
                changed = replacing(path[...], in: changed, with: choices.pick(others))
            }
            try check(try text(changed))
        }
        for _ in 0..<20 {
            var octets = Array(Self.whole.utf8)
            octets[choices.below(octets.count)] = choices.pick(Array("{}[],:\"\\x0 \n-".utf8))
            if choices.once(in: 3) { octets = Array(octets.prefix(choices.below(octets.count))) }
            try check(String(decoding: octets, as: UTF8.self))
        }
    }
}
