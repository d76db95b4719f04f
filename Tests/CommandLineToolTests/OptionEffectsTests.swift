// What the options that programs share do: the capture file that is looked at before anything starts, the device that a
// trace is of, and what is logged of what happens in between.

import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CommandLineTool

@Suite("The output of programs")
struct OutputFormatTests {
    @Test("What happens in between is put into words only where somebody wants to see it")
    func report() {
        var count = 0
        func line() -> String {
            count += 1
            return "a line"
        }
        OutputFormat(isJSON: false, isVerbose: false) { _ in }.report(line())
        OutputFormat(isJSON: true, isVerbose: false) { _ in }.report(line())
        #expect(count == 0)
    }

    @Test("Details are made for JSON alone, and a line for a person alone", arguments: [false, true])
    func details(isJSON: Bool) {
        let printed = Watched<[String]>([])
        let format = OutputFormat(isJSON: isJSON, isVerbose: false) { line in printed.update { $0.append(line) } }
        var words: [String] = []
        func details() -> [(key: String, value: JSONValue)] {
            words.append("details")
            return [("count", .integer(2)), ("name", "Anna")]
        }
        func line() -> String? {
            words.append("line")
            return "two"
        }
        format.print("event", details(), line: line())
        #expect(words == [isJSON ? "details" : "line"])
        #expect(printed.value == [isJSON ? #"{"event":"event","count":2,"name":"Anna"}"# : "two"])
    }
}
