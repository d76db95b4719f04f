// The trace of a lesson at the widths where its layout changes, for devices whose names are longer than others; and
// headings, plain and in bold.

import CommandLineTool
import Fixtures
import Lessons
import Testing

@testable import CoreBluetoothCommand

@Suite("The layout of a lesson's trace")
struct LessonTraceLayoutTests {
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

    @Test("In 64 columns and more each line has its time and its device, whatever stands above it")
    func wide() {
        let expected = [
            "    0.50 ms  thermometer  app: looks for all who listen", "    1.50 ms  thermometer    stopScan()",
            "    1.50 ms  thermometer      → ATT Write Request",
            "    1.50 ms  phone         ← ATT Write Response of the value", "    1.50 ms  thermometer    stopScan()",
        ]
        for columns in [nil, 64, 200] as [Int?] { #expect(lines(Self.entries, columns) == expected) }
    }

    @Test("In fewer they stand above, once for the lines of one device at one time that follow each other")
    func narrow() {
        #expect(
            lines(Self.entries, 63) == [
                "0.50 ms  thermometer", "  app: looks for all who listen", "1.50 ms  thermometer", "    stopScan()",
                "      → ATT Write Request", "1.50 ms  phone", "      ← ATT Write Response of the value",
                "1.50 ms  thermometer", "    stopScan()",
            ]
        )
        // Fewer than 20 columns are not believed.
        for columns in [20, 19, 1, 0] {
            #expect(
                lines(Array(Self.entries.prefix(3)), columns) == [
                    "0.50 ms  thermometer", "  app: looks for all", "    who listen", "1.50 ms  thermometer",
                    "    stopScan()", "      → ATT Write", "        Request",
                ]
            )
        }
    }

    @Test("What does not fit goes on two columns farther to the right than it began")
    func broken() {
        let entry = TimelineEntry(
            .sent,
            of: "thermometer",
            layer: "ATT",
            "Write Request of the characteristic Battery Level",
            at: 1500
        )
        #expect(
            lines([entry], 64) == [
                "    1.50 ms  thermometer      → ATT Write Request of the",
                "                                characteristic Battery Level",
            ]
        )
        #expect(
            lines([entry], 63) == [
                "1.50 ms  thermometer", "      → ATT Write Request of the characteristic Battery Level",
            ]
        )
        #expect(
            lines([entry], 40) == [
                "1.50 ms  thermometer", "      → ATT Write Request of the", "        characteristic Battery Level",
            ]
        )
    }

    @Test("A heading stands between empty lines, in bold where that is shown; in a trace it is alone")
    func headings() {
        let plain = LessonLayout(columns: 20)
        let bold = LessonLayout(columns: 20, hasStyle: true)
        #expect(plain.heading("The run") == ["", "The run", ""])
        #expect(bold.heading("The run") == ["", "\u{1B}[1mThe run\u{1B}[0m", ""])
        #expect(
            bold.heading("one two three four five") == [
                "", "\u{1B}[1mone two three four\u{1B}[0m", "\u{1B}[1mfive\u{1B}[0m", "",
            ]
        )
        let heading = TimelineEntry(.heading, of: "lesson", layer: "", "A scan", at: 1500)
        for columns in [nil, 20, 64] as [Int?] { #expect(lines([heading], columns) == ["", "A scan", ""]) }
        #expect(!LessonLayout(columns: nil).hasStyle)
        #expect(LessonLayout(columns: 21).columns == 21 && LessonLayout(columns: nil).columns == nil)
    }
}
