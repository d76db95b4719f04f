import CommandLineTool
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import eightball

@Suite("The choice of the role")
struct ChooserTests {
    @MainActor
    private static func choose(_ lines: [String], isAtEnd: Bool) throws -> SessionRun {
        var run = SessionRun()
        let world = run.world
        let device = world.addDevice("phone")
        let typed: [String?] = isAtEnd ? lines + [nil] : lines
        try run.start(on: device) {
            let chooser = Chooser(
                // The session of a role begins with a line, on the device that the line is typed at.
                lines: LineReader { take in
                    for (offset, line) in typed.enumerated() {
                        world.after(.seconds(offset + 1)) {
                            DispatchQueue.main.async { MainActor.assumeIsolated { device.run { take(line) } } }
                        }
                    }
                },
                pairing: ProgramPairing(TerminalPairingAgent(), try RadioOptions.parse([])),
                output: OutputFormat(isJSON: false, isVerbose: false)
            )
            chooser.start()
            return chooser
        }
        run.mark("a second later", at: Double(lines.count + (isAtEnd ? 1 : 0)) + 1)
        return run
    }

    private static let beginning = ["Magic 8-Ball", "  1  Central: ask an 8-ball", "  2  Peripheral: be an 8-ball"]
    private static let question = "Central or Peripheral (1 or 2, q to quit)? "
    private static let central = "Looking for Magic 8-Balls; \"help\" lists what to type."

    @Test("becomes a central by number, letter or name", arguments: ["1", " CENTRAL "])
    func central(line: String) async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) { [line] in
            try await ChooserTests.choose([line, "list", "q"], isAtEnd: false).passMinute()
        }
        let lines = try #require(result).lines
        #expect(lines == Self.beginning + [Self.question, Self.central, "No ball is here yet."])
    }

    @Test("becomes a ball, until a line asks for the end", arguments: ["p", "PERIPHERAL"])
    func peripheral(line: String) async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) { [line] in
            try await ChooserTests.choose([line, "1", "", "exit"], isAtEnd: false).passMinute()
        }
        let lines = try #require(result).lines
        #expect(lines.dropLast() == Self.beginning + [Self.question])
        #expect(lines.last?.hasSuffix(" is a Magic 8-Ball now; Ctrl-C ends it.") == true)
    }

    @Test("ends a ball with the input, and also before the choice", arguments: [["2"], []])
    func end(lines: [String]) async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) { [lines] in
            try await ChooserTests.choose(lines, isAtEnd: true).passMinute()
        }
        #expect(try #require(result).lines.count == 4 + lines.count)
    }

    @Test("asks again after another line, and after an empty one")
    func refused() async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            try await ChooserTests.choose(["3", " ", "Both", "quit"], isAtEnd: false).passMinute()
        }
        #expect(
            try #require(result).lines == Self.beginning + [
                Self.question, "\"3\" is neither 1 (Central) nor 2 (Peripheral).", Self.question, Self.question,
                "\"both\" is neither 1 (Central) nor 2 (Peripheral).", Self.question,
            ]
        )
    }
}
