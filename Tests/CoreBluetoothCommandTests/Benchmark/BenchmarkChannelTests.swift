// The L2CAP channel of `corebluetooth benchmark` at devices that do not serve it as ours does, in virtual time: an
// earlier version that only receives, one that sends nothing, and one that closes the channel.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CoreBluetoothCommand

@Suite("The channel of corebluetooth benchmark")
struct BenchmarkChannelTests {
    /// How the device serves its channel.
    enum Service: String, CaseIterable, Codable, Sendable {
        case receives, receivesAlone, isSilent, closes

        /// The value that says which channel there is: its PSM, and whether it serves both directions.
        var channel: Data { self == .receivesAlone ? Data([0x80, 0]) : Data([0x80, 0, 1]) }

        @MainActor
        var script: ScriptedPeripheral {
            let values = Data(repeating: 0x2A, count: 200)
            // All that is sent has arrived: five values of 244 octets.
            let count = UInt64(1220).littleEndianData
            let characteristics: [ScriptedPeripheral.Characteristic] = [
                .init(BenchmarkService.echo, properties: .read, value: Data([42])),
                .init(
                    BenchmarkService.sink,
                    properties: [.read, .writeWithoutResponse],
                    onRead: { _ in .value(count) }
                ),
                .init(BenchmarkService.source, properties: .notify, updates: .every(.milliseconds(50)) { _ in values }),
                .init(BenchmarkService.order, properties: .write),
                .init(BenchmarkService.channel, properties: .read, value: self.channel),
            ]
            let service = ScriptedPeripheral.Service(BenchmarkService.uuid, characteristics: characteristics)
            let served = ScriptedPeripheral.Channel(
                psm: 0x80,
                onData: { _, channel in
                    switch self {
                    case .receives, .receivesAlone: channel.send(Data([1]))
                    case .isSilent: break
                    case .closes: channel.close()
                    }
                }
            )
            return ScriptedPeripheral(name: "Peer", services: [service], channels: [served])
        }
    }

    @MainActor
    private static func benchmark(_ service: Service, isToDevice: Bool, isFromDevice: Bool) throws -> SessionRun {
        var run = SessionRun()
        run.world.addPeripheral(service.script)
        try run.startBenchmark(octets: 1024, isToDevice: isToDevice, isFromDevice: isFromDevice)
        return run
    }

    /// The results in their order.
    private static func results(_ lines: [String]) -> [String] {
        lines.compactMap { line -> String? in
            let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            guard object?["event"] as? String == "result" else { return nil }
            let parts = ["test", "direction"].compactMap { object?[$0] as? String }
            return parts.joined(separator: " ")
        }
    }

    @Test("A device whose channel only receives is sent to, and is not asked to send")
    func earlierVersion() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(0),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            let run = try await BenchmarkChannelTests.benchmark(.receivesAlone, isToDevice: true, isFromDevice: true)
            run.passMinute()
        }
        let process = try #require(result)
        #expect(process.errorLines.isEmpty)
        #expect(
            Self.results(process.lines) == ["read", "writeWithoutResponse to", "notification from", "l2cap to"]
        )
    }

    @Test(
        "What the channel does not carry ends it: after 600 s where nothing comes, at once where the channel is closed",
        arguments: [
            (.isSilent, true), (.isSilent, false), (.receives, false), (.closes, true), (.closes, false),
        ] as [(Service, Bool)]
    )
    func failures(service: Service, isToDevice: Bool) async throws {
        let result = await #expect(
            processExitsWith: .exitCode(1),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) { [service = service as Service, isToDevice = isToDevice as Bool] in
            let run = try await BenchmarkChannelTests.benchmark(
                service,
                isToDevice: isToDevice,
                isFromDevice: !isToDevice
            )
            for seconds in [30, 600, 640] { run.mark("- \(seconds)", at: Double(seconds)) }
            run.world.advance(by: .seconds(700))
            exit(99)
        }
        let process = try #require(result)
        let silence = "the channel did not carry 1024 octets within 600 s"
        #expect(process.errorLines == [service == .closes ? "the channel was closed" : silence])
        let marks = process.lines.filter { $0.hasPrefix("- ") }
        #expect(marks == (service == .closes ? [] : ["- 30", "- 600"]))
        #expect(Self.results(process.lines).count == 2)
    }
}
