// A ball and one who asks, as sessions beside each other in virtual time: all lines that they print are on record. The
// ball's lines begin with a bar.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
@preconcurrency import ITCB
import SessionTestbed
import Testing

@testable import eightball

@Suite("Sessions of eightball on record")
struct EightBallSessionsTests {
    /// A ball that comes and goes, beside one that stays, and a central that asks both.
    @MainActor
    private static func run(isJSON: Bool, isVerbose: Bool) throws -> SessionRun {
        var run = SessionRun()
        let world = run.world
        let pairing = ProgramPairing(TerminalPairingAgent(), try RadioOptions.parse([]))
        var devices: [Device] = []
        for name in ["Anna", "Bert \"B\""] {
            let device = world.addDevice(name)
            devices.append(device)
            run.start(on: device) {
                let output = OutputFormat(isJSON: isJSON, isVerbose: isVerbose) { Console.print("| " + $0) }
                let session = PeripheralSession(name: name, output: output)
                session.start()
                return session
            }
        }
        let reader = run.lines([
            (0.5, "Early?"), (6, "list"), (6, "2 Rain?"), (7, "use 2"), (7, "Sun?"), (8, "no question"), (8, "1 Wind?"),
            (9, "use 3"), (9, "use 0"), (9, "use x"), (16, "2 Where are you?"), (16, "list"), (29, "Again?"),
            (30, "help"),
            (31, "9 Who?"), (45, "1 " + String(repeating: "x", count: 511) + "?"),
            (45, "1 " + String(repeating: "x", count: 512) + "?"),
            (50, "quit"),
        ])
        run.start(on: world.addDevice("asker")) {
            let output = OutputFormat(isJSON: isJSON, isVerbose: isVerbose)
            let session = CentralSession(lines: reader, pairing: pairing, output: output)
            session.start()
            return session
        }
        devices[1].isPowered = false
        world.after(.seconds(2)) { devices[1].isPowered = true }
        world.after(.seconds(10)) { devices[1].isPowered = false }
        world.after(.seconds(20)) { devices[1].isPowered = true }
        world.after(.seconds(33)) { devices[0].distance = 1_000 }
        world.after(.seconds(40)) { devices[0].distance = 1 }
        return run
    }

    @Test("What a ball and a central print", arguments: [false, true], [false, true])
    func sessions(isJSON: Bool, isVerbose: Bool) async throws {
        let result = await #expect(
            processExitsWith: .exitCode(0),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) { [isJSON, isVerbose] in
            try await EightBallSessionsTests.run(isJSON: isJSON, isVerbose: isVerbose).passMinute()
        }
        let process = try #require(result)
        #expect(process.lines.contains { $0.hasPrefix("| ") } && process.errorLines.isEmpty != isVerbose)
    }

    @Test("What one who asks prints of each step where that is asked for", arguments: [false, true])
    func asking(isJSON: Bool) async throws {
        let result = await #expect(
            processExitsWith: .exitCode(0),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) { [isJSON] in
            var run = SessionRun()
            await run.addBall("Anna")
            await run.addBall("Bert")
            try await MainActor.run {
                try run.start(on: run.world.addDevice("asker")) {
                    let session = AskSession(
                        question: "Will it rain?",
                        device: "Bert",
                        timeout: 20,
                        pairing: ProgramPairing(TerminalPairingAgent(), try RadioOptions.parse([])),
                        output: OutputFormat(isJSON: isJSON, isVerbose: true)
                    )
                    session.start()
                    return session
                }
            }
            run.passMinute()
        }
        let process = try #require(result)
        #expect(process.lines.count == 1 && process.errorLines.count > 5)
    }

    @Test("What a ball says of its errors")
    func ballErrors() async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardErrorContent]) { @MainActor in
            let run = SessionRun()
            try run.world.addDevice("ball").run {
                let session = PeripheralSession(name: "Anna", output: OutputFormat(isJSON: false, isVerbose: true))
                let sdk = try #require(ITCB_SDK.createInstance(isCentral: false))
                let reasons: [(any Error)?] = [
                    nil, ITCB_RejectionReason.deviceOffline, CBATTError(.invalidPdu), CBError(.connectionTimeout),
                ]
                for reason in reasons {
                    for error in [ITCB_Errors.coreBluetooth(reason), .sendFailed(reason), .unknown(reason)] {
                        session.errorOccurred(error, sdk: sdk)
                    }
                }
            }
            exit(0)
        }
        #expect(try #require(result).errorLines.count == 12)
    }
}
