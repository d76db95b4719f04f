// `blueear lock` and `blueear key` in virtual time, beside each other: what each prints, when, and how the key ends. The
// lock's lines begin with a bar.

import BlueEar
import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import BlueEarCommand

@Suite("blueear lock and key, as sessions")
struct LockSessionTests {
    @MainActor
    private static func door(
        keySecret: String = "sesame",
        isJSON: Bool = false,
        isVerbose: Bool = false,
        _ arrange: @MainActor (World) -> Void = { _ in }
    ) throws -> SessionRun {
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
        try run.start(on: run.world.addDevice("phone")) {
            let session = KeySession(
                secret: keySecret,
                restoreIdentifier: nil,
                pairing: ProgramPairing(TerminalPairingAgent(), try RadioOptions.parse([])),
                output: OutputFormat(isJSON: isJSON, isVerbose: isVerbose)
            )
            session.start()
            return session
        }
        arrange(run.world)
        return run
    }

    @Test("opens to its key, closes when the key is away, and opens again when it is back")
    func comingAndGoing() async throws {
        let result = await #expect(processExitsWith: .exitCode(99), observing: .outputs) {
            let run = try await LockSessionTests.door { world in
                world.after(.seconds(10)) { world["phone"]?.isPowered = false }
                world.after(.seconds(20)) { world["phone"]?.isPowered = true }
            }
            for seconds in [9, 19] { run.mark("- \(seconds)", at: Double(seconds)) }
            run.passMinute()
        }
        let process = try #require(result)
        #expect(process.errorLines.isEmpty)
        let opening = ["At \"Door\"", "| Somebody is at the door", "| Open 🔓", "Opened it 🔓"]
        #expect(
            process.lines == [
                "Looking for the lock 👀", "| \"Door\" is closed and waits for its key 🔒",
            ] + opening + ["- 9", "Out of reach; waiting for the lock 🚶", "| Closed 🔒", "- 19"] + opening
        )
    }

    @Test("stays closed to a key with another secret, which ends with 1 and the reason", arguments: [false, true])
    func refused(isJSON: Bool) async throws {
        let result = await #expect(processExitsWith: .exitCode(1), observing: .outputs) { [isJSON] in
            try await LockSessionTests.door(keySecret: "please", isJSON: isJSON).passMinute()
        }
        let process = try #require(result)
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

    @Test("reports each step on standard error if that is asked for", arguments: [false, true])
    func verbose(isVerbose: Bool) async throws {
        let result = await #expect(processExitsWith: .exitCode(99), observing: [\.standardErrorContent]) {
            [isVerbose] in
            try await LockSessionTests.door(isVerbose: isVerbose).passMinute()
        }
        #expect(try #require(result).errorLines.isEmpty != isVerbose)
    }

    @Test("reports lost keys once, and other failures each time")
    func lostKeys() async throws {
        let result = await #expect(processExitsWith: .exitCode(99), observing: [\.standardErrorContent]) {
            try await MainActor.run {
                let session = KeySession(
                    secret: "sesame",
                    restoreIdentifier: nil,
                    pairing: ProgramPairing(TerminalPairingAgent(), try RadioOptions.parse([])),
                    output: OutputFormat(isJSON: false, isVerbose: false)
                )
                for error in [BlueEarError.busy, .lostKeys, .busy, .lostKeys] { session.report(.failed(error)) }
                exit(99)
            }
        }
        let lines = try #require(result).errorLines
        #expect(lines.count == 3 && lines[0] == lines[2])
        #expect(lines[1].contains("bonds remove") && !lines[0].contains("bonds remove"))
    }
}
