import BlueEar
import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import BlueEarCommand

@Suite("blueear peripheral")
struct BlueEarPeripheralSessionTests {
    @MainActor
    private static func peripheral(
        _ lines: [(seconds: Double, text: String?)],
        hasListener: Bool = false,
        isVerbose: Bool = false
    ) throws -> SessionRun {
        var run = SessionRun()
        let reader = run.lines(lines)
        try run.start(on: run.world.addDevice("peripheral")) {
            let session = PeripheralSession(
                name: "Anna",
                message: ["Hello": "World"],
                restoreIdentifier: nil,
                pairing: ProgramPairing(TerminalPairingAgent(), try RadioOptions.parse([])),
                output: OutputFormat(isJSON: false, isVerbose: isVerbose)
            )
            session.start(reader)
            return session
        }
        if hasListener { try run.startCentral(on: run.world.addDevice("central")) }
        return run
    }

    private static let beginning = ["Start configuration 🎛", "Start advertising 📻"]

    @Test("reports that nobody listens, and goes on after a wrong line and the end of input")
    func nobody() async throws {
        let result = await #expect(processExitsWith: .exitCode(99), observing: .outputs) {
            try await BlueEarPeripheralSessionTests.peripheral([
                (1, "no message"), (2, ""), (3, "key=value"), (4, "=value"), (5, nil),
            ]).passMinute()
        }
        let process = try #require(result)
        #expect(process.lines == Self.beginning)
        let words = [
            "\"no message\" is not KEY=VALUE", "nobody listens; who reads gets it", "\"=value\" is not KEY=VALUE",
        ]
        #expect(process.errorLines.count == words.count)
        for (line, words) in zip(process.errorLines, words) { #expect(line.hasSuffix(words)) }
    }

    @Test("sends a message to those who listen, and ends on quit")
    func listener() async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: .outputs) {
            let run = try await BlueEarPeripheralSessionTests.peripheral(
                [(10, "key=value"), (20, " Quit ")],
                hasListener: true
            )
            run.mark("- 9", at: 9)
            run.mark("- 19", at: 19)
            run.passMinute()
        }
        let process = try #require(result)
        #expect(process.errorLines.isEmpty)
        #expect(process.lines.suffix(3) == ["- 9", "Did send data ⬆️", "- 19"])
    }

    @Test("refuses a message that is too long")
    func tooLong() async throws {
        let result = await #expect(processExitsWith: .exitCode(99), observing: [\.standardErrorContent]) {
            try await BlueEarPeripheralSessionTests.peripheral([(1, "a=" + String(repeating: "x", count: 1_048_576))])
                .passMinute()
        }
        let lines = try #require(result).errorLines
        #expect(lines.count == 1 && lines[0].hasSuffix(" is too long; 1048576 is the most"))
    }

    @Test("reports each step on standard error if that is asked for", arguments: [false, true])
    func verbose(isVerbose: Bool) async throws {
        let result = await #expect(processExitsWith: .exitCode(99), observing: [\.standardErrorContent]) {
            [isVerbose] in
            try await BlueEarPeripheralSessionTests.peripheral([], hasListener: true, isVerbose: isVerbose).passMinute()
        }
        #expect(try #require(result).errorLines.isEmpty != isVerbose)
    }
}
