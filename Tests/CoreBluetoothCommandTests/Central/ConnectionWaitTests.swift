// What ends a wait for values on a connection, and what does not: a count that was reached before, values that came
// before, and the time of an earlier wait. And how long the end of a connection is waited for.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CoreBluetoothCommand

@Suite("The end of a wait on a connection")
struct ConnectionWaitTests {
    private static func thermo() -> ScriptedPeripheral {
        let characteristics: [ScriptedPeripheral.Characteristic] = [
            .init("FFF1", properties: .read, value: Data([1])), .init("FFF3", properties: .notify),
        ]
        return ScriptedPeripheral(name: "Thermo", services: [.init("FFF0", characteristics: characteristics)])
    }

    @Test("A wait for some seconds is ended neither by a count that was reached, nor by the values that reached it")
    @MainActor
    func reachedCount() throws {
        let world = World(seed: 1)
        let device = world.addPeripheral(Self.thermo())
        let testbed = try ToolTestbed(world)
        let connection = try testbed.connect("Thermo")
        let output = testbed.output
        let waits = Watched(0)
        world.after(.seconds(20)) { device.dropLinks() }
        let failure = #expect(throws: Failure.self) {
            try testbed.perform {
                let found = try await connection.characteristic(CBUUID(string: "FFF3"), of: nil)
                let characteristic = try #require(found)
                let printer = ValuePrinter(form: .hexadecimal, output: output)
                try await connection.subscribe(to: characteristic, printer, count: 1)
                connection.central.onValue?(characteristic, Data([1]))
                // All that were counted have come.
                try await connection.waitForValues()
                waits.update { $0 += 1 }
                try await connection.waitForValues(ToolTestbed.realTimeLimit)
            }
        }
        #expect(waits.value == 1)
        #expect(failure?.line.hasPrefix("\"Thermo\" has disconnected: ") == true)
        #expect(world.now >= .seconds(20))
    }

    /// A session with "Thermo" that goes on behind what fails.
    @MainActor
    private static func session(
        _ lines: [(seconds: Double, text: String?)],
        _ arrange: @MainActor (World) -> Void
    ) throws -> SessionRun {
        var run = SessionRun()
        run.world.addPeripheral(thermo())
        arrange(run.world)
        let reader = run.lines(lines)
        let output = OutputFormat(isJSON: false, isVerbose: false)
        try run.start(on: run.world.addDevice("tool")) {
            let central = Central(output: output)
            try DeviceOptions.parse(["Thermo"]).start(central) { central, peripheral in
                let connection = DeviceConnection(central, peripheral, output: output, isSession: true)
                try await DeviceSession(connection, device: "Thermo", keepsGoing: true, lines: reader).run()
            }
            return central
        }
        return run
    }

    @Test("The time of a wait that the end of the connection has ended is not that of the next one")
    func earlierTime() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(0),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            let lines: [(Double, String?)] = [
                (1, "wait 10"), (6, "connect"), (7, "wait 20"), (8, "read FFF1"), (40, nil),
            ]
            let run = try await ConnectionWaitTests.session(lines) { world in
                world.after(.seconds(3)) { world["Thermo"]?.dropLinks() }
            }
            for seconds in [20, 26.5, 28] { run.mark("- \(seconds)", at: seconds) }
            run.passMinute()
        }
        let process = try #require(result)
        #expect(process.lines == ["- 20.0", "- 26.5", "01", "- 28.0"])
        #expect(process.errorLines.count == 1)
        #expect(process.errorLines.first?.hasPrefix("\"Thermo\" has disconnected: ") == true)
    }

    @Test("The end of a connection whose device is not heard any more is waited for 3 s")
    func disconnection() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(0),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            // The link itself ends 20 s after the last packet.
            let lines: [(Double, String?)] = [(2, "parameters --supervision-timeout 20000"), (10, "quit")]
            let run = try await ConnectionWaitTests.session(lines) { world in
                world.after(.seconds(8)) { world.loss = 1 }
            }
            for seconds in [12.9, 13.5, 14.5] { run.mark("- \(seconds)", at: seconds) }
            run.passMinute()
        }
        let process = try #require(result)
        #expect(process.lines.filter { $0.hasPrefix("- ") } == ["- 12.9"])
        #expect(process.errorLines.isEmpty)
    }
}
