// What `corebluetooth benchmark` writes to a device and orders of it, and when it has enough, in virtual time: at a
// device with values of 244 octets, of which so many are measured that nothing is left over, or an octet more or less.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CoreBluetoothCommand

@Suite("The values of corebluetooth benchmark")
struct BenchmarkValuesTests {
    /// A device that says what is written to it, in lines that begin with a bar, has as many octets arrive as it is
    /// told, and notifies each 200 ms.
    private static func device(arrived: Int) -> ScriptedPeripheral {
        let value = Data(repeating: 0x55, count: 244)
        let answer = UInt64(arrived).littleEndianData
        let characteristics: [ScriptedPeripheral.Characteristic] = [
            .init(BenchmarkService.echo, properties: .read, value: Data([42])),
            .init(
                BenchmarkService.sink,
                properties: [.read, .writeWithoutResponse],
                onRead: { _ in .value(answer) },
                onWrite: { data, _ in
                    Console.print("| \(data.count) \(Set(data).sorted())")
                    return .success
                }
            ),
            .init(BenchmarkService.source, properties: .notify, updates: .every(.milliseconds(200)) { _ in value }),
            .init(
                BenchmarkService.order,
                properties: .write,
                onWrite: { data, _ in
                    Console.print("| order \(Array(data))")
                    return .success
                }
            ),
            // There is no channel.
            .init(BenchmarkService.channel, properties: .read, value: Data([0, 0, 1])),
        ]
        let service = ScriptedPeripheral.Service(BenchmarkService.uuid, characteristics: characteristics)
        return ScriptedPeripheral(name: "Peer", services: [service])
    }

    /// Measures in one direction.
    @MainActor
    private static func benchmark(octets: Int, arrived: Int, isToDevice: Bool) throws -> SessionRun {
        var run = SessionRun()
        run.world.addPeripheral(device(arrived: arrived))
        try run.startBenchmark(octets: octets, isToDevice: isToDevice, isFromDevice: !isToDevice)
        return run
    }

    /// The octets of the last result, how long a value was, and how many octets were lost.
    private static func numbers(_ lines: [String]) -> [Int] {
        let objects = lines.compactMap {
            try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
        return ["octets", "length", "lost"].compactMap { objects.last?[$0] as? Int }
    }

    @Test(
        "As many values are written as hold the octets, and not one more; each octet of them is 42",
        arguments: [(1, 1), (244, 1), (245, 2), (1219, 5), (1220, 5), (1221, 6)]
    )
    func writes(octets: Int, count: Int) async throws {
        let result = await #expect(
            processExitsWith: .exitCode(0),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) { [octets = octets as Int, count = count as Int] in
            try await BenchmarkValuesTests.benchmark(octets: octets, arrived: 244 * count, isToDevice: true)
                .passMinute()
        }
        let process = try #require(result)
        #expect(process.errorLines.isEmpty)
        #expect(process.lines.filter { $0.hasPrefix("| ") } == Array(repeating: "| 244 [42]", count: count))
        #expect(Self.numbers(process.lines) == [244 * count, 244, 0])
    }

    @Test(
        "What has not arrived is lost; a device that says that more has arrived has lost nothing",
        arguments: [(0, 1220), (1219, 1), (1220, 0), (1221, 0)]
    )
    func lost(arrived: Int, lost: Int) async throws {
        let result = await #expect(
            processExitsWith: .exitCode(0),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) { [arrived = arrived as Int] in
            try await BenchmarkValuesTests.benchmark(octets: 1220, arrived: arrived, isToDevice: true).passMinute()
        }
        let process = try #require(result)
        #expect(process.errorLines.isEmpty)
        #expect(Self.numbers(process.lines) == [arrived, 244, lost])
    }

    @Test(
        "As many notifications are ordered as hold the octets, and the last of them ends the measurement",
        arguments: [(1, 1), (244, 1), (245, 2), (1220, 5), (1221, 6)]
    )
    func notifications(octets: Int, count: Int) async throws {
        let result = await #expect(
            processExitsWith: .exitCode(0),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) { [octets = octets as Int] in
            try await BenchmarkValuesTests.benchmark(octets: octets, arrived: 0, isToDevice: false).passMinute()
        }
        let process = try #require(result)
        #expect(process.errorLines.isEmpty)
        // Their number in four octets, and their length in two.
        let order = "| order [\(count), 0, 0, 0, 244, 0]"
        #expect(process.lines.filter { $0.hasPrefix("| ") } == [order])
        #expect(Self.numbers(process.lines) == [244 * count, 244, 0])
    }
}
