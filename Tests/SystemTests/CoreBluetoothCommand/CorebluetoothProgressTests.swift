// How far a command has come, as it is shown at a terminal on standard error, in virtual time.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CoreBluetoothCommand

@Suite("The progress of a command at a terminal")
struct CorebluetoothProgressTests {
    // A function that is registered with `atexit` captures nothing; the process has one test that uses this.
    nonisolated(unsafe) private static var terminal: TestTerminal?

    /// A device with four services that handles each packet 1.3 s later.
    private static func slowDevice() -> ScriptedPeripheral {
        let services = ["FFE0", "FFE1", "FFE2", "FFE3"].map { uuid in
            ScriptedPeripheral.Service(
                CBUUID(string: uuid),
                characteristics: [
                    .init(uuid == "FFE0" ? "FFF1" : "FFF2", properties: [.read, .write, .notify], value: Data([7]))
                ]
            )
        }
        return ScriptedPeripheral(name: "Peer", services: services, latency: .milliseconds(1300))
    }

    @Test("counts the services of a device that is recorded, and then the seconds")
    func rows() async throws {
        let result = try await #require(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            setenv("TERM", "xterm", 1)
            CorebluetoothProgressTests.terminal = try TestTerminal(at: [STDERR_FILENO])
            atexit {
                let text = CorebluetoothProgressTests.terminal?.text() ?? ""
                for row in text.components(separatedBy: "\r\u{1B}[K") where !row.isEmpty { Console.print("row " + row) }
            }
            var run = SessionRun()
            run.world.addPeripheral(CorebluetoothProgressTests.slowDevice())
            try await run.startDeviceCommand(["Peer"], isJSON: true) { central, peripheral, output in
                let recording = DeviceRecording(central: central, output: output)
                try await recording.explore(peripheral)
                try await recording.listen(2.9)
            }
            run.world.advance(by: .seconds(300))
            exit(99)
        }
        var rows: [String] = []
        for line in result.lines where line.hasPrefix("row ") {
            let row = String(line.dropFirst(4))
            let counted = row.firstMatch(of: #/^.*: \d+ of \d+ [a-z]+/#).map { String($0.output) } ?? row
            // Each wait for the device tells its seconds, too.
            guard !row.hasPrefix("discovering"), !row.hasPrefix("subscribing") else { continue }
            if rows.last != counted { rows.append(counted) }
        }
        #expect(
            rows == (0...3).map { "recording: \($0) of 4 services" }
                + ["taking what it sends: 1 s, 1 s left", "taking what it sends: 2 s, 0 s left"]
        )
    }
}
