// `blueear lock` and `blueear key` in virtual time, side by side: what each prints, when, and how the key ends. The
// lock's lines begin with a bar.

import BlueEar
import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Foundation
import SessionTestbed
import Testing

@testable import BlueEarCommand

@Suite("blueear lock and key, as sessions")
struct LockSessionTests {
    private func door(
        keySecret: String = "sesame",
        status: Int32 = 99,
        isJSON: Bool = false,
        isVerbose: Bool = false
    ) async throws -> ExitTest.Result {
        try await #require(processExitsWith: .exitCode(status), observing: .outputs) {
            @MainActor [keySecret, isJSON, isVerbose] in
            var run = SessionRun()
            run.start(on: run.world.addDevice("door")) {
                let session = LockSession(
                    name: "Door",
                    secret: "sesame",
                    restoreIdentifier: nil,
                    output: OutputFormat(isJSON: isJSON, isVerbose: isVerbose) { Console.print("| " + $0) }
                )
                session.start()
                return session
            }
            let phone = run.world.addDevice("phone")
            try run.start(on: phone) {
                let session = KeySession(
                    secret: keySecret,
                    restoreIdentifier: nil,
                    pairing: ProgramPairing(TerminalPairingAgent(), try RadioOptions.parse([])),
                    output: OutputFormat(isJSON: isJSON, isVerbose: isVerbose)
                )
                session.start()
                return session
            }
            run.world.after(.seconds(10)) { phone.isPowered = false }
            run.world.after(.seconds(20)) { phone.isPowered = true }
            for seconds in [9, 19] { run.mark("- \(seconds)", at: Double(seconds)) }
            run.passMinute()
        }
    }

    @Test(
        "opens to its key, closes when it is away, opens again when it is back, and reports each step if asked to",
        arguments: [false, true]
    )
    func comingAndGoing(isVerbose: Bool) async throws {
        let process = try await door(isVerbose: isVerbose)
        #expect(process.errorLines.isEmpty != isVerbose)
        let opening = ["At \"Door\"", "| Somebody is at the door", "| Open 🔓", "Opened it 🔓"]
        #expect(
            process.lines == [
                "Looking for the lock 👀", "| \"Door\" is closed and waits for its key 🔒",
            ] + opening + ["- 9", "Out of reach; waiting for the lock 🚶", "| Closed 🔒", "- 19"] + opening
        )
    }

    @Test("stays closed to a key with another secret, which ends with 1 and the reason", arguments: [false, true])
    func refused(isJSON: Bool) async throws {
        let process = try await door(keySecret: "please", status: 1, isJSON: isJSON)
        #expect(process.errorLines == ["the lock refused: this is not the key; check --secret on both sides"])
        let lines = process.lines.filter { $0.hasPrefix("| ") }
        guard isJSON else {
            #expect(
                lines == [
                    "| \"Door\" is closed and waits for its key 🔒", "| Somebody is at the door",
                    "| This is not the key ⛔️",
                ]
            )
            return
        }
        let events = try lines.map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8.dropFirst(2))) as? [String: String])
        }
        #expect(events.map { $0["event"] } == ["ready", "challenged", "refused"])
        #expect(events[1]["peer"] == events[2]["peer"] && events[1]["peer"]?.count == 36)
    }
}
