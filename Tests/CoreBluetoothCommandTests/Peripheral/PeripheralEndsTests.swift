// What ends a program before it has begun: services that the system keeps for itself, and a machine without Bluetooth.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CoreBluetoothCommand

@Suite("What ends a session before it has begun", .timeLimit(.minutes(2)))
struct PeripheralEndsTests {
    @MainActor
    private static func advertise(permitsSystemServices: Bool = false, isSupported: Bool = true) throws -> SessionRun {
        var run = SessionRun()
        let json = #"{ "services": [ { "uuid": "180D" }, { "uuid": "180F" } ] }"#
        let description = try GATTDescription(json: Data(json.utf8), from: "t.json")
        let device = run.world.addDevice(
            "peripheral",
            isSupported: isSupported,
            permitsSystemServices: permitsSystemServices
        )
        run.start(on: device) { PeripheralSession.started("Safe", description) { Console.print($0) } }
        return run
    }

    @Test("A service that the system keeps for itself ends it with the reason", arguments: [false, true])
    func systemService(isPermitted: Bool) async throws {
        let result = await #expect(
            processExitsWith: isPermitted ? .exitCode(99) : .exitCode(1),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) { [isPermitted = isPermitted as Bool] in
            try await PeripheralEndsTests.advertise(permitsSystemServices: isPermitted).passMinute()
        }
        let process = try #require(result)
        let line = process.errorLines.last { $0.contains("cannot be offered") }
        if isPermitted {
            #expect(line == nil)
            #expect(process.lines == ["\"Safe\" is advertising Heart Rate, Battery; Ctrl-C ends it."])
        } else {
            #expect(line?.hasPrefix("the service Battery cannot be offered: ") == true, "\(process.errorLines)")
            #expect(line?.hasSuffix("; the system keeps it for itself, choose another") == true)
        }
    }

    @Test("A machine without Bluetooth ends a peripheral and a central with 1")
    func unsupported() async throws {
        let peripheral = await #expect(processExitsWith: .exitCode(1), observing: [\.standardOutputContent]) {
            try await PeripheralEndsTests.advertise(isSupported: false).passMinute()
        }
        #expect(try #require(peripheral).lines.isEmpty)
        let central = await #expect(processExitsWith: .exitCode(1), observing: [\.standardOutputContent]) {
            let run = try await PeripheralEndsTests.read()
            run.mark("- 5", at: 5)
            run.passMinute()
        }
        // It does not wait for the end of its time.
        #expect(try #require(central).lines.isEmpty)
    }

    @MainActor
    private static func read() throws -> SessionRun {
        var run = SessionRun()
        run.world.addPeripheral(ScriptedPeripheral(name: "Thermo"))
        try run.start(on: run.world.addDevice("tool", isSupported: false)) {
            let central = Central(output: OutputFormat(isJSON: false, isVerbose: false))
            try DeviceOptions.parse(["Thermo"]).start(central) { _, _ in }
            return central
        }
        return run
    }
}
