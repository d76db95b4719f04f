// `corebluetooth learn` as a process: the list, a lesson, a change of its run, an answer; also in a terminal of 40
// columns.

import Foundation
import Testing

@Suite("corebluetooth learn")
struct LearnProgramTests {
    /// Runs it to its end.
    private func learn(_ arguments: String...) throws -> (status: Int32, lines: [String], errors: [String]) {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let process = try testbed.start("corebluetooth", ["learn"] + arguments)
        let status = try process.end()
        return (status, process.lines, process.errorLines)
    }

    @Test("Without a lesson it lists them")
    func list() throws {
        let (status, lines, errors) = try learn()
        #expect(status == 0 && errors.isEmpty)
        #expect(lines.contains(" 1  Find a ball"))
        #expect(lines.contains("11  Pair by a code"))
        #expect(lines.contains("Run one: corebluetooth learn 1"))
    }

    @Test("A lesson has its text, its code, the trace of its run, and its question")
    func lesson() throws {
        let (status, lines, errors) = try learn("1")
        #expect(status == 0 && errors.isEmpty)
        var rest = lines[...]
        let story = [
            "Lesson 1 of 11: Find a ball", "The manager", "    final class BallFinder: NSObject {", "The run",
            "phone       scanForPeripherals(withServices: [8E38140A…])", "phone         ← GAP Advertisement of ball",
            "phone       didConnect \"Crystal\"", "app: connected to Crystal", "What is to be seen", "The question",
            "Find it out: corebluetooth learn 1 --try far", "The next lesson: corebluetooth learn 2",
        ]
        for line in story {
            let place = try #require(rest.firstIndex { $0.hasSuffix(line) || $0.contains(line) }, "\(line)")
            rest = rest[(place + 1)...]
        }
    }

    @Test("A run with something changed has the answer, and the answer is checked")
    func answer() throws {
        let far = try learn("central", "--try", "far")
        #expect(far.status == 0 && far.errors.isEmpty)
        #expect(far.lines.contains { $0.hasSuffix("didDiscover \"Crystal\", rssi: -71") })
        #expect(!far.lines.contains { $0.contains("final class") })
        let right = try learn("1", "--answer", "-71")
        #expect(right.status == 0 && right.errors.isEmpty)
        #expect(right.lines.first == "Yes: -71.")
        let wrong = try learn("1", "--answer", "-45")
        #expect(wrong.status == 1 && wrong.lines.isEmpty)
        #expect(
            wrong.errors == [
                "corebluetooth: \"-45\" is not the answer; run corebluetooth learn 1 --try far and look again"
            ]
        )
    }

    @Test(
        "What there is not is refused, in one line that says what there is",
        arguments: [
            (["99"], "there is no lesson \"99\"; corebluetooth learn lists them"),
            (["1", "--try", "x"], "lesson 1 has no change \"x\"; it has: far"),
            (["--answer", "1"], "--try and --answer need a lesson: corebluetooth learn 1 …"),
            (["1", "--try", "far", "--answer", "1"], "use --try or --answer, not both"),
        ]
    )
    func refusals(arguments: [String], line: String) throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let process = try testbed.start("corebluetooth", ["learn"] + arguments)
        #expect(try process.end() == 2)
        #expect(process.lines.isEmpty)
        #expect(process.errorLines.first == "corebluetooth: " + line)
    }

    @Test("With --json each line is an object")
    func json() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let list = try testbed.tool("learn", "--json")
        #expect(try list.end() == 0)
        #expect(try list.objects().map { $0["number"] as? Int } == Array(1...11))
        let lesson = try testbed.tool("learn", "4", "--json")
        #expect(try lesson.end() == 0)
        let objects = try lesson.objects()
        #expect(
            Set(objects.compactMap { $0["event"] as? String }) == [
                "lesson", "text", "code", "trace", "observation", "question", "experiment",
            ]
        )
        let written = objects.first { ($0["text"] as? String)?.hasPrefix("Write Request") == true }
        #expect(written?["kind"] as? String == "sent" && written?["device"] as? String == "phone")
    }

    @Test("In 40 columns nothing is wider, and nothing is lost", arguments: ["4", "7"])
    func narrow(lesson: String) throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let terminal = try PseudoTerminal()
        terminal.resize(rows: 24, columns: 40)
        let process = try testbed.start("corebluetooth", ["learn", lesson], streams: .output(terminal))
        #expect(try process.end() == 0)
        try eventually("the end of the lesson") { terminal.text.contains("The next lesson") }
        let bold = try Regex("\u{1B}\\[[01]m")
        let lines = terminal.text.replacing(bold, with: "").split(separator: "\r\n")
        for line in lines { #expect(line.count <= 40, "\(line)") }
        let words = lines.joined(separator: " ").split(separator: " ").joined(separator: " ")
        #expect(words.contains("corebluetooth learn \(lesson) --answer"))
        #expect(words.contains("setNotifyValue(true, for:"))
    }

    @Test("With --trace FILE the run becomes a picture")
    func picture() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let process = try testbed.tool("learn", "4", "--trace", testbed.path("a.svg"))
        #expect(try process.end() == 0)
        let picture = try String(contentsOfFile: testbed.path("a.svg"), encoding: .utf8)
        #expect(picture.hasPrefix("<svg ") && picture.contains("phone") && picture.contains("Write Response"))
    }
}
