import CommandLineTool
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("The keys of a description")
struct DescriptionKeysTests {
    @Test("are those of the schema for editors, at the same places")
    func schema() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(
                path: "docs/gatt-description.schema.json"
            )
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
