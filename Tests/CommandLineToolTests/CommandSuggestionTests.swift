import ArgumentParser
import Fixtures
import Testing

@testable import CommandLineTool

@Suite("Misspelt commands")
struct CommandSuggestionTests {
    private struct Tool: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "tool", subcommands: [Scan.self, Bonds.self])
    }

    private struct Scan: ParsableCommand {}

    private struct Bonds: ParsableCommand {
        static let configuration = CommandConfiguration(subcommands: [Remove.self])

        struct Remove: ParsableCommand {}
    }

    @Test(
        "C9: suggests the nearest name, and none for a word that resembles none",
        arguments: [
            ("scn", "scan"), ("sacn", "scan"), ("SCAN", "scan"), ("scann", "scan"), ("advertis", "advertise"),
            ("advretize", "advertise"), ("xyz", nil), ("", nil), ("sc", nil),
            ("advrtis", "advertise"), ("advrts", "advertise"), ("advts", nil), ("ar", "air"), ("a", nil),
        ]
    )
    func nearest(word: String, name: String?) {
        #expect(CommandSuggestion.nearest(to: word, among: ["advertise", "scan", "air"]) == name)
    }

    @Test(
        "refuses a command in one clause that suggests another",
        arguments: [
            (["scn"], "unexpected argument 'scn'; did you mean 'scan'?"),
            (["bonds", "remov"], "unexpected argument 'remov'; did you mean 'remove'?"),
            (["bonds", "scn"], "unexpected argument 'scn'"),
            (["nothing"], "unexpected argument 'nothing'"),
        ]
    )
    func refusal(arguments: [String], line: String) throws {
        let error = try #require(throws: (any Error).self) { try Tool.parseAsRoot(arguments) }
        let lines = Ending.lines(Tool.fullMessage(for: error), Tool.self, arguments)
        #expect(lines.first == line)
        #expect(lines.count > 1 && lines[1].hasPrefix("Usage: tool"))
    }

    @Test("turns the parser's sentence into a clause, and keeps words in capitals")
    func clause() {
        let lines = { Ending.lines("Error: " + $0, Tool.self, []) }
        #expect(lines("The name is empty.\nUsage: x") == ["the name is empty", "Usage: x"])
        #expect(lines("UUIDs differ. Did you mean '--x'?") == ["UUIDs differ; did you mean '--x'?"])
        #expect(lines("") == [""])
    }
}
