// What is said of a device that was not found: what is there instead, also where it has no name, and how long it was
// looked for; and of one that was found and cannot be connected to.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CoreBluetoothCommand

@Suite("The words for a device that was not found", .timeLimit(.minutes(2)))
struct FindingWordsTests {
    @MainActor
    private static func find(_ device: String, timeout: String) throws -> SessionRun {
        var run = SessionRun()
        run.world.addPeripheral(ScriptedPeripheral(), as: "unnamed")
        let advertisement = ScriptedPeripheral.Advertisement(isConnectable: false)
        let beacon = run.world.addPeripheral(ScriptedPeripheral(name: "Beacon", advertisement: advertisement))
        beacon.isPowered = device == "Beacon"
        try run.start(on: run.world.addDevice("tool")) {
            let central = Central(output: OutputFormat(isJSON: false, isVerbose: false))
            try DeviceOptions.parse([device, "--timeout", timeout]).start(central) { _, _ in }
            return central
        }
        return run
    }

    @Test("A device without a name is called by its identifier; what was asked for is printed without its controls")
    func unnamed() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(1),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            let run = try await FindingWordsTests.find("Nobody\u{1B}", timeout: "2.5")
            for seconds in [2.4, 2.9] { run.mark("- \(seconds)", at: seconds) }
            run.passMinute()
        }
        let process = try #require(result)
        #expect(process.lines == ["- 2.4"])
        let line = process.errorLines.first ?? ""
        let words = "\"Nobody\u{FFFD}\" was not found within 2.5 s: there is "
        #expect(process.errorLines.count == 1 && line.hasPrefix(words), "\(process.errorLines)")
        #expect(UUID(uuidString: String(line.dropFirst(words.count))) != nil, "\(line)")
    }

    @Test("A device that was found and does not let anybody connect is waited for as long as one that is looked for")
    func unconnectable() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(1),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            let run = try await FindingWordsTests.find("Beacon", timeout: "5")
            for seconds in [4.9, 5.9] { run.mark("- \(seconds)", at: seconds) }
            run.passMinute()
        }
        let process = try #require(result)
        #expect(process.lines == ["- 4.9"])
        #expect(process.errorLines == ["\"Beacon\" was not there to connect to within 5 s"])
    }
}
