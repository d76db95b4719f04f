// What `blueear central` says when its time is up: by the state of Bluetooth first, then by how far it had come.

import BlueEar
import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import BlueEarCommand

private let notReady = "Bluetooth was not ready within 10 s; check --adapter and what serves it"
private let nobody = "no peripheral was found within 10 s; start one with: blueear peripheral"

@Suite("The time limit of blueear central")
struct BlueEarTimeOutTests {
    /// A central with ten seconds, to which things happen after five: `c` it has connected, `r` a message came; then
    /// Bluetooth is in a state.
    @MainActor
    private static func central(_ events: String, _ state: CBManagerState) throws -> SessionRun {
        var run = SessionRun()
        let world = run.world
        try run.start(on: world.addDevice("central")) {
            let session = CentralSession(
                message: nil,
                device: nil,
                stays: false,
                reads: false,
                timeout: 10,
                restoreIdentifier: nil,
                pairing: ProgramPairing(TerminalPairingAgent(), try RadioOptions.parse([])),
                output: OutputFormat(isJSON: false, isVerbose: false) { _ in }
            )
            session.start(nil)
            world.after(.seconds(5)) {
                DispatchQueue.main.async {
                    MainActor.assumeIsolated {
                        if events.contains("c") { session.didConnectPeripheral(name: "Anna") }
                        if events.contains("r") { session.didReceive(["a": "b"], from: UUID()) }
                        session.didUpdateState(state)
                    }
                }
            }
            return session
        }
        return run
    }

    @Test(
        "Without Bluetooth nothing else is said; with it, how far the conversation had come",
        arguments: [
            ("", 0, notReady), ("cr", 0, notReady), ("", 1, notReady), ("r", 1, notReady), ("", 3, notReady),
            ("c", 3, notReady), ("", 4, nil), ("cr", 4, nil), ("", 5, nobody),
            ("c", 5, "the peripheral said nothing within 10 s"),
            ("r", 5, "the conversation did not end within 10 s"),
            ("cr", 5, "the conversation did not end within 10 s"),
        ] as [(String, Int, String?)]
    )
    func reason(events: String, number: Int, words: String?) async throws {
        let result = await #expect(processExitsWith: .exitCode(1), observing: [\.standardErrorContent]) {
            [events = events as String, number = number as Int] in
            let state = try #require(CBManagerState(rawValue: number))
            try await BlueEarTimeOutTests.central(events, state).passMinute()
        }
        #expect(try #require(result).errorLines == (words.map { [$0] } ?? []))
    }
}
