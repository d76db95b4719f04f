// What is said to be there in place of a device that was not found: so many devices that a line can name them.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CoreBluetoothCommand

@Suite("The devices that are named in place of one that was not found", .timeLimit(.minutes(2)))
struct HeardNamesTests {
    @MainActor
    private static func find(among count: Int) throws -> SessionRun {
        var run = SessionRun()
        for number in 1...count { run.world.addPeripheral(ScriptedPeripheral(name: "Lamp \(number)")) }
        try run.start(on: run.world.addDevice("tool")) {
            let central = Central(output: OutputFormat(isJSON: false, isVerbose: false))
            try DeviceOptions.parse(["Nobody", "--timeout", "20"]).start(central) { _, _ in }
            return central
        }
        return run
    }

    @Test("Twenty devices are named, each once, and no more", arguments: [20, 22])
    func names(count: Int) async throws {
        let result = await #expect(
            processExitsWith: .exitCode(1),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) { [count = count as Int] in
            let run = try await HeardNamesTests.find(among: count)
            run.passMinute()
        }
        let process = try #require(result)
        let line = process.errorLines.first ?? ""
        let words = "\"Nobody\" was not found within 20 s: there is "
        #expect(process.errorLines.count == 1 && line.hasPrefix(words), "\(process.errorLines)")
        let names = line.dropFirst(words.count).components(separatedBy: ", ")
        #expect(names.count == 20 && Set(names).count == 20)
        #expect(names.allSatisfy { $0.hasPrefix("\"Lamp ") && $0.hasSuffix("\"") })
    }
}
