import Foundation
import Testing

@testable import CommandLineTool

@Suite("Lines out")
struct ConsoleTests {
    @Test("Text from the air cannot command a terminal, nor break a line")
    func printable() {
        #expect(PrintableText.text("a\nb\u{1B}[0m\u{7F}\u{202E}c") == "a\u{FFFD}b\u{FFFD}[0m\u{FFFD}\u{FFFD}c")
        #expect(PrintableText.text("Will it rain? ☂ ¿Sí?") == "Will it rain? ☂ ¿Sí?")
        #expect(PrintableText.quoted("Cry\u{7}stal") == "\"Cry\u{FFFD}stal\"")
    }

    @Test("A line of JSON keeps its order, and reads back as what it was written from")
    func json() throws {
        let strange = "\"\\/\n\r\t\u{0}\u{1F}\u{7F}\u{2028}é☂🎱"
        let value = JSONValue.object([
            ("z", .string(strange)), ("a", .integer(-3)), ("half", .number(0.5)), ("no", .bool(false)),
            ("nothing", .null), ("list", .array([.integer(1), "two", .array([])])),
            ("message", JSONValue(["b": "2", "a": "1"])), ("infinite", .number(.infinity)),
        ])
        #expect(!value.text.contains("\n"))
        #expect(value.text.hasPrefix("{\"z\":"))
        #expect(value.text.contains("\"message\":{\"a\":\"1\",\"b\":\"2\"}"))
        let read = try #require(
            try JSONSerialization.jsonObject(with: Data(value.text.utf8)) as? [String: Any]
        )
        #expect(read["z"] as? String == strange)
        #expect(read["a"] as? Int == -3)
        #expect(read["half"] as? Double == 0.5)
        #expect(read["no"] as? Bool == false)
        #expect(read["nothing"] is NSNull)
        #expect((read["list"] as? [Any])?.count == 3)
        #expect(read["message"] as? [String: String] == ["a": "1", "b": "2"])
        #expect(read["infinite"] is NSNull)
    }
}
