// How lessons fit into columns.

import CommandLineTool
import Fixtures
import Lessons
import Testing

@testable import CoreBluetoothCommand

@Suite("The layout of lessons")
struct LessonLayoutTests {
    @Test("Text is broken between words, and inside of those that are too long")
    func breaking() {
        func broken(_ text: String, _ first: String = "", _ rest: String = "") -> [String] {
            LessonLayout.broken(text, first: first, rest: rest, 20)
        }
        #expect(broken("one two three four five six") == ["one two three four", "five six"])
        #expect(broken("one two three four five six", " 1  ", "    ") == [" 1  one two three", "    four five six"])
        #expect(broken("12345678901234567890123") == ["12345678901234567890", "123"])
        #expect(broken("a 12345678901234567890123", "", "  ") == ["a", "  123456789012345678", "  90123"])
        #expect(broken("") == [""])
        #expect(broken("a", String(repeating: " ", count: 40)) == ["a"])
    }

    @Test("A word that is too long goes on below behind the indentation of what follows, line by line")
    func longWords() {
        let word = String("1234567890123456789012345678901234567890")
        func broken(_ text: String, _ first: String, _ rest: String) -> [String] {
            LessonLayout.broken(text, first: first, rest: rest, 20)
        }
        #expect(
            broken(word, " 1  ", "      ") == [" 1  1234567890123456", "      78901234567890", "      1234567890"]
        )
        #expect(broken(word, "-", "") == ["-1234567890123456789", "01234567890123456789", "0"])
        #expect(
            broken("a \(word) b", "--", "..") == ["--a", "..123456789012345678", "..901234567890123456", "..7890 b"]
        )
        // What fits to the last column stays; one character more does not.
        #expect(broken("1234 567890123456", "--- ", "    ") == ["--- 1234", "    567890123456"])
        #expect(broken("123 567890123456", "--- ", "    ") == ["--- 123 567890123456"])
        #expect(broken("1234567890123456", "--- ", "    ") == ["--- 1234567890123456"])
    }

    @Test("An indentation that leaves twelve columns is kept, one that leaves eleven is given up")
    func indentation() {
        func broken(_ first: Int, _ rest: Int) -> [String] {
            LessonLayout.broken(
                "one two three four",
                first: String(repeating: "-", count: first),
                rest: String(repeating: ".", count: rest),
                20
            )
        }
        #expect(broken(8, 8) == ["--------one two", "........three four"])
        #expect(broken(9, 8) == ["one two three four"])
        #expect(broken(8, 9) == ["--------one two", "  three four"])
    }

    @Test("Prose has 88 columns at most, where there are so many", arguments: [nil, 88, 87, 200])
    func prose(columns: Int?) {
        let text = String(repeating: "a", count: 43) + " " + String(repeating: "b", count: 44) + " c"
        let lines = LessonLayout(columns: columns).prose(text)
        #expect(lines.map(\.count) == (columns == 87 ? [43, 46, 0] : [88, 1, 0]))
    }

    @Test("An item has its number, of one or two digits, and what is said of it stands four columns in")
    func items() {
        let layout = LessonLayout(columns: nil)
        #expect(layout.item(9, "Scan", "Devices") == [" 9  Scan", "    Devices", ""])
        #expect(layout.item(10, "Scan", "Devices") == ["10  Scan", "    Devices", ""])
        #expect(layout.item(nil, "Scan", "Devices") == ["  Scan", "    Devices", ""])
        #expect(
            LessonLayout(columns: 20).item(1, "Scan for the devices", "What is there near by") == [
                " 1  Scan for the", "    devices", "    What is there", "    near by", "",
            ]
        )
    }

    @Test("Code has a margin, half of it in few columns; a comment that is broken goes on as one")
    func code() {
        let code = "func a() {\n    // one two three four\n\n    /// four five six\n}"
        for columns in [nil, 64] {
            #expect(
                LessonLayout(columns: columns).code(code) == [
                    "    func a() {", "        // one two three four", "", "        /// four five six", "    }", "",
                ]
            )
        }
        #expect(LessonLayout(columns: 63).code("a") == ["  a", ""])
        #expect(
            LessonLayout(columns: 22).code(code) == [
                "  func a() {", "      // one two three", "      // four", "", "      /// four five", "      /// six",
                "  }", "",
            ]
        )
        #expect(
            LessonLayout(columns: 20).code("abcdef ghijkl mnopqr stu") == ["  abcdef ghijkl", "      mnopqr stu", ""]
        )
    }

    @Test("A lesson fits, whatever the terminal's width", arguments: [20, 40, 63, 64, 80, 200])
    func width(columns: Int) throws {
        let layout = LessonLayout(columns: columns)
        for lesson in Course.lessons {
            var state = LessonLayout.TraceState()
            var lines = layout.item(lesson.number, lesson.title, lesson.summary)
            lines += layout.prose(lesson.introduction)
            lines += lesson.steps.flatMap { layout.heading($0.part) + layout.code(lesson.code(of: $0)) }
            lines += try lesson.run().flatMap { layout.trace($0, &state) }
            for line in lines { #expect(line.count <= columns, "\(line)") }
            // Nothing is lost, and nothing added but spaces and the marks of comments.
            for code in lesson.steps.map({ lesson.code(of: $0) }) {
                let shown: String = layout.code(code).joined()
                #expect(shown.filter { !" /".contains($0) } == code.filter { !$0.isWhitespace && $0 != "/" })
            }
        }
    }

    @Test("A trace has its times beside it, in few columns above it, once for all that happens at a time")
    func trace() {
        let entries = [
            TimelineEntry(.call, of: "phone", layer: "Core Bluetooth", "stopScan()", at: 1500),
            TimelineEntry(.sent, of: "phone", layer: "ATT", "Write Request", at: 1500),
        ]
        func lines(_ columns: Int?) -> [String] {
            var state = LessonLayout.TraceState()
            return entries.flatMap { LessonLayout(columns: columns).trace($0, &state) }
        }
        #expect(
            lines(nil) == ["    1.50 ms  phone       stopScan()", "    1.50 ms  phone         → ATT Write Request"]
        )
        #expect(lines(80) == lines(nil))
        #expect(lines(40) == ["1.50 ms  phone", "    stopScan()", "      → ATT Write Request"])
    }
}
