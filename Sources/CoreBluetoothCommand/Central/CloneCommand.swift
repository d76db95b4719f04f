// `corebluetooth clone`: records a device that is there, so that another one can be like it.

import ArgumentParser
import BluetoothHost
import BluetoothTransport
import CommandLineTool
import CoreBluetooth
import Foundation

/// The command `corebluetooth clone`.
struct CloneCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clone",
        abstract: "Record a device, to be like it with advertise --from-capture.",
        discussion: """
            Connects, discovers everything, reads what can be read, and subscribes to all that sends for some seconds. \
            Nothing is written to the device but subscriptions. With an output that ends in .json it writes a \
            description for advertise --gatt, otherwise a capture in btsnoop's format for advertise --from-capture.
            """
    )

    @OptionGroup var device: DeviceOptions

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Take what it sends for this many seconds.", valueName: "s")
    )
    var seconds = 5.0

    @Option(
        help: ArgumentHelp("Where the record goes. (default: the device's name, .btsnoop)", valueName: "file"),
        completion: .file()
    )
    var output: String?

    @OptionGroup var radio: RadioOptions
    @OptionGroup var format: OutputOptions

    func validate() throws {
        try Deadline.validateWait(seconds)
        guard radio.capture == nil else {
            throw ValidationError("clone writes a capture itself: name its file with --output.")
        }
    }

    func run() throws {
        let (device, seconds, format) = (device, seconds, format.format)
        let path = output ?? Self.fileName(device.device) + ".btsnoop"
        let isDescription = path.lowercased().hasSuffix(".json")
        let folder = isDescription ? try ScratchFolder.make() : nil
        defer { if let folder { try? FileManager.default.removeItem(atPath: folder) } }
        var radio = radio
        if isDescription { try RadioOptions.checkCapture(path, as: "description") }
        radio.capture = folder.map { $0 + "/clone.btsnoop" } ?? path
        let capture = radio.capture ?? path
        try device.run(radio, format, isRecorded: true) { central, peripheral in
            defer { if let folder { try? FileManager.default.removeItem(atPath: folder) } }
            let name = Central.name(peripheral)
            let recording = DeviceRecording(central: central, output: format)
            try await recording.explore(peripheral)
            try await recording.listen(seconds)
            await central.disconnect()
            let recorded = try RecordedPeripheral.read(capture, device: nil)
            if isDescription {
                let octets = try Array(GATTDescription(recorded).json) + [UInt8(ascii: "\n")]
                try PrivateFile.writeOutput(path, as: "description", octets)
            }
            let characteristics = recorded.services.flatMap(\.characteristics)
            let values = characteristics.count { !$0.reads.isEmpty }
            let updates = characteristics.reduce(0) { $0 + $1.updates.count }
            format.print(
                "cloned",
                [
                    ("file", .string(path)), ("services", .integer(recorded.services.count)),
                    ("characteristics", .integer(characteristics.count)), ("values", .integer(values)),
                    ("notifications", .integer(updates)),
                ],
                line: "\(name) is in \(path): "
                    + [
                        Self.counted(recorded.services.count, "service"),
                        Self.counted(characteristics.count, "characteristic"), Self.counted(values, "value"),
                        Self.counted(updates, "notification"),
                    ].joined(separator: ", ")
            )
        }
    }

    static func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

    /// The part of a name that a file can have.
    static func fileName(_ device: String) -> String {
        let name = String(device.map { $0.isLetter || $0.isNumber || $0 == "_" ? $0 : "-" })
        return name.isEmpty ? "clone" : name
    }
}

/// Uses a device so that its capture has all of it.
@MainActor
final class DeviceRecording {
    private let central: Central
    private let output: OutputFormat
    private var explored: Set<ObjectIdentifier> = []
    private var sending: [CBCharacteristic] = []

    init(central: Central, output: OutputFormat) {
        self.central = central
        self.output = output
    }

    /// Discovers everything, and reads what can be read.
    func explore(_ peripheral: CBPeripheral) async throws {
        let services = try await central.discoverServices()
        try await central.forEachService(of: services, "recording") { service, _ in try await self.explore(service) }
    }

    private func explore(_ service: CBService) async throws {
        guard explored.insert(ObjectIdentifier(service)).inserted else { return }
        for characteristic in try await central.discoverCharacteristics(of: service) {
            if characteristic.properties.contains(.read) {
                await attempt("\(characteristic.uuid)") { _ = try await self.central.read(characteristic) }
            }
            for descriptor in try await central.discoverDescriptors(of: characteristic) {
                await attempt("\(descriptor.uuid)") { _ = try await self.central.read(descriptor) }
            }
            if !characteristic.properties.isDisjoint(with: [.notify, .indicate]) { sending.append(characteristic) }
        }
    }

    /// Subscribes to all that sends, for some time.
    func listen(_ seconds: Double) async throws {
        guard !sending.isEmpty else { return }
        for characteristic in sending {
            await attempt("\(characteristic.uuid)") { try await self.central.setNotifying(true, characteristic) }
        }
        output.report(
            "subscribed to \(CloneCommand.counted(sending.count, "characteristic")) for \(SecondsText.text(seconds))"
        )
        let done = TimedWait()
        central.onDisconnection = { done.end(.failure(Failure("the device has disconnected: \($0)"))) }
        let timer = Deadline(after: seconds) { done.end(.success(())) }
        try await ProgressLine.during("taking what it sends", .seconds, total: Int(seconds)) { _ in
            try await done.wait(nil, late: Failure("")) {}
        }
        timer.cancel()
        central.onDisconnection = nil
        // A device that has paired keeps subscriptions.
        for characteristic in sending {
            await attempt("\(characteristic.uuid)") { try await self.central.setNotifying(false, characteristic) }
        }
    }

    /// The capture also contains the device's refusals.
    private func attempt(_ what: String, _ body: () async throws -> Void) async {
        do { try await body() } catch { output.report("\(what): \(ErrorText.text(error))") }
    }
}
