// The subscriptions of `corebluetooth subscribe`: one central for each device, which finds it, connects, subscribes,
// and begins anew when the connection is lost.

import CommandLineTool
import CoreBluetooth
import Foundation

/// Subscriptions to characteristics of several devices.
@MainActor
final class Subscriptions {
    /// What to subscribe to, and for how long.
    struct Plan {
        var devices: [String]
        var pick = DevicePick.only
        /// The seconds for finding a device, and for connecting to it.
        var timeout = 10.0
        var characteristics: [AttributeQuery]
        var service: CBUUID?
        /// The type as which values are printed; `nil` for the octets and what they mean.
        var type: ValueType?
        /// The number of values to print; `nil` for all.
        var count: Int?
        /// The seconds until the end; `nil` for none.
        var duration: TimeInterval?
        var reconnects = true
    }

    private let plan: Plan
    private let output: OutputFormat
    private let devices: [(name: String, central: Central)]
    private let finished = TimedWait()
    private var left: Int?
    private var isOver = false

    /// The seconds between two attempts to reach a device.
    var retryInterval = 1.0

    /// - Parameter makeCentral: Makes the central of a device.
    init(_ plan: Plan, _ output: OutputFormat, _ makeCentral: @MainActor () -> Central) {
        self.plan = plan
        self.output = output
        devices = plan.devices.map { ($0, makeCentral()) }
        left = plan.count
    }

    /// Runs, and ends the program.
    func start() {
        Task { @MainActor in
            do {
                try await run()
                Ending.succeed()
            } catch {
                output.fail(failure(for: error))
            }
        }
    }

    /// Runs until all values have come, the time is over, or a device could not be used.
    func run() async throws {
        let limit = plan.duration.map { Deadline(after: $0) { [finished] in finished.end(.success(())) } }
        for (name, central) in devices {
            Task { @MainActor in
                do { try await serve(name, central) } catch {
                    finished.end(.failure(central.failure(for: error, device: name)))
                }
            }
        }
        defer {
            isOver = true
            limit?.cancel()
        }
        try await finished.wait(nil, late: Failure("")) {}
        isOver = true
        for (_, central) in devices { await central.disconnect() }
    }

    private func failure(for error: any Error) -> Failure {
        error as? Failure ?? Failure(ErrorText.text(error), Failure.Kind(error))
    }

    /// Subscribes at one device, again and again.
    private func serve(_ name: String, _ central: Central) async throws {
        try await central.start(timeout: plan.timeout)
        var attempts = Attempts(device: name, output: output)
        while !isOver {
            var isConnected = false
            do {
                try await central.waitUntilReady()
                let peripheral = try await connect(name, central)
                isConnected = true
                let connection = DeviceConnection(central, peripheral, output: output)
                let subscribed = try await subscribe(connection)
                attempts.succeeded(connection, subscribed)
                try await connection.waitForValues()
            } catch {
                guard !isOver else { return }
                let failure = central.failure(for: error, device: name)
                guard plan.reconnects, attempts.hasSucceeded, isTemporary(failure.kind, isConnected) else {
                    throw error
                }
                let isLoss = attempts.failed(failure, central.peripheral)
                await central.disconnect()
                if !isLoss { await pause() }
            }
        }
    }

    /// Whether another attempt may succeed. A device that refuses, or no longer has the characteristics, does so again.
    private func isTemporary(_ kind: Failure.Kind, _ isConnected: Bool) -> Bool {
        switch kind {
        case .timedOut, .noBluetooth, .notConnected: true
        case .notFound, .other: !isConnected
        case .refused: false
        }
    }

    private func connect(_ name: String, _ central: Central) async throws -> CBPeripheral {
        let peripheral = try await central.find(DeviceQuery(name), plan.pick, timeout: plan.timeout)
        try await central.connect(peripheral, timeout: plan.timeout)
        return peripheral
    }

    private func subscribe(_ connection: DeviceConnection) async throws -> [CBCharacteristic] {
        var found: [CBCharacteristic] = []
        for query in plan.characteristics {
            guard let characteristic = try await connection.characteristic(query, of: plan.service) else {
                guard devices.count > 1 else {
                    throw Failure.missing(characteristic: query.text, service: plan.service?.uuidString)
                }
                continue
            }
            found.append(characteristic)
        }
        guard !found.isEmpty else {
            let all = plan.characteristics.map(\.text).joined(separator: ", ")
            throw Failure.missing(characteristic: all, service: plan.service?.uuidString)
        }
        let printer = ValuePrinter(
            type: plan.type,
            output: output,
            namesDevice: devices.count > 1,
            namesCharacteristic: plan.characteristics.count > 1,
            namesHandle: Set(found.map(\.uuid)).count < found.count
        )
        for characteristic in found {
            try await connection.subscribe(to: characteristic) { [weak self] data, characteristic in
                self?.received(data, characteristic, printer)
            }
        }
        return found
    }

    private func received(_ data: Data, _ characteristic: CBCharacteristic, _ printer: ValuePrinter) {
        guard !isOver, left != 0 else { return }
        printer.print(data, of: characteristic)
        guard let count = left else { return }
        left = count - 1
        if count == 1 { finished.end(.success(())) }
    }

    private func pause() async {
        await withCheckedContinuation { continuation in
            _ = Deadline(after: retryInterval) { continuation.resume() }
        }
    }
}

/// The attempts to use a device, and what is said about them: a loss, and the return, each once.
@MainActor
private struct Attempts {
    private enum State {
        case first
        case subscribed
        case lost(Date, String)
    }

    let device: String
    let output: OutputFormat
    private var state = State.first

    init(device: String, output: OutputFormat) { (self.device, self.output) = (device, output) }

    var hasSucceeded: Bool {
        if case .first = state { false } else { true }
    }

    /// The characteristics are subscribed to.
    mutating func succeeded(_ connection: DeviceConnection, _ characteristics: [CBCharacteristic]) {
        let uuids = characteristics.map(\.uuid.uuidString)
        output.print(
            "subscribed",
            Record.head(connection.peripheral) + [("characteristics", .array(uuids.map { .string($0) }))],
            line: nil
        )
        if case .lost(let since, _) = state {
            let seconds = SecondsText.text(max(0, (Date().timeIntervalSince(since) * 10).rounded() / 10))
            Console.report("\(Self.clock()) \(Central.name(connection.peripheral)) is back after \(seconds)")
        }
        output.report("subscribed to \(uuids.joined(separator: ", "))")
        state = .subscribed
    }

    /// A connection was lost, or could not be made; returns whether it was there before.
    mutating func failed(_ failure: Failure, _ peripheral: CBPeripheral?) -> Bool {
        switch state {
        case .first, .subscribed:
            state = .lost(Date(), failure.line)
            report(failure, peripheral)
            return true
        case .lost(let since, let line):
            // The same reason is said once.
            if line != failure.line { report(failure, peripheral) }
            state = .lost(since, failure.line)
            return false
        }
    }

    private func report(_ failure: Failure, _ peripheral: CBPeripheral?) {
        output.print(
            "lost",
            Record.head(peripheral) + [
                ("kind", .string(String(describing: failure.kind))), ("error", .string(failure.line)),
            ],
            line: nil
        )
        Console.report("\(Self.clock()) \(PrintableText.text(failure.line)); looking for it again")
    }

    /// The time of day, with milliseconds.
    private static func clock() -> String {
        let format = Date.ISO8601FormatStyle(timeZone: .current)
        return Date().formatted(format.time(includingFractionalSeconds: true))
    }
}
