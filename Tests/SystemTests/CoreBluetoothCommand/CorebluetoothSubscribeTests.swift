// `corebluetooth subscribe` in virtual time: several characteristics and devices, lost connections, lost adapters,
// ends.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CoreBluetoothCommand

@Suite("corebluetooth subscribe")
struct CorebluetoothSubscribeTests {
    /// A device whose characteristics notify their octet each second.
    private static func sensor(_ name: String, _ octets: [String: UInt8]) -> ScriptedPeripheral {
        let characteristics = octets.sorted { $0.key < $1.key }.map { uuid, octet in
            ScriptedPeripheral.Characteristic(
                uuid,
                properties: .notify,
                updates: .every(.seconds(1)) { _ in Data([octet]) }
            )
        }
        return ScriptedPeripheral(name: name, services: [.init("FFF0", characteristics: characteristics)])
    }

    /// What happens after five seconds.
    enum Event: String, Codable, Sendable {
        case none, drop, reset, silence
        /// The characteristics are gone after a lost connection, or need a pairing.
        case change, protect
    }

    /// Runs the command against "Thermo", with 2A19 and FFF1, and "Band", with FFF2, for up to a minute.
    private func run(
        _ arguments: String,
        _ event: Event = .none,
        status: Int32 = 0,
        isJSON: Bool = false
    ) async throws -> ExitTest.Result {
        try await #require(processExitsWith: .exitCode(status), observing: .outputs) {
            @MainActor [arguments, event, isJSON] in
            var run = SessionRun()
            let world = run.world
            let thermo = world.addPeripheral(CorebluetoothSubscribeTests.sensor("Thermo", ["2A19": 86, "FFF1": 7]))
            world.addPeripheral(CorebluetoothSubscribeTests.sensor("Band", ["FFF2": 9]))
            let tool = world.addDevice("tool")
            world.after(.seconds(5)) {
                switch event {
                case .none: break
                case .drop: thermo.dropLinks()
                case .reset: tool.resetController()
                case .silence: world.loss = 1
                case .change, .protect:
                    let security: ScriptedPeripheral.Security = event == .protect ? .encrypted : .none
                    let uuid = event == .protect ? "2A19" : "2A6E"
                    let other = ScriptedPeripheral.Characteristic(uuid, properties: .notify, security: security)
                    thermo.publish([.init("FFF0", characteristics: [other])])
                    thermo.dropLinks()
                }
            }
            if event == .silence { world.after(.seconds(30)) { world.loss = 0 } }
            let output = OutputFormat(isJSON: isJSON, isVerbose: false)
            let plan = try SubscribeCommand.parse(arguments.split(separator: " ").map(String.init)).plan
            run.start(on: tool) {
                let subscriptions = Subscriptions(plan, output) { Central(output: output) }
                subscriptions.start()
                return subscriptions
            }
            run.markTimes([4.9, 20])
            run.passMinute()
        }
    }

    @Test("prints the values of several characteristics of several devices, each with its source")
    func several() async throws {
        let process = try await run("Thermo 2A19 FFF1 FFF2 --device Band --count 9")
        #expect(process.errorLines.isEmpty)
        let lines = process.lines.filter { !$0.hasPrefix("- ") }
        #expect(lines.count == 9)
        #expect(
            Set(lines) == [
                "\"Thermo\" 2A19 Battery Level: 56 (86 %)", "\"Thermo\" FFF1: 07", "\"Band\" FFF2: 09",
            ]
        )
        let single = try await run("Thermo 2A19 FFF1 --count 4 --hex")
        #expect(Set(single.lines.filter { !$0.hasPrefix("- ") }) == ["2A19 Battery Level: 56", "FFF1: 07"])
    }

    @Test(
        "prints no value behind those that were counted, and ends after its time",
        arguments: ["--count 2", "--duration 4"]
    )
    func ends(limit: String) async throws {
        let process = try await run("Thermo 2A19 --hex \(limit)")
        #expect(process.errorLines.isEmpty && process.lines.allSatisfy { $0 == "56" })
        #expect(limit == "--count 2" ? process.lines.count == 2 : (2...4).contains(process.lines.count))
    }

    @Test(
        "goes on after a lost connection, a lost adapter and a silence, and says when each was",
        arguments: [Event.drop, .reset, .silence]
    )
    func goesOn(event: Event) async throws {
        let process = try await run("Thermo 2A19 --hex --duration 50", event)
        let first = try #require(process.lines.firstIndex(of: "- 4.9"))
        #expect(first > 1 && process.lines.dropFirst(first).contains("56"))
        let lines = process.errorLines.filter { $0.contains("\"Thermo\"") }
        let (lost, back) = (try #require(lines.first), try #require(lines.last))
        let time = #/^\d\d:\d\d:\d\d\.\d{3} /#
        #expect(lost.contains(time) && back.contains(time))
        #expect(lost.contains(" \"Thermo\" has disconnected: ") && lost.hasSuffix("; looking for it again"))
        #expect(back.contains(#/ "Thermo" is back after \d/#), "\(back)")
        #expect(event == .silence || lines.count == 2, "\(lines)")
    }

    @Test("says in JSON when it subscribed, what was lost, and when it subscribed again")
    func objects() async throws {
        let process = try await run("Thermo 2A19 FFF1 --duration 20", .drop, isJSON: true)
        let objects = try process.lines.filter { $0.hasPrefix("{") }.map(corebluetoothObject)
        let events = objects.compactMap { $0["event"] as? String }.filter { $0 != "value" }
        #expect(events == ["subscribed", "lost", "subscribed"])
        let subscribed = try #require(objects.first)
        #expect(subscribed["characteristics"] as? [String] == ["2A19", "FFF1"])
        let lost = try #require(objects.first { $0["event"] as? String == "lost" })
        #expect(lost["kind"] as? String == "notConnected" && (lost["error"] as? String)?.contains("Thermo") == true)
        #expect((lost["device"] as? [String: Any])?["name"] as? String == "Thermo")
        let value = try #require(objects.last { $0["characteristic"] as? String == "2A19" })
        #expect(value["value"] as? Int == 86 && value["unit"] as? String == "%")
    }

    @Test(
        "ends with an error that another attempt does not cure",
        arguments: [
            (Event.change, 3, "the device has no characteristic 2A19; "),
            (.protect, 6, "subscribing to Battery Level failed: "),
        ] as [(Event, Int32, String)]
    )
    func incurable(event: Event, status: Int32, words: String) async throws {
        let process = try await run("Thermo 2A19 --hex", event, status: status)
        #expect(process.lines.contains("56"))
        #expect(process.errorLines.hasWords(["\"Thermo\" has disconnected: ", words]), "\(process.errorLines)")
    }

    @Test("ends with the first loss if it is not to connect again")
    func noReconnect() async throws {
        let process = try await run("Thermo 2A19 --hex --no-reconnect", .drop, status: 7)
        #expect(process.errorLines.hasWords(["\"Thermo\" has disconnected: "]))
    }

    @Test(
        "fails at the first attempt as other commands do",
        arguments: [
            ("Nobody 2A19 --timeout 2", "\"Nobody\" was not found within 2 s: "),
            ("Thermo 2A19 --device Nobody --timeout 2", "\"Nobody\" was not found within 2 s: "),
            ("Thermo 2A6E", "the device has no characteristic 2A6E; corebluetooth inspect shows what it has"),
            ("Thermo 2A19 --service 180F", "the device has no characteristic 2A19 in the service 180F; "),
            ("Thermo 2A19 --device Band", "the device has no characteristic 2A19; corebluetooth inspect"),
        ]
    )
    func failures(arguments: String, words: String) async throws {
        let process = try await run(arguments, status: 3)
        #expect(process.errorLines.hasWords([words]), "\(process.errorLines)")
    }
}
