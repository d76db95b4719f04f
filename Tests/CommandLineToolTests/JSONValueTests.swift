import Fixtures
import Foundation
import Testing

@testable import CommandLineTool

@Suite("JSON values")
struct JSONValueTests {
    @Test("keeps its order, and reads back as what it was written from")
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

    @Test(
        "escapes what JSON and terminals forbid in a string",
        arguments: [
            ("\u{0}", "\\u0000"), ("\u{1F}", "\\u001f"), (" ", " "), ("~", "~"), ("\u{7F}", "\\u007f"),
            ("\u{9F}", "\\u009f"), ("\u{A0}", "\u{A0}"), ("\u{2027}", "\u{2027}"), ("\u{2028}", "\\u2028"),
            ("\u{2029}", "\\u2029"), ("\u{202E}", "\\u202e"), ("\u{2066}", "\\u2066"), ("\u{E0041}", "\\udb40\\udc41"),
            ("\u{E0000}", "\\udb40\\udc00"), ("☂\u{FE0F}", "☂\u{FE0F}"), ("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t"),
            ("\"", "\\\""), ("\\", "\\\\"), ("/", "/"),
        ]
    )
    func escapes(text: String, escaped: String) {
        #expect(JSONValue.string(text).text == "\"\(escaped)\"")
        #expect(JSONValue.object([(text, .null)]).text == "{\"\(escaped)\":null}")
    }

    @Test("writes null for what is missing or not a number")
    func values() {
        #expect(JSONValue(String?.none).text == "null" && JSONValue(Int?.none).text == "null")
        #expect(JSONValue("a" as String?).text == "\"a\"" && JSONValue(7 as Int?).text == "7")
        #expect(JSONValue.number(.nan).text == "null" && JSONValue.number(-0.25).text == "-0.25")
        #expect(JSONValue.array([.bool(true), .bool(false)]).text == "[true,false]")
        #expect(JSONValue.object([]).text == "{}" && JSONValue.array([]).text == "[]")
    }
}
