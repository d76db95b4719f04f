// No manager is created, so nothing is opened.

import CommandLineTool
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CoreBluetooth
@testable import eightball

@Suite("The adapter of the options of a ball")
struct BallOptionsTests {
    @Test(
        "requires pairing if asked to, and reports that a chosen name is shortened",
        arguments: [
            ([], "false false true"), (["--name", "Crystal"], "true false false"),
            (["--require-pairing", "passkey", "--name", "Crystal"], "true true false"),
        ] as [([String], String)]
    )
    func options(arguments: [String], expected: String) async throws {
        let result = try await #require(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            [arguments = arguments as [String]] in
            for name in ["ADAPTER", "IDENTITY", "DISTANCE", "POSITION", "PRIVACY", "CAPTURE", "FLOW_CONTROL"] {
                unsetenv("COREBLUETOOTH_" + name)
            }
            let parsed = try EightBallCommand.parseAsRoot(["peripheral"] + arguments)
            let command = try #require(parsed as? EightBallCommand.Peripheral)
            try command.ball.apply(command.radio, agent: ScreenPairingAgent())
            let configuration = BluetoothAdapter.default.configuration
            let isReported = AdvertisedName.reportsShortening.withLockedValue { $0 }
            let isComputer = configuration.deviceName == (RadioOptions.computerName ?? "Magic 8-Ball")
            if !isComputer, configuration.deviceName != "Crystal" { exit(2) }
            if configuration.pairingAgent == nil { exit(3) }
            Console.print("\(isReported) \(configuration.requiresPairing) \(isComputer)")
            // Skips the handlers that are registered for the exit.
            fflush(nil)
            _exit(0)
        }
        #expect(result.lines == [expected])
    }
}
