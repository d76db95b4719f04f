// No manager is created, so nothing is opened.

import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CommandLineTool
@testable import CoreBluetooth

@Suite("The options of the radio, applied")
struct RadioOptionsTests {
    /// A process without variables of Core Bluetooth.
    private static func clearEnvironment() {
        for name in ["ADAPTER", "IDENTITY", "DISTANCE", "POSITION", "PRIVACY", "CAPTURE", "FLOW_CONTROL"] {
            unsetenv("COREBLUETOOTH_" + name)
        }
    }

    /// The configuration of the process's adapter, one letter for each choice in effect.
    private static func configured() -> String {
        let configuration = BluetoothAdapter.default.configuration
        let isReported = AdvertisedName.reportsShortening.withLockedValue { $0 }
        let parts = [
            ("r", isReported), ("a", configuration.pairingAgent != nil), ("q", configuration.requiresPairing),
            ("p", configuration.permitsPairing), ("s", configuration.permitsSystemServices),
            ("m", configuration.permitsManufacturerData), ("c", configuration.usesCachedDatabases),
            ("o", configuration.observer != nil),
        ]
        return parts.map { $0.1 ? $0.0 : "-" }.joined() + " " + (configuration.deviceName ?? "-")
    }

    @Test("changes one part of the adapter's configuration for each choice of a command")
    func choices() async throws {
        let result = try await #require(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            RadioOptionsTests.clearEnvironment()
            let radio = try RadioOptions.parse([])
            func show(_ name: String) { Console.print("\(RadioOptionsTests.configured()) \(name)") }
            try radio.apply()
            show("nothing")
            try radio.apply(deviceName: "Lamp")
            show("deviceName")
            try radio.apply(agent: TerminalPairingAgent())
            show("agent")
            try radio.apply(requiresPairing: true)
            show("requiresPairing")
            try radio.apply(permitsPairing: false)
            show("permitsPairing")
            try radio.apply(permitsSystemServices: true)
            show("permitsSystemServices")
            try radio.apply { $0.permitsManufacturerData = true }
            show("configure")
            try radio.apply(usesCachedDatabases: false)
            show("usesCachedDatabases")
            try radio.apply(reportsShortening: true)
            show("reportsShortening")
            try RadioOptions.parse(["--trace"]).apply()
            show("trace")
            fflush(nil)
            _exit(0)
        }
        #expect(
            result.lines == [
                "---p--c- - nothing", "---p--c- Lamp deviceName", "-a-p--c- - agent", "--qp--c- - requiresPairing",
                "------c- - permitsPairing", "---ps-c- - permitsSystemServices", "---p-mc- - configure",
                "---p---- - usesCachedDatabases", "r--p--c- - reportsShortening", "r--p--co - trace",
            ]
        )
    }

    @Test("takes the adapter of the option, else of the variable, else the air, and refuses an unknown one")
    func names() async throws {
        let result = try await #require(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            RadioOptionsTests.clearEnvironment()
            for (option, variable) in [
                ("", ""), ("air", ""), ("", "air"), ("air", "nothing"), ("nothing", ""), ("", "nothing"),
                ("nothing", "air"),
            ] {
                setenv("COREBLUETOOTH_ADAPTER", variable, 1)
                let radio = try RadioOptions.parse(option.isEmpty ? [] : ["--adapter", option])
                Console.print("\(option),\(variable) \((try? radio.apply()) != nil)")
            }
            fflush(nil)
            _exit(0)
        }
        #expect(
            result.lines == [
                ", true", "air, true", ",air true", "air,nothing true", "nothing, false", ",nothing false",
                "nothing,air false",
            ]
        )
    }

    @Test("replaces each variable by its option, and keeps the others")
    func environment() async throws {
        let rows = [
            ("", "", "- - - - -"), ("", "IDENTITY=a DISTANCE=2 PRIVACY=60", "a 2 - 60 -"),
            ("--identity b", "IDENTITY=a", "b - - - -"), ("--distance 3", "POSITION=1,1 DISTANCE=2", "- 3.0 - - -"),
            ("--position 4,5", "DISTANCE=2", "- 2 4,5 - -"), ("--privacy", "", "- - - on -"),
            ("--privacy", "PRIVACY=off", "- - - on -"), ("--privacy", "PRIVACY=60", "- - - 60 -"),
            ("--capture /dev/null", "", "- - - - /dev/null"),
        ]
        let result = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
            [rows = rows.map { [$0.0, $0.1] } as [[String]]] in
            let variables = ["IDENTITY", "DISTANCE", "POSITION", "PRIVACY", "CAPTURE"]
            for row in rows {
                RadioOptionsTests.clearEnvironment()
                for assignment in row[1].split(separator: " ") {
                    let parts = assignment.split(separator: "=").map(String.init)
                    setenv("COREBLUETOOTH_" + parts[0], parts[1], 1)
                }
                try RadioOptions.parse(row[0].split(separator: " ").map(String.init)).apply()
                let values = variables.map { getenv("COREBLUETOOTH_" + $0).map { String(cString: $0) } ?? "-" }
                Console.print(values.joined(separator: " "))
            }
            fflush(nil)
            _exit(0)
        }
        #expect(result.lines == rows.map(\.2))
    }

    @Test(
        "traces the identity of the option, else of the environment, else the program",
        arguments: [("bob", "carol"), ("", "carol"), ("", "")]
    )
    func tracedDevice(option: String, variable: String) async throws {
        let folder = try TemporaryFolder()
        let path: String = folder("trace.jsonl")
        let result = try await #require(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            [option = option as String, variable = variable as String, path = path as String] in
            unsetenv("COREBLUETOOTH_IDENTITY")
            if !variable.isEmpty { setenv("COREBLUETOOTH_IDENTITY", variable, 1) }
            let identity = option.isEmpty ? [] : ["--identity", option]
            let radio = try RadioOptions.parse(["--trace-file", path] + identity)
            // The screen does not prevent a file.
            try radio.apply(hasScreen: true)
            let device = Timeline.current?.device ?? "none"
            Console.print(device == Ending.program ? "the program" : device)
            // Skips the handlers that are registered for the exit.
            fflush(nil)
            _exit(0)
        }
        let expected = !option.isEmpty ? option : !variable.isEmpty ? variable : "the program"
        #expect(result.lines == [expected])
        withExtendedLifetime(folder) {}
    }
}
