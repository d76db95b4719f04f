import CommandLineTool
import Testing

@testable import Lessons

@Suite("The layout of lessons")
struct LessonLayoutTests {
    @Test("has at most 88 columns of prose", arguments: [nil, 88, 87, 200])
    func prose(columns: Int?) {
        let text = String(repeating: "a", count: 43) + " " + String(repeating: "b", count: 44) + " c"
        let lines = LessonLayout(columns: columns).prose(text)
        #expect(lines.map(\.count) == (columns == 87 ? [43, 46, 0] : [88, 1, 0]))
    }

    @Test("gives code a margin, and continues a broken comment as a comment")
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

    @Test("fits into any width, and loses nothing of the code", arguments: [20, 40, 63, 64, 80, 200])
    func width(columns: Int) throws {
        let layout = LessonLayout(columns: columns)
        for lesson in Course.lessons {
            var state = LessonLayout.TraceState()
            var lines = layout.item(lesson.number, lesson.title, lesson.summary)
            lines += layout.prose(lesson.introduction)
            lines += lesson.steps.flatMap { layout.heading($0.part) + layout.code(lesson.code(of: $0)) }
            lines += try lesson.run().flatMap { layout.trace($0, &state) }
            for line in lines { #expect(line.count <= columns, "\(line)") }
            // Only spaces and comment marks are added.
            for code in lesson.steps.map({ lesson.code(of: $0) }) {
                let shown: String = layout.code(code).joined()
                #expect(shown.filter { !" /".contains($0) } == code.filter { !$0.isWhitespace && $0 != "/" })
            }
        }
    }

    @Test("has headings between empty lines, each of their lines in bold if that is shown")
    func headings() {
        #expect(LessonLayout(columns: 20).heading("The run") == ["", "The run", ""])
        #expect(
            LessonLayout(columns: 20, hasStyle: true).heading("one two three four five") == [
                "", "\u{1B}[1mone two three four\u{1B}[0m", "\u{1B}[1mfive\u{1B}[0m", "",
            ]
        )
        let entry = TimelineEntry(.heading, of: "lesson", layer: "", "A scan", at: 1500)
        #expect(lines([entry], 20) == ["", "A scan", ""])
    }

    // MARK: Traces

    private static let entries: [TimelineEntry] = [
        TimelineEntry(.app, of: "thermometer", layer: "app", "looks for all who listen", at: 500),
        TimelineEntry(.call, of: "thermometer", layer: "Core Bluetooth", "stopScan()", at: 1500),
        TimelineEntry(.sent, of: "thermometer", layer: "ATT", "Write Request", at: 1500),
        TimelineEntry(.received, of: "phone", layer: "ATT", "Write Response of the value", at: 1500),
        TimelineEntry(.call, of: "thermometer", layer: "Core Bluetooth", "stopScan()", at: 1500),
    ]

    private func lines(_ entries: [TimelineEntry], _ columns: Int?) -> [String] {
        var state = LessonLayout.TraceState()
        return entries.flatMap { LessonLayout(columns: columns).trace($0, &state) }
    }

    @Test("has the time and the device beside each line of a trace in 64 columns and more")
    func wide() {
        let expected = [
            "    0.50 ms  thermometer  app: looks for all who listen", "    1.50 ms  thermometer    stopScan()",
            "    1.50 ms  thermometer      → ATT Write Request",
            "    1.50 ms  phone         ← ATT Write Response of the value", "    1.50 ms  thermometer    stopScan()",
        ]
        for columns in [nil, 64, 200] as [Int?] { #expect(lines(Self.entries, columns) == expected) }
    }

    @Test("has them above in fewer, once for lines of one device at one time")
    func narrow() {
        #expect(
            lines(Self.entries, 63) == [
                "0.50 ms  thermometer", "  app: looks for all who listen", "1.50 ms  thermometer", "    stopScan()",
                "      → ATT Write Request", "1.50 ms  phone", "      ← ATT Write Response of the value",
                "1.50 ms  thermometer", "    stopScan()",
            ]
        )
        // The width is at least 20 columns.
        for columns in [20, 19, 1, 0] {
            #expect(
                lines(Array(Self.entries.prefix(3)), columns) == [
                    "0.50 ms  thermometer", "  app: looks for all", "    who listen", "1.50 ms  thermometer",
                    "    stopScan()", "      → ATT Write", "        Request",
                ]
            )
        }
    }
}
