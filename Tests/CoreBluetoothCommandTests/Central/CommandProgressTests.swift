// How far a command has come, as it is shown at a terminal on standard error, in virtual time: what is counted, of how
// many, while a slow device is discovered, inspected, recorded, read, written and measured.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CoreBluetoothCommand

@Suite("The progress of commands at a terminal")
struct CommandProgressTests {
    /// What is done at a device.
    enum Doing: String, CaseIterable, Codable, Sendable {
        case discover, inspect, record, read, write, benchmarkTo, benchmarkFrom
    }

    // What is done at the end of a program captures nothing; each process has one test, which writes this before that.
    nonisolated(unsafe) private static var pair: PseudoTerminalPair?

    /// Puts a terminal at standard error; what it has got is printed when the program ends, a line for each row.
    private static func openTerminal() throws {
        setenv("TERM", "xterm", 1)
        let pair = try PseudoTerminalPair()
        let slave = open(pair.path, O_RDWR | O_NOCTTY)
        guard dup2(slave, STDERR_FILENO) >= 0 else { exit(2) }
        self.pair = pair
        atexit { CommandProgressTests.tell() }
    }

    private static func tell() {
        guard let pair else { return }
        for row in pair.text().components(separatedBy: "\r\u{1B}[K") where !row.isEmpty {
            Console.print("row " + row)
        }
    }

    // MARK: Devices

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

    /// A device that serves the benchmark: a read takes 1.2 s, and a value of 244 octets comes each 1.5 s.
    private static func benchmarkDevice(_ world: World) -> ScriptedPeripheral {
        let value = Data(repeating: 0x2A, count: 244)
        let characteristics: [ScriptedPeripheral.Characteristic] = [
            .init(
                BenchmarkService.echo,
                properties: .read,
                onRead: { _ in .value(Data([42])).delayed(by: .milliseconds(1200)) }
            ),
            .init(
                BenchmarkService.sink,
                properties: [.read, .writeWithoutResponse],
                onRead: { _ in .value(UInt64(976).littleEndianData) }
            ),
            .init(BenchmarkService.source, properties: .notify, updates: .every(.milliseconds(1500)) { _ in value }),
            .init(BenchmarkService.order, properties: .write),
            .init(BenchmarkService.channel, properties: .read, value: Data([0x80, 0, 1])),
        ]
        var isOrdered = false
        let channel = ScriptedPeripheral.Channel(
            psm: 0x80,
            onData: { data, channel in
                guard !isOrdered else { return }
                isOrdered = true
                // The highest bit of the number of eight octets says who sends.
                let sends = data.count >= 8 && data[data.startIndex + 7] & 0x80 != 0
                guard sends else { return world.after(.milliseconds(1500)) { channel.send(Data([1])) } }
                for number in 1...4 { world.after(.milliseconds(1500 * number)) { channel.send(value) } }
            }
        )
        let service = ScriptedPeripheral.Service(BenchmarkService.uuid, characteristics: characteristics)
        return ScriptedPeripheral(name: "Peer", services: [service], channels: [channel])
    }

    // MARK: The tool

    @MainActor
    private static func start(_ doing: Doing) throws -> SessionRun {
        var run = SessionRun()
        let isBenchmark = doing == .benchmarkTo || doing == .benchmarkFrom
        run.world.addPeripheral(isBenchmark ? benchmarkDevice(run.world) : slowDevice())
        let output = OutputFormat(isJSON: true, isVerbose: false)
        let plan = BenchmarkRun.Plan(
            reads: 4,
            octets: 976,
            isToDevice: doing == .benchmarkTo,
            isFromDevice: doing == .benchmarkFrom,
            wanted: try ConnectionParameterOptions.parse([])
        )
        try run.start(on: run.world.addDevice("tool")) {
            let central = Central(output: output)
            try DeviceOptions.parse(["Peer"]).start(central) { central, peripheral in
                switch doing {
                case .discover: try await DeviceConnection(central, peripheral, output: output).discover()
                case .inspect: try await Self.perform("discover", central, peripheral, output)
                case .read: try await Self.perform("read FFF1", central, peripheral, output)
                case .write: try await Self.perform("write FFF1 05", central, peripheral, output)
                case .record:
                    let recording = DeviceRecording(central: central, output: output)
                    try await recording.explore(peripheral)
                    try await recording.listen(2.9)
                case .benchmarkTo, .benchmarkFrom:
                    try await BenchmarkRun(central: central, peripheral: peripheral, output: output).run(plan)
                }
            }
            return central
        }
        return run
    }

    @MainActor
    private static func perform(
        _ line: String,
        _ central: Central,
        _ peripheral: CBPeripheral,
        _ output: OutputFormat
    ) async throws {
        let connection = DeviceConnection(central, peripheral, output: output, isSession: true)
        guard case .action(let action)? = try SessionCommands.parse(line) else { throw Failure("there is no action") }
        try await action.run(on: connection)
    }

    /// The rows that a terminal has shown, one behind the other, up to what was counted.
    private func rows(_ doing: Doing) async throws -> [String] {
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            [doing = doing as Doing] in
            try CommandProgressTests.openTerminal()
            let run = try await CommandProgressTests.start(doing)
            run.world.advance(by: .seconds(300))
            exit(99)
        }
        let lines = try #require(result).lines
        var rows: [String] = []
        for line in lines where line.hasPrefix("row ") {
            let row = String(line.dropFirst(4))
            let counted = row.firstMatch(of: #/^.*: \d+ of \d+ [a-z]+/#).map { String($0.output) } ?? row
            if rows.last != counted { rows.append(counted) }
        }
        return rows
    }

    @Test(
        "The services of a device are counted, from none on",
        arguments: [(.discover, "discovering"), (.inspect, "inspecting")] as [(Doing, String)]
    )
    func services(doing: Doing, label: String) async throws {
        #expect(try await rows(doing) == (0...3).map { "\(label): \($0) of 4 services" })
    }

    @Test("A recording counts the services, and then says how long it takes what is sent")
    func recording() async throws {
        let services = (0...3).map { "recording: \($0) of 4 services" }
        let times = ["taking what it sends: 1 s, 1 s left", "taking what it sends: 2 s, 0 s left"]
        #expect(try await rows(.record) == services + times)
    }

    @Test("A read and a write that take long are named", arguments: [Doing.read, .write])
    func value(doing: Doing) async throws {
        #expect(try await rows(doing) == [doing == .read ? "reading FFF1: 1 s" : "writing FFF1: 1 s"])
    }

    @Test("A benchmark counts its reads, and the octets that have come from the device, of those that are to come")
    func benchmarkFrom() async throws {
        let reads = (0...3).map { "reading: \($0) of 4 reads" }
        let notifications = [0, 244, 488, 732].map { "notifications: \($0) of 976 octets" }
        let channel = [0, 244, 488, 732].map { "L2CAP channel, from the device: \($0) of 976 octets" }
        #expect(try await rows(.benchmarkFrom) == reads + notifications + channel)
    }

    @Test("What is sent on a channel at once is not counted as sent before it is")
    func benchmarkTo() async throws {
        let reads = (0...3).map { "reading: \($0) of 4 reads" }
        #expect(try await rows(.benchmarkTo) == reads + ["L2CAP channel, to the device: 0 of 976 octets"])
    }
}
