// Both halves of the messenger beside each other in virtual time, with each option: all lines that they print are on
// record. The peripheral's lines begin with a bar.

import BlueEar
import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import BlueEarCommand

@Suite("Sessions of blueear on record")
struct BlueEarSessionsTests {
    /// What is asked for, by letters: `s` stay, `r` read, `j` JSON, `v` verbose, `n` by name, `m` with a message of its own,
    /// `t` with a time limit, `q` quits, `c` with a restoration identifier, `w` without a peripheral for a while.
    @MainActor
    private static func run(_ options: String) throws -> SessionRun {
        var run = SessionRun()
        let world = run.world
        let pairing = ProgramPairing(TerminalPairingAgent(), try RadioOptions.parse([]))
        let (isJSON, isVerbose) = (options.contains("j"), options.contains("v"))
        let peripheralLines = run.lines([(4, "from=below"), (6, " spaced = value "), (9, "wrong"), (50, "quit")])
        let end: String? = options.contains("q") ? "QUIT" : nil
        let centralLines = run.lines([
            (3, "up=one"), (3, "up=two"), (5, "=none"), (5, "  "), (14, "up=late"), (30, end),
        ])
        let peripheral = world.addDevice("peripheral")
        let central = world.addDevice("central")
        run.start(on: peripheral) {
            let session = PeripheralSession(
                name: "Anna \"A\"",
                message: options.contains("m") ? ["a": "1", "b\u{1B}": "2"] : nil,
                restoreIdentifier: options.contains("c") ? "one" : nil,
                pairing: pairing,
                output: OutputFormat(isJSON: isJSON, isVerbose: isVerbose) { Console.print("| " + $0) }
            )
            session.start(peripheralLines)
            return session
        }
        run.start(on: central) {
            let session = CentralSession(
                message: options.contains("m") ? ["c": "3", "d": "4"] : nil,
                device: options.contains("n") ? "Anna \"A\"" : nil,
                stays: options.contains("s"),
                reads: options.contains("r"),
                timeout: options.contains("t") ? 20 : nil,
                restoreIdentifier: options.contains("c") ? "two" : nil,
                pairing: pairing,
                output: OutputFormat(isJSON: isJSON, isVerbose: isVerbose)
            )
            session.start(centralLines)
            return session
        }
        if options.contains("w") { peripheral.isPowered = false }
        world.after(.seconds(2)) { peripheral.isPowered = true }
        world.after(.seconds(12)) { peripheral.isPowered = false }
        world.after(.seconds(18)) { peripheral.isPowered = true }
        return run
    }

    @Test(
        "What both print, and how the program ends",
        arguments: [
            ("", 0), ("j", 0), ("jv", 0), ("r", 0), ("rjm", 0), ("s", 0), ("sj", 0), ("sjq", 0), ("svq", 0), ("sm", 0),
            ("smnt", 1),
            ("sjct", 1), ("sw", 0), ("nmq", 0), ("wjt", 0),
        ] as [(String, Int32)]
    )
    func sessions(options: String, status: Int32) async throws {
        let result = await #expect(
            processExitsWith: .exitCode(status),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) { [options] in
            try await BlueEarSessionsTests.run(options).passMinute()
        }
        let process = try #require(result)
        #expect(process.lines.contains { $0.hasPrefix("| ") })
        RunRecord.note("\(process.errorLines.count) on standard error")
    }

    @Test("Each status and each failure as a line and as an object", arguments: [false, true])
    func lines(isJSON: Bool) async throws {
        let result = await #expect(
            processExitsWith: .exitCode(0),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) { @MainActor [isJSON] in
            let output = OutputFormat(isJSON: isJSON, isVerbose: false)
            let peer = try #require(UUID(uuidString: BlueEarService.serviceUUID))
            let all: [Status] = [
                .startConfiguration, .startAdvertising, .startScanning, .connect("Anna\u{1B}"), .disconnect(""),
                .sendData,
                .receiveData, .failConnection, .restore([]), .restore([peer, peer]),
            ]
            for status in all { status.print(output) }
            for message in [[:], ["b": "2", "a": "1\u{7}", "c": "="]] {
                Lines.received(message, from: peer, output)
                Lines.sent(message, to: peer, output)
            }
            let pairing = ProgramPairing(TerminalPairingAgent(), try RadioOptions.parse([]))
            let errors: [BlueEarError] = [
                .malformed, .incomplete, .tooLong(7), .busy, .nobodyThere, .notAnEar, .unanswered, .lostKeys,
                .refused(.insufficientAuthentication), .refused(.unlikelyError), .bluetooth("a\nb"),
            ]
            for error in errors {
                Lines.failed(error, with: peer, advice: error.advice(pairing, device: "Anna"), output)
                Lines.failed(error, with: nil, advice: error.advice(pairing, device: nil), output)
            }
            exit(0)
        }
        let process = try #require(result)
        #expect(process.lines.count >= 10 && process.errorLines.isEmpty == isJSON)
    }


}
