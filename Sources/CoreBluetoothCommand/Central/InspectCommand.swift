// `corebluetooth inspect`: everything that a device offers.

import ArgumentParser
import CommandLineTool
import CoreBluetooth
import Foundation
import TerminalScreen

/// The command `corebluetooth inspect`.
struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Show the services, characteristics, descriptors and values of a device.",
        discussion: """
            A value that the device gives only to paired devices makes the two pair; with --no-pairing they do not, \
            and the output says what each value needs. --handles lists every attribute, also those of services that \
            Core Bluetooth keeps from apps, such as 1800 and 1801; the list is read below Core Bluetooth.
            """
    )

    @OptionGroup var device: DeviceOptions

    @Flag(help: "Do not read values.")
    var noValues = false

    @Flag(help: "Do not pair; show what needs it.")
    var noPairing = false

    @Flag(help: "List every attribute with its handle and its type, also what the system keeps from apps.")
    var handles = false

    @OptionGroup var radio: RadioOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let (reads, listsHandles, output) = (!noValues, handles, output.format)
        try device.run(radio, output, permitsPairing: !noPairing) { central, peripheral in
            if listsHandles { return AttributeListing(output, peripheral).show(try await central.attributes()) }
            try await Inspection(central: central, reads: reads, output: output).show(peripheral)
        }
    }
}

/// Shows a device.
@MainActor
struct Inspection {
    let central: Central
    let reads: Bool
    let output: OutputFormat
    /// How wide lines may be; `nil` for any width.
    var columns = Terminal.output.width

    func show(_ peripheral: CBPeripheral) async throws {
        let strength = try? await central.readStrength()
        let services = try await central.discoverServices()
        let length = peripheral.maximumWriteValueLength(for: .withoutResponse)
        let identifier = peripheral.identifier.uuidString
        let security = await central.security()
        print(
            "device",
            Record.head(peripheral) + [
                ("rssi", JSONValue(strength)), ("services", .integer(services.count)),
                ("maximumWriteWithoutResponse", .integer(length)), ("security", SecurityText.json(security)),
            ],
            line: "\(Central.name(peripheral))  \(identifier)\(strength.map { ", \($0) dBm" } ?? "")"
                + "\nup to \(length) octets in a write without response; the connection is \(SecurityText.text(security))"
        )
        try await show(services)
        let last = await central.security()
        guard last?.key != security?.key else { return }
        print(
            "security",
            Record.head(peripheral) + [("security", SecurityText.json(last))],
            line: "\nthe connection is now \(SecurityText.text(last))"
        )
    }

    /// Shows services, with all that is in them.
    func show(_ services: [CBService]) async throws {
        try await central.forEachService(of: services, "inspecting") { service, included in
            try await show(service, included)
        }
    }

    private func show(_ service: CBService, _ included: [CBService]) async throws {
        let includes = included.map { UUIDText.label(ofService: $0.uuid) }.joined(separator: ", ")
        print(
            "service",
            Record.head(service.peripheral) + [
                ("service", .string(service.uuid.uuidString)), ("name", UUIDText.json(ofService: service.uuid)),
                ("primary", .bool(service.isPrimary)),
                ("includes", .array(included.map { .string($0.uuid.uuidString) })),
            ],
            line: "\n" + UUIDText.label(ofService: service.uuid) + (service.isPrimary ? "" : "  (secondary)")
                + (included.isEmpty ? "" : "  (includes \(includes))")
        )
        for characteristic in try await central.discoverCharacteristics(of: service) {
            try await show(characteristic)
        }
    }

    private func show(_ characteristic: CBCharacteristic) async throws {
        var value: Result<Data, any Error>?
        if reads, characteristic.properties.contains(.read) {
            do { value = .success(try await central.read(characteristic)) } catch { value = .failure(error) }
        }
        let problem = Self.problem(value)
        let demand = await demand(value)
        // A descriptor may say how the value is written.
        var descriptors: [DescriptorValue] = []
        for descriptor in try await central.discoverDescriptors(of: characteristic) {
            descriptors.append(await self.value(of: descriptor))
        }
        let properties = PropertyText.words(characteristic.properties)
        let data = try? value?.get()
        var line = "  \(UUIDText.label(characteristic.uuid))  \(properties.joined(separator: ", "))"
        if let data { line += " = \(ValueText.text(data, of: characteristic))" }
        if let problem = demand ?? problem { line += " = (\(problem))" }
        print(
            "characteristic",
            Record.head(characteristic) + [("properties", .array(properties.map { .string($0) }))]
                + Record.value(data, of: characteristic) + [
                    ("error", JSONValue(problem)), ("demands", JSONValue(demand)),
                ],
            line: line
        )
        for descriptor in descriptors { show(descriptor) }
    }

    /// A descriptor and the result of reading it; only the descriptor if values are not read.
    private struct DescriptorValue {
        var descriptor: CBDescriptor
        var value: Any?
        var text: String?
        var demand: String?
    }

    private func value(of descriptor: CBDescriptor) async -> DescriptorValue {
        var value = DescriptorValue(descriptor: descriptor)
        guard reads else { return value }
        do {
            value.value = try await central.read(descriptor)
            value.text = ValueText.text(ofDescriptor: value.value)
        } catch {
            value.demand = await demand(Result<Void, any Error>.failure(error))
            value.text = "(\(value.demand ?? ErrorText.text(error)))"
        }
        return value
    }

    private func show(_ read: DescriptorValue) {
        print(
            "descriptor",
            Record.head(read.descriptor) + Record.value(ofDescriptor: read.value) + [
                ("meaning", JSONValue(read.text)), ("demands", JSONValue(read.demand)),
            ],
            line: "    \(UUIDText.label(read.descriptor.uuid))" + (read.text.map { " = \($0)" } ?? "")
        )
    }

    private func print(_ event: String, _ details: Record.Details, line: String) {
        output.print(event, details, line: WrappedText.text(line, columns: columns))
    }

    /// What a refused attribute demands of the connection; `nil` if it was not refused, or for another reason.
    private func demand(_ result: Result<some Any, any Error>?) async -> String? {
        guard case .failure(let failure as DeviceFailure)? = result else { return nil }
        return SecurityText.demand(failure.cause, on: await central.security())
    }

    private static func problem(_ value: Result<Data, any Error>?) -> String? {
        guard case .failure(let error)? = value else { return nil }
        return ErrorText.text(error)
    }
}
