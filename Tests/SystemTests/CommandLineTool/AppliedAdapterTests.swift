// What the options of the radio make of the process's adapter: which one it is, and what each choice of a command
// changes in its configuration, alone. Each test is a process of its own; no manager is made, so nothing is opened.

import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CommandLineTool
@testable import CoreBluetooth

@Suite("The adapter of the options of the radio")
struct AppliedAdapterTests {
    /// A process without variables of Core Bluetooth.
    private static func clearEnvironment() {
        for name in ["ADAPTER", "IDENTITY", "DISTANCE", "POSITION", "PRIVACY", "CAPTURE", "FLOW_CONTROL"] {
            unsetenv("COREBLUETOOTH_" + name)
        }
    }

    /// What the process's adapter is configured with, one letter each that is in effect.
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

    @Test(
        "Without a choice a device pairs and uses what it knows of peers, no more; each choice changes its own part",
        arguments: [
            ("", "---p--c- -"), ("deviceName", "---p--c- Lamp"), ("reportsShortening", "r--p--c- -"),
            ("agent", "-a-p--c- -"), ("requiresPairing", "--qp--c- -"), ("permitsPairing", "------c- -"),
            ("permitsSystemServices", "---ps-c- -"), ("permitsManufacturerData", "---p-mc- -"),
            ("usesCachedDatabases", "---p---- -"), ("trace", "---p--co -"),
        ]
    )
    func choices(choice: String, expected: String) async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            [choice = choice as String] in
            AppliedAdapterTests.clearEnvironment()
            let radio = try RadioOptions.parse(choice == "trace" ? ["--trace"] : [])
            switch choice {
            case "deviceName": try radio.apply(deviceName: "Lamp")
            case "reportsShortening": try radio.apply(reportsShortening: true)
            case "agent": try radio.apply(agent: TerminalPairingAgent())
            case "requiresPairing": try radio.apply(requiresPairing: true)
            case "permitsPairing": try radio.apply(permitsPairing: false)
            case "permitsSystemServices": try radio.apply(permitsSystemServices: true)
            case "permitsManufacturerData": try radio.apply(permitsManufacturerData: true)
            case "usesCachedDatabases": try radio.apply(usesCachedDatabases: false)
            default: try radio.apply()
            }
            Console.print(AppliedAdapterTests.configured())
            // Without what is registered for the end.
            fflush(nil)
            _exit(0)
        }
        #expect(try #require(result).lines == [expected])
    }

    @Test(
        "The adapter is that of the option, else that of the variable, else the air; another name is refused",
        arguments: [
            ("", nil, true), ("", "", true), ("air", nil, true), ("", "air", true), ("air", "nothing", true),
            ("nothing", nil, false), ("", "nothing", false), ("nothing", "air", false),
        ] as [(String, String?, Bool)]
    )
    func names(option: String, variable: String?, isApplied: Bool) async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            [option = option as String, variable = variable as String?] in
            AppliedAdapterTests.clearEnvironment()
            if let variable { setenv("COREBLUETOOTH_ADAPTER", variable, 1) }
            let radio = try RadioOptions.parse(option.isEmpty ? [] : ["--adapter", option])
            do {
                try radio.apply()
                Console.print("applied")
            } catch {
                Console.print("refused")
            }
            fflush(nil)
            _exit(0)
        }
        #expect(try #require(result).lines == [isApplied ? "applied" : "refused"])
    }
}
