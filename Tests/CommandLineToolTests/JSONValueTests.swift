import Testing

@testable import CommandLineTool

@Suite("JSON values")
struct JSONValueTests {
    @Test("keeps its order, and writes null for what is missing or not a number")
    func json() {
        let value = JSONValue.object([
            ("z", "é☂🎱"), ("a", .integer(-3)), ("half", .number(-0.25)), ("no", .bool(false)), ("yes", .bool(true)),
            ("nothing", .null), ("list", .array([.integer(1), "two", .array([])])),
            ("message", JSONValue(["b": "2", "a": "1"])), ("infinite", .number(.infinity)), ("nan", .number(.nan)),
            ("empty", .object([])), ("noText", JSONValue(String?.none)), ("noNumber", JSONValue(Int?.none)),
            ("text", JSONValue("a" as String?)), ("number", JSONValue(7 as Int?)),
        ])
        #expect(
            value.text == #"{"z":"é☂🎱","a":-3,"half":-0.25,"no":false,"yes":true,"nothing":null,"#
                + #""list":[1,"two",[]],"message":{"a":"1","b":"2"},"infinite":null,"nan":null,"empty":{},"#
                + #""noText":null,"noNumber":null,"text":"a","number":7}"#
        )
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
}
