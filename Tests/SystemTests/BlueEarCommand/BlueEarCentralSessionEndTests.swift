// How `blueear central` ends, by what the messenger reports to it.

import BlueEar
import CommandLineTool
import CoreBluetooth
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import BlueEarCommand

@Suite("The end of blueear central")
struct BlueEarCentralSessionEndTests {
    @MainActor
    private static func session(stays: Bool, device: String? = nil) throws -> CentralSession {
        CentralSession(
            message: nil,
            device: device,
            stays: stays,
            reads: false,
            timeout: nil,
            restoreIdentifier: nil,
            pairing: ProgramPairing(TerminalPairingAgent(), try RadioOptions.parse([])),
            output: OutputFormat(isJSON: true, isVerbose: false)
        )
    }

    /// What has happened before the end: `r` a message came, `f` something failed, `s` it is a conversation.
    @Test(
        "An exchange has succeeded where a message came and nothing failed, a conversation where a message came",
        arguments: [("", 1), ("r", 0), ("rf", 1), ("f", 1), ("s", 1), ("sr", 0), ("srf", 0), ("sf", 1)]
            as [(String, Int32)]
    )
    func status(events: String, status: Int32) async throws {
        await #expect(processExitsWith: .exitCode(status)) { [events] in
            try await MainActor.run {
                let session = try BlueEarCentralSessionEndTests.session(stays: events.contains("s"))
                if events.contains("r") { session.didReceive(["a": "b"], from: UUID()) }
                if events.contains("f") { session.didFail(.busy, with: nil) }
                session.didFinish()
            }
        }
    }

    @Test("Keys that the other device has lost end an exchange, with what to do")
    func lostKeys() async throws {
        let result = await #expect(processExitsWith: .exitCode(1), observing: [\.standardErrorContent]) {
            try await MainActor.run {
                try BlueEarCentralSessionEndTests.session(stays: false, device: "Anna").didFail(.lostKeys, with: nil)
                exit(99)
            }
        }
        let lines = try #require(result).errorLines
        #expect(lines.count == 1)
        #expect(lines.first?.hasSuffix("corebluetooth bonds remove Anna; then pair anew") == true)
    }

    @Test("In a conversation lost keys are said once, and other failures each time")
    func conversation() async throws {
        let result = await #expect(processExitsWith: .exitCode(99), observing: [\.standardOutputContent]) {
            try await MainActor.run {
                let session = try BlueEarCentralSessionEndTests.session(stays: true)
                for error in [BlueEarError.lostKeys, .busy, .lostKeys, .busy] { session.didFail(error, with: nil) }
                exit(99)
            }
        }
        let lines = try #require(result).lines
        #expect(lines.count == 3)
        #expect(lines[0].contains("bonds remove") && lines[1] == lines[2] && !lines[1].contains("bonds remove"))
    }

    @Test("That something failed is an object in JSON, and else a line on standard error", arguments: [false, true])
    func failed(isJSON: Bool) async throws {
        let result = await #expect(
            processExitsWith: .exitCode(0),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) { @MainActor [isJSON] in
            Lines.failed(.notAnEar, with: nil, OutputFormat(isJSON: isJSON, isVerbose: false))
            exit(0)
        }
        let process = try #require(result)
        #expect(process.lines.count == (isJSON ? 1 : 0) && process.errorLines.count == (isJSON ? 0 : 1))
    }
}
