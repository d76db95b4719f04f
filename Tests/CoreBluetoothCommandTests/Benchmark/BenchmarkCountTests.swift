// What `corebluetooth benchmark` counts where somebody has used its service before, and what it leaves behind.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CoreBluetoothCommand

@Suite("What corebluetooth benchmark counts")
struct BenchmarkCountTests {
    /// Writes 100 octets, measures, and prints whether the source is subscribed to still.
    @MainActor
    private static func benchmark() throws -> SessionRun {
        var run = SessionRun()
        run.start(on: run.world.addDevice("peripheral")) { PeripheralSession.started("Peer", benchmark: true) }
        let output = OutputFormat(isJSON: true, isVerbose: false)
        try run.start(on: run.world.addDevice("tool")) {
            let central = Central(output: output)
            let plan = BenchmarkRun.Plan(
                reads: 1,
                octets: 3000,
                isToDevice: true,
                isFromDevice: true,
                wanted: try ConnectionParameterOptions.parse([])
            )
            try DeviceOptions.parse(["Peer"]).start(central) { central, peripheral in
                let connection = DeviceConnection(central, peripheral, output: output)
                let sink = try await connection.characteristic(BenchmarkService.sink, of: nil)
                let source = try await connection.characteristic(BenchmarkService.source, of: nil)
                guard let sink, let source else { throw Failure("there is no benchmark") }
                try await central.writeWithoutResponse(Data(count: 100), to: sink)
                try await BenchmarkRun(central: central, peripheral: peripheral, output: output).run(plan)
                Console.print("\(source.isNotifying)")
            }
            return central
        }
        return run
    }

    @Test("What was written before does not count, and the subscription ends with the measurement")
    func counts() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(0),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            try await BenchmarkCountTests.benchmark().passMinute()
        }
        let process = try #require(result)
        #expect(process.errorLines.isEmpty)
        #expect(process.lines.last == "false")
        let objects = process.lines.compactMap {
            try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
        for test in ["writeWithoutResponse", "notification"] {
            let object = try #require(objects.first { $0["test"] as? String == test })
            let length = try #require(object["length"] as? Int)
            #expect(object["octets"] as? Int == (3000 + length - 1) / length * length, "\(test)")
            #expect(object["lost"] as? Int == 0)
        }
        for object in objects where object["bitsPerSecond"] != nil {
            let octets = try #require(object["octets"] as? Int)
            let seconds = try #require(object["seconds"] as? Double)
            let rate = try #require(object["bitsPerSecond"] as? Double)
            #expect(abs(rate * seconds - 8 * Double(octets)) <= seconds)
        }
    }
}
