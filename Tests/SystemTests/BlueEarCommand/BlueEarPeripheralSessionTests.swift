import BlueEar
import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Foundation
import SessionTestbed
import Testing

@testable import BlueEarCommand

@Suite("blueear peripheral")
struct BlueEarPeripheralSessionTests {
    private func peripheral(
        _ script: String,
        status: Int32 = 99,
        hasListener: Bool = false,
        isVerbose: Bool = false
    ) async throws -> ExitTest.Result {
        try await #require(processExitsWith: .exitCode(status), observing: .outputs) {
            @MainActor [script, hasListener, isVerbose] in
            var run = SessionRun()
            let reader = run.lines(script)
            try run.start(on: run.world.addDevice("peripheral")) {
                let session = BlueEarPeripheralSession(
                    name: "Anna",
                    message: ["Hello": "World"],
                    restoreIdentifier: nil,
                    pairing: ProgramPairing(TerminalPairingAgent(), try RadioOptions.parse([])),
                    output: OutputFormat(isJSON: false, isVerbose: isVerbose)
                )
                session.start(reader)
                return session
            }
            if hasListener {
                try run.start(on: run.world.addDevice("central")) {
                    try BlueEarCentralSession.with().started(LineReader { _ in })
                }
                for seconds in [9.0, 19] { run.mark("- \(seconds)", at: seconds) }
            }
            run.passMinute()
        }
    }

    @Test("reports that nobody has subscribed, and goes on after an invalid line and the end of the input")
    func nobody() async throws {
        let long = "a=" + String(repeating: "x", count: 1_048_576)
        let process = try await peripheral("1 no message; 2 ; 3 key=value; 4 =value; 4.5 \(long); 5 end")
        #expect(process.lines == ["Start configuration 🎛", "Start advertising 📻"])
        let words = [
            "\"no message\" is not KEY=VALUE", "nobody has subscribed; the message can only be read",
            "\"=value\" is not KEY=VALUE", " is too long; the limit is 1048576",
        ]
        #expect(process.errorLines.count == words.count)
        for (line, words) in zip(process.errorLines, words) { #expect(line.hasSuffix(words)) }
    }

    @Test(
        "sends a message to subscribers, and ends on quit, with each step if asked to",
        arguments: [false, true]
    )
    func listener(isVerbose: Bool) async throws {
        let script = "10 key=value; 20  Quit "
        let process = try await peripheral(script, status: 0, hasListener: true, isVerbose: isVerbose)
        #expect(process.errorLines.isEmpty != isVerbose)
        #expect(process.lines.suffix(3) == ["- 9.0", "Did send data ⬆️", "- 19.0"])
    }
}
