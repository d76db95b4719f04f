// `corebluetooth benchmark`: how fast a link to a real peer is.

import ArgumentParser
import BluetoothTypes
import CommandLineTool
import CoreBluetooth
import Foundation
import TerminalScreen

/// The command `corebluetooth benchmark`.
struct BenchmarkCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "benchmark",
        abstract: "Measure throughput and latency to a device.",
        discussion: """
            The device runs "corebluetooth advertise --benchmark". Measured are reads (their time there and back), \
            writes without response, notifications, and an L2CAP channel in both directions; what is counted has \
            arrived at the other side.
            """
    )

    @OptionGroup var device: DeviceOptions

    @Option(parsing: .unconditional, help: ArgumentHelp("The number of reads.", valueName: "n"))
    var reads = 200

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The data to send in each direction, in KiB.", valueName: "KiB")
    )
    var size = 256

    @Option(help: "to: only what is sent to the device; from: only what comes from it.")
    var direction = Direction.both

    @Option(help: ArgumentHelp("Ask for this PHY: 1m, 2m or coded.", valueName: "phy"))
    var phy: PHYName?

    @OptionGroup var wanted: ConnectionParameterOptions
    @OptionGroup var radio: RadioOptions
    @OptionGroup var output: OutputOptions

    /// The direction to measure.
    enum Direction: String, ExpressibleByArgument, CaseIterable {
        case to, from, both
    }

    func validate() throws {
        guard (1...1_000_000).contains(reads) else { throw ValidationError("The reads are 1 to 1000000.") }
        guard (1...1_048_576).contains(size) else { throw ValidationError("The size is 1 to 1048576 KiB.") }
    }

    func run() throws {
        let (plan, output) = (plan, output.format)
        try device.run(radio, output) { central, peripheral in
            try await BenchmarkRun(central: central, peripheral: peripheral, output: output).run(plan)
        }
    }

    /// The measurements that the options ask for.
    var plan: BenchmarkRun.Plan {
        BenchmarkRun.Plan(
            reads: reads,
            octets: size * 1024,
            isToDevice: direction != .from,
            isFromDevice: direction != .to,
            phys: phy?.phys,
            wanted: wanted
        )
    }
}

/// The measurements over one link.
@MainActor
struct BenchmarkRun {
    /// The measurements and their options.
    struct Plan: Sendable {
        var reads: Int
        var octets: Int
        var isToDevice: Bool
        var isFromDevice: Bool
        var phys: PHYSet?
        var wanted: ConnectionParameterOptions
    }

    let central: Central
    let peripheral: CBPeripheral
    let output: OutputFormat

    func run(_ plan: Plan) async throws {
        guard let service = try await central.discoverServices([BenchmarkService.uuid]).first else {
            throw Failure(
                "\(Central.name(peripheral)) does not serve the benchmark; start there: corebluetooth advertise --benchmark"
            )
        }
        let characteristics = try await central.discoverCharacteristics(of: service)
        func find(_ uuid: CBUUID) throws -> CBCharacteristic {
            guard let found = characteristics.first(where: { $0.uuid == uuid }) else {
                throw Failure("\(Central.name(peripheral)) serves another version of the benchmark")
            }
            return found
        }
        try await prepare(plan)
        try await measureReads(plan.reads, try find(BenchmarkService.echo))
        if plan.isToDevice { try await measureWrites(plan.octets, try find(BenchmarkService.sink)) }
        if plan.isFromDevice {
            let source = try find(BenchmarkService.source)
            try await measureNotifications(plan.octets, source, try find(BenchmarkService.order))
        }
        let channel = try await central.read(try find(BenchmarkService.channel))
        let psm = CBL2CAPPSM(littleEndianData: channel)
        guard psm != 0 else { return }
        if plan.isToDevice { try await measureChannel(plan.octets, psm, isToDevice: true) }
        // An earlier version only receives on its channel.
        if plan.isFromDevice, channel.count > 2 { try await measureChannel(plan.octets, psm, isToDevice: false) }
    }

    /// Asks for PHYs and parameters, and shows those that the link has then.
    private func prepare(_ plan: Plan) async throws {
        if let phys = plan.phys { _ = try await central.setPHYs(phys) }
        var link = try await central.linkParameters()
        if !plan.wanted.isEmpty {
            link.timing = try await central.updateConnection(try plan.wanted.parameters(changing: link.timing))
        }
        output.print(
            "link",
            [
                ("transmitter", .string(link.phys.transmitter.description)),
                ("receiver", .string(link.phys.receiver.description)), ("mtu", .integer(link.mtu)),
            ] + LinkText.details(link.timing),
            line:
                "PHY \(link.phys.transmitter) and \(link.phys.receiver), MTU \(link.mtu), \(LinkText.line(link.timing))"
        )
    }

    private func measureReads(_ count: Int, _ echo: CBCharacteristic) async throws {
        var times: [Double] = []
        try await ProgressLine.during("reading", .items("reads"), total: count) { progress in
            for number in 0..<count {
                progress.update(number)
                let start = DispatchTime.now()
                _ = try await central.read(echo)
                times.append(Double(DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds) / 1e6)
            }
        }
        let latency = Latency(milliseconds: times)
        let histogram = latency.histogram(8)
        let ranges = histogram.map { entry in
            JSONValue.object([
                ("from", .number(entry.range.lowerBound)), ("to", .number(entry.range.upperBound)),
                ("count", .integer(entry.count)),
            ])
        }
        guard case .object(let details) = latency.json else { return }
        let label = "read, 20 octets, \(count) times"
        let first = LatencyText.fields(label, LatencyText.line(latency), columns: Terminal.output.width)
        output.print(
            "result",
            [("test", "read")] + details + [("histogram", .array(ranges))],
            line: ([first] + LatencyText.bars(histogram, columns: (Terminal.output.width ?? 81) - 1)).joined(
                separator: "\n"
            )
        )
    }

    private func measureWrites(_ octets: Int, _ sink: CBCharacteristic) async throws {
        let length = peripheral.maximumWriteValueLength(for: .withoutResponse)
        let value = Data(repeating: 0x2A, count: length)
        // The counter starts at zero.
        _ = try await central.read(sink)
        let start = Date()
        var sent = 0
        try await ProgressLine.during("writing without response", .octets, total: octets) { progress in
            while sent < octets {
                try await central.writeWithoutResponse(value, to: sink)
                sent += length
                progress.update(sent)
            }
        }
        // The answer comes after everything that was written.
        let arrived = Int(clamping: UInt64(littleEndianData: try await central.read(sink)))
        let lost = max(0, sent - arrived)
        report("writeWithoutResponse", "write without response", arrived, length, start, isToDevice: true, lost: lost)
    }

    private func measureNotifications(_ octets: Int, _ source: CBCharacteristic, _ order: CBCharacteristic) async throws
    {
        try await central.setNotifying(true, source)
        // A notification carries as much as a write: the MTU less three octets.
        let length = peripheral.maximumWriteValueLength(for: .withoutResponse)
        let count = (octets + length - 1) / length
        var arrived = 0
        let done = TimedWait()
        let start = Date()
        try await ProgressLine.during("notifications", .octets, total: count * length) { progress in
            central.onValue = { _, data in
                arrived += data.count
                progress.update(arrived)
                if arrived >= count * length { done.end(.success(())) }
            }
            central.onDisconnection = { reason in
                done.end(.failure(Failure("the device has disconnected: \(reason)")))
            }
            try await central.write(UInt32(count).littleEndianData + UInt16(length).littleEndianData, to: order)
            if arrived < count * length {
                try await done.wait(
                    600,
                    late: Failure("\(count * length - arrived) octets of notifications did not come")
                ) {}
            }
        }
        report("notification", "notification", arrived, length, start, isToDevice: false, lost: 0)
        try await central.setNotifying(false, source)
    }

    private func measureChannel(_ octets: Int, _ psm: CBL2CAPPSM, isToDevice: Bool) async throws {
        let channel = try await central.openChannel(psm)
        let start = Date()
        let words = "L2CAP channel, \(isToDevice ? "to" : "from") the device"
        try await ProgressLine.during(words, .octets, total: octets) { progress in
            try await BenchmarkChannel(channel, octets: octets, isToDevice: isToDevice, progress: progress).run()
        }
        report("l2cap", words, octets, nil, start, isToDevice: isToDevice, lost: 0)
    }

    private func report(
        _ test: String,
        _ words: String,
        _ octets: Int,
        _ length: Int?,
        _ start: Date,
        isToDevice: Bool,
        lost: Int
    ) {
        let seconds = max(Date().timeIntervalSince(start), 1e-9)
        let rate = Double(octets) * 8 / seconds
        let label = words + (length.map { ", \($0) octets" } ?? "")
        let packets = length.map { ", \(Int((Double(octets / $0) / seconds).rounded()))/s" } ?? ""
        output.print(
            "result",
            [
                ("test", .string(test)), ("direction", isToDevice ? "to" : "from"), ("octets", .integer(octets)),
                ("length", JSONValue(length)), ("lost", .integer(lost)), ("seconds", .number(seconds)),
                ("bitsPerSecond", .number(rate.rounded())),
            ],
            line: LatencyText.fields(
                label,
                "\(LatencyText.number(rate / 1000)) kbit/s\(packets) (\(octets) octets in "
                    + "\(LatencyText.duration(seconds)))" + (lost > 0 ? ", \(lost) octets lost" : ""),
                columns: Terminal.output.width
            )
        )
    }
}
