// `corebluetooth benchmark`: how fast a link to a real peer is.

import ArgumentParser
import CommandLineTool
import CoreBluetooth
import Foundation

/// The command `corebluetooth benchmark`.
struct BenchmarkCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "benchmark",
        abstract: "Measure throughput and latency to a device.",
        discussion: """
            The device runs "corebluetooth advertise --benchmark". Measured are reads (their time there and back), \
            writes without response, notifications, and an L2CAP channel; what is counted has arrived at the other side.
            """
    )

    @OptionGroup var device: DeviceOptions

    @Option(parsing: .unconditional, help: ArgumentHelp("How many reads.", valueName: "n"))
    var reads = 200

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("How many octets to send in each direction, in KiB.", valueName: "KiB")
    )
    var size = 256

    @OptionGroup var radio: RadioOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...1_000_000).contains(reads) else { throw ValidationError("The reads are 1 to 1000000.") }
        guard (1...1_048_576).contains(size) else { throw ValidationError("The size is 1 to 1048576 KiB.") }
    }

    func run() throws {
        let (reads, octets, output) = (reads, size * 1024, output.format)
        try device.run(radio, output) { central, peripheral in
            try await BenchmarkRun(central: central, peripheral: peripheral, output: output)
                .run(reads: reads, octets: octets)
        }
    }
}

/// The measurements over one link.
@MainActor
private struct BenchmarkRun {
    let central: Central
    let peripheral: CBPeripheral
    let output: OutputFormat

    func run(reads: Int, octets: Int) async throws {
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
        try await measureReads(reads, try find(BenchmarkService.echo))
        try await measureWrites(octets, try find(BenchmarkService.sink))
        try await measureNotifications(octets, try find(BenchmarkService.source), try find(BenchmarkService.order))
        let psm = CBL2CAPPSM(littleEndianData: try await central.read(try find(BenchmarkService.channel)))
        if psm != 0 { try await measureChannel(octets, psm) }
    }

    private func measureReads(_ count: Int, _ echo: CBCharacteristic) async throws {
        var times: [Double] = []
        for _ in 0..<count {
            let start = Date()
            _ = try await central.read(echo)
            times.append(Date().timeIntervalSince(start) * 1000)
        }
        let latency = Latency(milliseconds: times)
        output.print(
            "result",
            [
                ("test", "read"), ("count", .integer(count)), ("median", .number(latency.median)),
                ("percentile95", .number(latency.percentile95)), ("unit", "ms"),
            ],
            line:
                "read, 20 octets                median \(Self.number(latency.median)) ms, 95 % within \(Self.number(latency.percentile95)) ms (\(count) reads)"
        )
    }

    private func measureWrites(_ octets: Int, _ sink: CBCharacteristic) async throws {
        let length = peripheral.maximumWriteValueLength(for: .withoutResponse)
        let value = Data(repeating: 0x2A, count: length)
        // The counter starts at zero.
        _ = try await central.read(sink)
        let start = Date()
        var sent = 0
        while sent < octets {
            try await central.writeWithoutResponse(value, to: sink)
            sent += length
        }
        // The answer comes behind all that was written.
        let arrived = Int(UInt64(littleEndianData: try await central.read(sink)))
        report("writeWithoutResponse", "write without response", arrived, length, start, lost: sent - arrived)
    }

    private func measureNotifications(_ octets: Int, _ source: CBCharacteristic, _ order: CBCharacteristic) async throws
    {
        try await central.setNotifying(true, source)
        // A notification carries as much as a write: the MTU less three octets.
        let length = min(512, peripheral.maximumWriteValueLength(for: .withoutResponse))
        let count = (octets + length - 1) / length
        var arrived = 0
        let done = PendingAnswer()
        let start = Date()
        central.onValue = { _, data in
            arrived += data.count
            if arrived >= count * length { done.end(.success(())) }
        }
        central.onDisconnection = { reason in done.end(.failure(Failure("the device has disconnected: \(reason)"))) }
        try await central.write(UInt32(count).littleEndianData + UInt16(length).littleEndianData, to: order)
        if arrived < count * length {
            try await done.wait(600, late: Failure("\(count * length - arrived) octets of notifications did not come"))
            {}
        }
        report("notification", "notification", arrived, length, start, lost: 0)
        try await central.setNotifying(false, source)
    }

    private func measureChannel(_ octets: Int, _ psm: CBL2CAPPSM) async throws {
        let channel = try await central.openChannel(psm)
        let source = ChannelSource(channel, octets: octets)
        let start = Date()
        try await source.run()
        report("l2cap", "L2CAP channel", octets, nil, start, lost: 0)
        source.close()
    }

    private func report(_ test: String, _ words: String, _ octets: Int, _ length: Int?, _ start: Date, lost: Int) {
        let seconds = max(Date().timeIntervalSince(start), 1e-9)
        let rate = Double(octets) * 8 / seconds
        let label = words + (length.map { ", \($0) octets" } ?? "")
        let padded = label + String(repeating: " ", count: max(1, 31 - label.count))
        let packets = length.map { ", \(Int((Double(octets / $0) / seconds).rounded()))/s" } ?? ""
        output.print(
            "result",
            [
                ("test", .string(test)), ("octets", .integer(octets)), ("length", JSONValue(length)),
                ("lost", .integer(lost)), ("seconds", .number(seconds)), ("bitsPerSecond", .number(rate.rounded())),
            ],
            line:
                "\(padded)\(Self.number(rate / 1000)) kbit/s\(packets) (\(octets) octets in \(Self.number(seconds)) s)"
                + (lost > 0 ? ", \(lost) octets lost" : "")
        )
    }

    private static func number(_ value: Double) -> String {
        String(format: value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f", value)
    }
}

/// The spread of times.
struct Latency {
    var median: Double
    var percentile95: Double

    /// Of at least one time.
    init(milliseconds: [Double]) {
        let sorted = milliseconds.sorted()
        func at(_ share: Double) -> Double {
            sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, Int((Double(sorted.count) * share).rounded(.down)))]
        }
        median = at(0.5)
        percentile95 = at(0.95)
    }
}

/// Sends on a channel, and waits for the octet that confirms all of it.
@MainActor
private final class ChannelSource: NSObject, @preconcurrency StreamDelegate {
    private let channel: CBL2CAPChannel
    private var rest: Data
    private var left: Int
    private let done = PendingAnswer()
    private static let chunk = Data(repeating: 0x2A, count: 64 * 1024)

    init(_ channel: CBL2CAPChannel, octets: Int) {
        self.channel = channel
        rest = UInt64(octets).littleEndianData
        left = octets
        super.init()
    }

    func run() async throws {
        try await done.wait(600, late: Failure("the channel did not take \(self.left) octets")) {
            channel.open(for: self)
        }
    }

    func close() { channel.close() }

    func stream(_ stream: Stream, handle event: Stream.Event) {
        switch event {
        case .hasSpaceAvailable: send()
        case .hasBytesAvailable:
            var octet: UInt8 = 0
            if channel.inputStream?.read(&octet, maxLength: 1) == 1 { done.end(.success(())) }
        case .endEncountered, .errorOccurred: done.end(.failure(Failure("the channel was closed")))
        default: break
        }
    }

    private func send() {
        while let output = channel.outputStream, output.hasSpaceAvailable {
            if rest.isEmpty {
                guard left > 0 else { return }
                rest = Self.chunk.prefix(left)
                left -= rest.count
            }
            let count = rest.withUnsafeBytes { octets in
                octets.bindMemory(to: UInt8.self).baseAddress.map { output.write($0, maxLength: octets.count) } ?? 0
            }
            guard count > 0 else { return }
            rest = Data(rest.dropFirst(count))
        }
    }
}
