import Fixtures
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

    @Test(
        "What JSON and terminals forbid in a string is escaped, and what stands beside it is not",
        arguments: [
            ("\u{0}", "\\u0000"), ("\u{1F}", "\\u001f"), (" ", " "), ("~", "~"), ("\u{7F}", "\\u007f"),
            ("\u{9F}", "\\u009f"), ("\u{A0}", "\u{A0}"), ("\u{2027}", "\u{2027}"), ("\u{2028}", "\\u2028"),
            ("\u{2029}", "\\u2029"), ("\u{202A}", "\u{202A}"), ("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t"),
            ("\"", "\\\""), ("\\", "\\\\"), ("/", "/"),
        ]
    )
    func escapes(text: String, escaped: String) {
        #expect(JSONValue.string(text).text == "\"\(escaped)\"")
        #expect(JSONValue.object([(text, .null)]).text == "{\"\(escaped)\":null}")
    }

    @Test("What is not there is null; numbers and truths are what they are")
    func values() {
        #expect(JSONValue(String?.none).text == "null" && JSONValue(Int?.none).text == "null")
        #expect(JSONValue("a" as String?).text == "\"a\"" && JSONValue(7 as Int?).text == "7")
        #expect(JSONValue.number(.nan).text == "null" && JSONValue.number(-0.25).text == "-0.25")
        #expect(JSONValue.array([.bool(true), .bool(false)]).text == "[true,false]")
        #expect(JSONValue.object([]).text == "{}" && JSONValue.array([]).text == "[]")
    }

    @Test(
        "A line that asks for the end",
        arguments: [
            ("quit", true), ("exit", true), ("q", true), (" Q ", true), ("QUIT", true), ("quit?", false), ("", false),
            ("qu", false),
        ]
    )
    func quitting(line: String, isQuit: Bool) {
        #expect(LineReader.isQuit(line) == isQuit)
    }

    @Test(
        "A time limit is more than nothing and at most a day",
        arguments: [(nil, true), (0, false), (-1, false), (0.001, true), (86_400, true), (86_400.5, false)]
            as [(Double?, Bool)]
    )
    func timeLimit(seconds: Double?, isTaken: Bool) {
        if isTaken {
            #expect(throws: Never.self) { try Deadline.validate(seconds) }
        } else {
            #expect(throws: (any Error).self) { try Deadline.validate(seconds) }
        }
    }
}
