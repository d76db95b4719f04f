// The keys of descriptions and their values: where an error is, what numbers become, and that the schema for editors says
// the same.

import CommandLineTool
import Fixtures
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("Keys and values of descriptions")
struct DescriptionKeysTests {
    private func failure(_ json: String) -> String? {
        do {
            _ = try GATTDescription(json: Data(json.utf8), from: "t.json")
            return nil
        } catch {
            return (error as? Failure)?.line
        }
    }

    private func characteristic(_ members: String) -> String {
        #"{"services": [{"uuid": "FFF0", "characteristics": [{"uuid": "FFF1", "properties": ["read"], \#(members)}]}]}"#
    }

    @Test("Parts are found behind whatever value stands before them, and where the text ends early")
    func places() {
        let json = #"{"a":[1,true ,"x\"]}",null],"b":-1.5e3,"c": {"d":false,"e":[[],{}, {"f":0}]},"g":1}"#
        let places = JSONPlaces(Data(json.utf8))
        func text(_ place: String) -> String? {
            places.offset(of: place).map { String(json.dropFirst($0).prefix(4)) }
        }
        #expect(["a", "b", "c", "g"].map(text) == ["\"a\":", "\"b\":", "\"c\":", "\"g\":"])
        #expect(["a[0]", "a[1]", "a[2]", "a[3]"].map(text) == ["1,tr", "true", "\"x\\\"", "null"])
        #expect(
            ["c.d", "c.e", "c.e[0]", "c.e[1]", "c.e[2]"].map(text) == ["\"d\":", "\"e\":", "[],{", "{}, ", "{\"f\""]
        )
        #expect(text("c.e[2].f") == "\"f\":")
        // What is not there is in what is around it.
        #expect(text("c.e[3].x") == "\"e\":" && text("c.x") == "\"c\":" && text("x") == nil && text("") == nil)
        for count in 0...json.utf8.count {
            let cut = JSONPlaces(Data(json.utf8.prefix(count)))
            #expect(cut.offset(of: "a") == (count > 2 ? 1 : nil), "\(count)")
        }
    }

    @Test(
        "An error has the line and the column of its key, or of its element",
        arguments: [
            ("{\n  \"name\": \"A\",\n  \"services\": [\n    { \"uuid\": \"nothing\" } ] }", "line 4, column 7"),
            ("{\n  \"name\": \"A\",\n  \"services\": [\n    { \"id\": \"FFF0\" } ] }", "line 4, column 7"),
            ("{\n  \"services\": [ {\"uuid\": \"FFF0\"},\n {} ] }", "line 3, column 2"),
            (
                "{ \"services\": [ { \"uuid\": \"FFF0\", \"characteristics\": [\n{ \"uuid\": \"FFF1\",\n"
                    + "\"properties\": [\"é\", \"raed\"] } ] } ] }",
                "line 3, column 16"
            ),
            (
                "{ \"services\": [ { \"uuid\": \"FFF0\", \"includes\":\n [ \"180F\" ] } ] }", "line 2, column 4"
            ),
            ("{\n\"services\": [],\n\"name\": \"a\\\"}\",\n \"x\": 1 }", "line 4, column 2"),
        ]
    )
    func places(json: String, place: String) throws {
        let line = try #require(self.failure(json))
        #expect(line.hasSuffix(" (\(place)); corebluetooth advertise --help has an example"), "\(line)")
    }

    @Test(
        "A number takes the octets of its type",
        arguments: [
            ("uint24", "16777215", [0xFF, 0xFF, 0xFF]), ("int24", "-8388608", [0x00, 0x00, 0x80]),
            ("uint64", "18446744073709551615", [UInt8](repeating: 0xFF, count: 8)),
            ("int64", "-2", [0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]), ("uint8", "7.0", [0x07]),
            ("float32", "1.5", [0x00, 0x00, 0xC0, 0x3F]), ("float64", "-2", [0, 0, 0, 0, 0, 0, 0, 0xC0]),
            ("medfloat16", "36.6", [0x6E, 0xF1]), ("medfloat16", "-1", [0xFF, 0x0F]),
            ("medfloat16", "0", [0x00, 0x00]),
            ("medfloat16", "2045", [0xFD, 0x07]), ("medfloat16", "2050", [0xCD, 0x10]),
            ("medfloat32", "36.65", [0x51, 0x0E, 0x00, 0xFE]), ("medfloat32", "8388605", [0xFD, 0xFF, 0x7F, 0x00]),
        ] as [(String, String, [UInt8])]
    )
    func numbers(type: String, number: String, octets: [UInt8]) throws {
        let json = self.characteristic("\"value\": {\"\(type)\": \(number)}")
        let description = try GATTDescription(json: Data(json.utf8), from: "t.json")
        #expect(description.services[0].characteristics?[0].value?.data == Data(octets))
    }

    @Test(
        "What does not fit into a type, or is no time, is refused with the limit",
        arguments: [
            (#""value": {"uint24": 16777216}"#, "16,777,216 is no whole number from 0 to 16777215"),
            (#""value": {"int24": -8388609}"#, "-8,388,609 is no whole number from -8388608 to 8388607"),
            (#""value": {"uint64": -1}"#, "-1 is no whole number from 0 to 18446744073709551615"),
            (#""value": {"float32": 1e39}"#, "is too large for a float32"),
            (#""value": {"medfloat16": 36.655}"#, "36.655 has more digits than a medfloat16 takes"),
            (#""value": {"medfloat16": 2047}"#, "2,047 has more digits than a medfloat16 takes"),
            (#""delay": 61"#, ".delay is a number of seconds from 0 to 60"),
            (#""delay": -1"#, ".delay is a number of seconds from 0 to 60"),
            (#""value": {}"#, "a value has exactly one of hex, text"),
        ]
    )
    func refused(members: String, words: String) throws {
        let line = try #require(self.failure(self.characteristic(members)))
        #expect(line.contains(words), "\(line)")
    }

    @Test(
        "Manufacturer data has a company, and fits into a packet",
        arguments: [(1, false), (2, true), (26, true), (27, false)]
    )
    func manufacturerData(count: Int, isTaken: Bool) {
        let hex = String(repeating: "00", count: count)
        let line = self.failure(#"{"services": [], "manufacturerData": {"hex": "\#(hex)"}}"#)
        #expect((line == nil) == isTaken, "\(line ?? "")")
        #expect(
            isTaken || line?.contains("manufacturerData has \(count) octets; 2, for the company, to 26 fit") == true
        )
    }

    @Test("A description may say where its schema is, for editors; no part of it may")
    func schemaKey() {
        let key = #""$schema": "file:///usr/share/opencorebluetooth/gatt-description.schema.json""#
        #expect(self.failure("{\(key), \"services\": []}") == nil)
        #expect(self.failure("{\"services\": [{\"uuid\": \"FFF0\", \(key)}]}")?.contains("has no meaning") == true)
    }

    @Test("The schema for editors has the same keys at the same places")
    func schema() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "docs/gatt-description.schema.json")
        let schema = try #require(try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
        let definitions = try #require(schema["$defs"] as? [String: [String: Any]])
        var checked = 0
        func compare(_ keys: DescriptionKeys, _ part: [String: Any], _ place: String) throws {
            var part = part
            if let reference = part["$ref"] as? String {
                part = try #require(definitions[String(reference.dropFirst("#/$defs/".count))], "\(reference)")
            }
            switch keys {
            case .none:
                #expect(part["properties"] == nil, "\(place)")
            case .list(let element):
                try compare(element, try #require(part["items"] as? [String: Any], "\(place)"), place + "[]")
            case .object(let inner):
                // Security is one word or an object.
                if let forms = part["oneOf"] as? [[String: Any]] { part = try #require(forms.last) }
                let properties = try #require(part["properties"] as? [String: [String: Any]], "\(place)")
                #expect(Set(properties.keys) == Set(inner.map(\.key)), "\(place)")
                #expect(part["additionalProperties"] as? Bool == false, "\(place)")
                checked += 1
                for (key, keys) in inner { try compare(keys, properties[key] ?? [:], "\(place).\(key)") }
            }
        }
        try compare(GATTDescription.keys, schema, "")
        #expect(checked > 8)
        let properties = (definitions["characteristic"]?["properties"] as? [String: [String: Any]])?["properties"]
        let names = (properties?["items"] as? [String: Any])?["enum"] as? [String]
        #expect(names == GATTDescription.Property.allCases.map(\.rawValue))
        #expect(definitions["level"]?["enum"] as? [String] == GATTDescription.Level.allCases.map(\.rawValue))
    }
}
