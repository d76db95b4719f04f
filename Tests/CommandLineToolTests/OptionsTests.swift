import ArgumentParser
import Fixtures
import Testing

@testable import CommandLineTool

/// A command with the options of a radio.
private struct RadioCommand: ParsableCommand {
    @OptionGroup var radio: RadioOptions
}

@Suite("Options that programs share")
struct OptionsTests {
    @Test(
        "accepts a distance of up to 10 km or a position, and a named identity",
        arguments: [
            ([], true), (["--distance", "0.1"], true), (["--distance", "10000"], true), (["--distance", "0"], false),
            (["--distance", "10000.1"], false), (["--distance", "-1"], false), (["--position", "300,0"], true),
            (["--position", "300"], false), (["--distance", "1", "--position", "300,0"], false),
            (["--position", "1,2,3"], false), (["--position", "x,y"], false), (["--identity", "alice"], true),
            (["--identity", ""], false),
        ] as [([String], Bool)]
    )
    func radio(arguments: [String], isValid: Bool) {
        #expect(((try? RadioOptions.parse(arguments)) != nil) == isValid)
    }

    @Test(
        "accepts a time limit of more than 0 and at most a day",
        arguments: [(nil, true), (0, false), (0.001, true), (86_400, true), (86_400.1, false), (-1, false)]
            as [(Double?, Bool)]
    )
    func limits(seconds: Double?, isValid: Bool) {
        #expect(((try? Deadline.validate(seconds)) != nil) == isValid)
    }

    @Test("completes names of files", arguments: ["bash", "zsh", "fish"])
    func files(shell: String) throws {
        let script = try #require(CompletionShell(rawValue: shell).map(RadioCommand.completionScript))
        let words = [
            "bash": "'--capture')\n        __radio-command_add_completions -f", "zsh": "_files",
            "fish": "for Wireshark.' -rF",
        ]
        #expect(script.contains(words[shell] ?? "?"), "\(script)")
    }

    @Test("refuses a capture file that cannot be written, and an unknown adapter")
    func refused() throws {
        let failure = #expect(throws: Failure.self) { try RadioOptions.checkCapture("/nonexistent/a") }
        #expect(failure?.line == "cannot write the capture file /nonexistent/a: No such file or directory")
        #expect(throws: (any Error).self) { try RadioOptions.select("nothing") }
    }

    @Test("computes lines about progress only if they are asked for")
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

    @Test("computes details only for JSON, and a line only for a person", arguments: [false, true])
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
