// `corebluetooth benchmark` with devices that do not do their part, in virtual time: when it ends, and what it says.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CoreBluetoothCommand

@Suite("The session of corebluetooth benchmark")
struct BenchmarkSessionTests {
    /// What the device does not do.
    enum Fault: String, CaseIterable, Codable, Sendable {
        case hasNoService, isOfOtherVersion, losesWrites, takesWrites, sendsNothing, leaves

        /// The one line on standard error, where there is one.
        var errorLine: String? {
            switch self {
            case .hasNoService:
                "\"Peer\" does not serve the benchmark; start there: corebluetooth advertise --benchmark"
            case .isOfOtherVersion: "\"Peer\" serves another version of the benchmark"
            case .losesWrites, .takesWrites: nil
            // Five of 244 octets.
            case .sendsNothing: "1220 octets of notifications did not come"
            case .leaves: "the device has disconnected: The connection has timed out unexpectedly"
            }
        }

        /// The characteristics of the service.
        var characteristics: [ScriptedPeripheral.Characteristic] {
            let echo = ScriptedPeripheral.Characteristic(BenchmarkService.echo, properties: .read, value: Data([42]))
            guard self != .isOfOtherVersion else { return [echo] }
            return [
                echo, .init(BenchmarkService.sink, properties: [.read, .writeWithoutResponse], onRead: { _ in sink }),
                .init(BenchmarkService.source, properties: .notify), .init(BenchmarkService.order, properties: .write),
                .init(BenchmarkService.channel, properties: .read, value: Data([0, 0, 1])),
            ]
        }

        /// How many octets came: less than were sent, or all of them.
        private var sink: ScriptedPeripheral.Answer {
            .value(UInt64(self == .takesWrites ? 1220 : 900).littleEndianData)
        }
    }

    @MainActor
    private static func benchmark(_ fault: Fault) throws -> SessionRun {
        var run = SessionRun()
        let service = ScriptedPeripheral.Service(
            fault == .hasNoService ? CBUUID(string: "FFF0") : BenchmarkService.uuid,
            characteristics: fault.characteristics
        )
        let peer = run.world.addPeripheral(ScriptedPeripheral(name: "Peer", services: [service]))
        if fault == .leaves { run.world.after(.seconds(30)) { peer.isPowered = false } }
        let output = OutputFormat(isJSON: false, isVerbose: false)
        try run.start(on: run.world.addDevice("tool")) {
            let central = Central(output: output)
            let plan = BenchmarkRun.Plan(
                reads: 2,
                octets: 1024,
                isToDevice: fault == .losesWrites || fault == .takesWrites,
                isFromDevice: fault != .losesWrites && fault != .takesWrites,
                wanted: try ConnectionParameterOptions.parse([])
            )
            try DeviceOptions.parse(["Peer"]).start(central) { central, peripheral in
                try await BenchmarkRun(central: central, peripheral: peripheral, output: output).run(plan)
            }
            return central
        }
        return run
    }

    @Test("A device that lacks something, leaves or sends nothing ends it with the reason", arguments: Fault.allCases)
    func faults(fault: Fault) async throws {
        let result = await #expect(
            processExitsWith: fault.errorLine == nil ? .exitCode(0) : .exitCode(1),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) { [fault] in
            let run = try await BenchmarkSessionTests.benchmark(fault)
            run.mark("half a minute", at: 30)
            run.mark("ten minutes", at: 600)
            run.world.advance(by: .seconds(700))
            exit(99)
        }
        let process = try #require(result)
        #expect(process.errorLines == (fault.errorLine.map { [$0] } ?? []))
        let marks = process.lines.filter { $0.contains("minute") }
        switch fault {
        case .hasNoService: #expect(process.lines.isEmpty)
        case .isOfOtherVersion: #expect(marks.isEmpty)
        case .losesWrites, .takesWrites:
            #expect(marks.isEmpty)
            let isLossSaid = process.lines.last?.contains(" octets lost")
            #expect(isLossSaid == (fault == .losesWrites), "\(process.lines)")
        case .sendsNothing: #expect(marks == ["half a minute", "ten minutes"])
        case .leaves: #expect(marks == ["half a minute"])
        }
    }
}
