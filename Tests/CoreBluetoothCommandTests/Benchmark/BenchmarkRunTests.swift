// `corebluetooth benchmark` against the peripheral that serves it, in virtual time: what is measured, in which order,
// and that all of it has arrived.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CoreBluetoothCommand

@Suite("A whole run of corebluetooth benchmark")
struct BenchmarkRunTests {
    private static let octets = 3000

    /// One measurement after the other on one connection.
    @MainActor
    static func benchmark(
        _ direction: String,
        _ wanted: [String],
        isJSON: Bool,
        reads: Int = 3,
        runs: Int = 1
    ) throws -> SessionRun {
        var run = SessionRun()
        run.start(on: run.world.addDevice("peripheral")) { PeripheralSession.started("Peer", benchmark: true) }
        let output = OutputFormat(isJSON: isJSON, isVerbose: false)
        try run.start(on: run.world.addDevice("tool")) {
            let central = Central(output: output)
            let plan = BenchmarkRun.Plan(
                reads: reads,
                octets: Self.octets,
                isToDevice: direction != "from",
                isFromDevice: direction != "to",
                phys: wanted.isEmpty ? nil : PHYName.le2M.phys,
                wanted: try ConnectionParameterOptions.parse(wanted)
            )
            try DeviceOptions.parse(["Peer"]).start(central) { central, peripheral in
                let benchmark = BenchmarkRun(central: central, peripheral: peripheral, output: output)
                for _ in 0..<runs { try await benchmark.run(plan) }
            }
            return central
        }
        return run
    }

    @Test("What was asked for is measured, in this order, and nothing is lost", arguments: ["both", "to", "from"])
    func objects(direction: String) async throws {
        let result = await #expect(
            processExitsWith: .exitCode(0),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) { [direction = direction as String] in
            try await BenchmarkRunTests.benchmark(direction, [], isJSON: true).passMinute()
        }
        let process = try #require(result)
        #expect(process.errorLines.isEmpty)
        let objects = process.lines.compactMap {
            try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
        let names = objects.map { object -> String in
            let parts = ["event", "test", "direction"].compactMap { object[$0] as? String }
            return parts.joined(separator: " ")
        }
        var expected = ["link", "result read"]
        if direction != "from" { expected.append("result writeWithoutResponse to") }
        if direction != "to" { expected.append("result notification from") }
        if direction != "from" { expected.append("result l2cap to") }
        if direction != "to" { expected.append("result l2cap from") }
        #expect(names == expected)
        guard names == expected else { return }
        #expect(objects[1]["count"] as? Int == 3)
        let histogram = try #require(objects[1]["histogram"] as? [[String: Any]])
        let counts = histogram.compactMap { $0["count"] as? Int }
        #expect(counts.reduce(0, +) == 3)
        for object in objects.dropFirst(2) {
            #expect(object["lost"] as? Int == 0)
            let octets = try #require(object["octets"] as? Int)
            if object["test"] as? String == "l2cap" {
                #expect(octets == Self.octets && object["length"] is NSNull)
            } else {
                // As many values as it takes, each as long as the others.
                let length = try #require(object["length"] as? Int)
                #expect(octets == (Self.octets + length - 1) / length * length)
            }
        }
    }

    @Test("Lines have what was asked for of the connection, and then a label and a rate each")
    func lines() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(0),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            let wanted = ["--interval", "30", "--latency", "0", "--supervision-timeout", "2000"]
            try await BenchmarkRunTests.benchmark("both", wanted, isJSON: false).passMinute()
        }
        let process = try #require(result)
        #expect(process.errorLines.isEmpty)
        #expect(process.lines.first?.hasPrefix("PHY ") == true)
        #expect(process.lines.first?.contains("latency 0, supervision timeout") == true)
        let labels = [
            "read, 20 octets, 3 times", "write without response, ", "notification, ", "L2CAP channel, to the device",
            "L2CAP channel, from the device",
        ]
        for label in labels { #expect(process.lines.count { $0.hasPrefix(label) } == 1, "\(label)") }
        #expect(!process.lines.contains { $0.contains("lost") })
    }
}
