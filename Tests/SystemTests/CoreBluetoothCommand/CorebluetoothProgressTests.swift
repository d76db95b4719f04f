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
    /// A command at a device.
    enum Doing: String, CaseIterable, Codable, Sendable {
        case inspect, record, write
    }

    // A function that is registered with `atexit` captures nothing; each process has one test that uses this.
    nonisolated(unsafe) private static var pair: PseudoTerminalPair?

    /// Puts a terminal at standard error, whose rows are printed when the program ends.
    private static func openTerminal() throws {
        setenv("TERM", "xterm", 1)
        let pair = try PseudoTerminalPair()
        let slave = open(pair.path, O_RDWR | O_NOCTTY)
        guard dup2(slave, STDERR_FILENO) >= 0 else { exit(2) }
        self.pair = pair
        atexit { CorebluetoothProgressTests.tell() }
    }

    private static func tell() {
        guard let pair else { return }
        for row in pair.text().components(separatedBy: "\r\u{1B}[K") where !row.isEmpty {
            Console.print("row " + row)
        }
    }

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

    @MainActor
    private static func start(_ doing: Doing) throws -> SessionRun {
        var run = SessionRun()
        run.world.addPeripheral(slowDevice())
        try run.startDeviceCommand(["Peer"], isJSON: true) { central, peripheral, output in
            let connection = DeviceConnection(central, peripheral, output: output, isSession: true)
            switch doing {
            case .inspect: try await DiscoverAction.parse([]).run(on: connection)
            case .write: try await WriteAction.parse(["FFF1", "05"]).run(on: connection)
            case .record:
                let recording = DeviceRecording(central: central, output: output)
                try await recording.explore(peripheral)
                try await recording.listen(2.9)
            }
        }
        return run
    }

    @Test(
        "counts services, and names a write that takes long",
        arguments: [
            (.inspect, (0...3).map { "inspecting: \($0) of 4 services" }), (.write, ["writing FFF1: 1 s"]),
            (
                .record,
                (0...3).map { "recording: \($0) of 4 services" }
                    + ["taking what it sends: 1 s, 1 s left", "taking what it sends: 2 s, 0 s left"]
            ),
        ] as [(Doing, [String])]
    )
    func rows(doing: Doing, expected: [String]) async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            [doing = doing as Doing] in
            try CorebluetoothProgressTests.openTerminal()
            let run = try await CorebluetoothProgressTests.start(doing)
            run.world.advance(by: .seconds(300))
            exit(99)
        }
        var rows: [String] = []
        for line in try #require(result).lines where line.hasPrefix("row ") {
            let row = String(line.dropFirst(4))
            let counted = row.firstMatch(of: #/^.*: \d+ of \d+ [a-z]+/#).map { String($0.output) } ?? row
            if rows.last != counted { rows.append(counted) }
        }
        #expect(rows == expected)
    }
}
