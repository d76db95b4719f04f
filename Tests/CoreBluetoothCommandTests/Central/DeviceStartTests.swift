// What a command for one device says as it begins and ends, where that is asked for.

import BluetoothHost
import CommandLineTool
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import BluetoothTransport
@testable import CoreBluetooth
@testable import CoreBluetoothCommand

@Suite("The beginning of a command for one device", .timeLimit(.minutes(2)))
struct DeviceStartTests {
    /// Connects to a device, and ends the command.
    @MainActor
    private static func connect(isVerbose: Bool) throws -> SessionRun {
        var run = SessionRun()
        run.world.addPeripheral(ScriptedPeripheral(name: "Thermo"))
        try run.start(on: run.world.addDevice("tool")) {
            let central = Central(output: OutputFormat(isJSON: false, isVerbose: isVerbose))
            try DeviceOptions.parse(["Thermo"]).start(central) { _, _ in }
            return central
        }
        return run
    }

    @Test("Connection and disconnection are said once, where that is asked for", arguments: [true, false])
    func words(isVerbose: Bool) async throws {
        let result = await #expect(
            processExitsWith: .exitCode(0),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) { [isVerbose = isVerbose as Bool] in
            try await DeviceStartTests.connect(isVerbose: isVerbose).passMinute()
        }
        let process = try #require(result)
        #expect(process.lines.isEmpty)
        let isStateSaid = process.errorLines.contains { $0.contains("Bluetooth is ") }
        #expect(isStateSaid == isVerbose)
        for words in ["disconnected from \"Thermo\": ", "connected to \"Thermo\""] {
            let count = process.errorLines.count { $0.contains(words) }
            #expect(count == (isVerbose ? 1 : 0), "\(words): \(process.errorLines)")
        }
    }
}
