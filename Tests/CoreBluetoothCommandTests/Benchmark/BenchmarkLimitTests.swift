// How long `corebluetooth benchmark` waits for a device that does not do its part, to a tenth of a second in virtual
// time: for notifications, and for the end of a transfer on the channel.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CoreBluetoothCommand

@Suite("The limits of corebluetooth benchmark")
struct BenchmarkLimitTests {
    /// A device that neither notifies nor confirms.
    private static func silent() -> ScriptedPeripheral {
        let count = UInt64(1220).littleEndianData
        let characteristics: [ScriptedPeripheral.Characteristic] = [
            .init(BenchmarkService.echo, properties: .read, value: Data([42])),
            .init(
                BenchmarkService.sink,
                properties: [.read, .writeWithoutResponse],
                onRead: { _ in .value(count) }
            ),
            .init(BenchmarkService.source, properties: .notify), .init(BenchmarkService.order, properties: .write),
            .init(BenchmarkService.channel, properties: .read, value: Data([0x80, 0, 1])),
        ]
        let service = ScriptedPeripheral.Service(BenchmarkService.uuid, characteristics: characteristics)
        let channel = ScriptedPeripheral.Channel(psm: 0x80, onData: { _, _ in })
        return ScriptedPeripheral(name: "Peer", services: [service], channels: [channel])
    }

    @MainActor
    private static func benchmark(isToDevice: Bool) throws -> SessionRun {
        var run = SessionRun()
        run.world.addPeripheral(silent())
        try run.startBenchmark(octets: 1024, isToDevice: isToDevice, isFromDevice: !isToDevice)
        return run
    }

    @Test("Notifications, and a transfer on the channel, have 600 s each", arguments: [false, true])
    func limit(isToDevice: Bool) async throws {
        let result = await #expect(
            processExitsWith: .exitCode(1),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) { [isToDevice = isToDevice as Bool] in
            let run = try await BenchmarkLimitTests.benchmark(isToDevice: isToDevice)
            for tenth in Array(1...80) + Array(6000...6100) { run.mark("- \(tenth)", at: Double(tenth) / 10) }
            run.world.advance(by: .seconds(700))
            exit(99)
        }
        let process = try #require(result)
        let silence = "the channel did not carry 1024 octets within 600 s"
        #expect(
            process.errorLines == [isToDevice ? silence : "1220 octets of notifications did not come"]
        )
        // The wait begins some connection events behind the last result.
        let lastResult = try #require(process.lines.lastIndex { $0.contains(#""event":"result""#) })
        let start = try #require(Self.time(process.lines[..<lastResult]))
        let end = try #require(Self.time(process.lines[...]))
        #expect((6000...6009).contains(end - start), "\(start) \(end)")
    }

    /// The tenth of a second that was marked last.
    private static func time(_ lines: ArraySlice<String>) -> Int? {
        lines.last { $0.hasPrefix("- ") }.flatMap { Int($0.dropFirst(2)) }
    }
}
