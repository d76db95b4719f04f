import CommandLineTool
import CoreBluetoothTesting
import Foundation
import SessionTestbed
import Testing

@testable import eightball

@Suite("The choice of the role")
struct ChooserTests {
    /// The output for lines, one per second; `end` is the end of the input.
    private func choose(_ lines: [String]) async throws -> [String] {
        let process = try await #require(processExitsWith: .exitCode(0), observing: .outputs) { @MainActor [lines] in
            var run = SessionRun()
            let (world, device) = (run.world, run.world.addDevice("phone"))
            try run.start(on: device) {
                let chooser = Chooser(
                    // A role's session begins with a line, on the device where the line is typed.
                    lines: LineReader { take in
                        for (offset, line) in lines.enumerated() {
                            world.onMain(after: .seconds(offset + 1)) {
                                device.run { take(line == "end" ? nil : line) }
                            }
                        }
                    },
                    pairing: ProgramPairing(TerminalPairingAgent(), try RadioOptions.parse([])),
                    output: OutputFormat(isJSON: false, isVerbose: false)
                )
                chooser.start()
                return chooser
            }
            run.mark("a second later", at: Double(lines.count) + 1)
            run.passMinute()
        }
        return process.lines
    }

    private static let question = "Central or Peripheral (1 or 2, q to quit)? "
    private static let beginning = [
        "Magic 8-Ball", "  1  Central: ask an 8-ball", "  2  Peripheral: be an 8-ball", question,
    ]

    @Test("becomes a central by number, letter or name", arguments: ["1", " CENTRAL "])
    func central(line: String) async throws {
        let central = ["Looking for Magic 8-Balls; \"help\" lists the commands.", "No ball has been found yet."]
        #expect(try await choose([line, "list", "q"]) == Self.beginning + central)
    }

    @Test("becomes a ball, until a line asks for the end or the input ends", arguments: ["p", "PERIPHERAL"])
    func peripheral(line: String) async throws {
        let lines = try await choose([line, "1", "", "exit"])
        #expect(lines.dropLast() == Self.beginning)
        #expect(lines.last?.hasSuffix(" is a Magic 8-Ball now; Ctrl-C ends it.") == true)
        #expect(try await choose([line, "end"]) == lines)
    }

    @Test("asks again after another line or an empty one, and ends with quit or the input")
    func refused() async throws {
        let refusals = ["3", "both"].map { "\"\($0)\" is neither 1 (Central) nor 2 (Peripheral)." }
        let expected = Self.beginning + [refusals[0], Self.question, Self.question, refusals[1], Self.question]
        #expect(try await choose(["3", " ", "Both", "quit"]) == expected)
        #expect(try await choose(["end"]) == Self.beginning)
    }
}
