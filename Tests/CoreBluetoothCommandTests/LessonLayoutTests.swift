// How lessons fit into columns.

import CommandLineTool
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
