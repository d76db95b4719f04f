// `corebluetooth inspect`: all that a device offers.

import ArgumentParser
import CommandLineTool
import CoreBluetooth
import Foundation

/// The command `corebluetooth inspect`.
struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Show the services, characteristics, descriptors and values of a device."
    )

    @OptionGroup var device: DeviceOptions

    @Flag(help: "Do not read values.")
    var noValues = false

    @OptionGroup var radio: RadioOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        try radio.apply()
        let (reads, output) = (!noValues, output.format)
        device.run(output) { central, peripheral in
            try await Inspection(central: central, reads: reads, output: output).show(peripheral)
        }
    }
}

/// Shows a device.
@MainActor
private struct Inspection {
    let central: Central
    let reads: Bool
    let output: OutputFormat

    func show(_ peripheral: CBPeripheral) async throws {
        let strength = try? await central.readStrength()
        let services = try await central.discoverServices()
        let length = peripheral.maximumWriteValueLength(for: .withoutResponse)
        let identifier = peripheral.identifier.uuidString
        output.print(
            "device",
            [
                ("identifier", .string(identifier)), ("name", JSONValue(peripheral.name)),
                ("rssi", JSONValue(strength)), ("services", .integer(services.count)),
                ("maximumWriteWithoutResponse", .integer(length)),
            ],
            line: "\(Central.name(peripheral))  \(identifier)\(strength.map { ", \($0) dBm" } ?? "")"
                + "\nup to \(length) octets in a write without response"
        )
        for service in services { try await show(service) }
    }

    private func show(_ service: CBService) async throws {
        let included = try await central.discoverIncludedServices(of: service)
        let includes = included.map { UUIDText.label($0.uuid) }.joined(separator: ", ")
        output.print(
            "service",
            [
                ("uuid", .string(service.uuid.uuidString)), ("name", UUIDText.json(service.uuid)),
                ("primary", .bool(service.isPrimary)),
                ("includes", .array(included.map { .string($0.uuid.uuidString) })),
            ],
            line: "\n" + UUIDText.label(service.uuid) + (service.isPrimary ? "" : "  (secondary)")
                + (included.isEmpty ? "" : "  (includes \(includes))")
        )
        for characteristic in try await central.discoverCharacteristics(of: service) {
            try await show(characteristic, of: service)
        }
    }

    private func show(_ characteristic: CBCharacteristic, of service: CBService) async throws {
        var value: Result<Data, any Error>?
        if reads, characteristic.properties.contains(.read) {
            do { value = .success(try await central.read(characteristic)) } catch { value = .failure(error) }
        }
        let properties = PropertyText.words(characteristic.properties)
        let data = try? value?.get()
        let meaning = data.map { ValueText.text($0, of: characteristic.uuid) }
        let problem = Self.problem(value)
        var line = "  \(UUIDText.label(characteristic.uuid))  \(properties.joined(separator: ", "))"
        if let meaning { line += " = \(meaning)" }
        if let problem { line += " = (\(problem))" }
        output.print(
            "characteristic",
            [
                ("service", .string(service.uuid.uuidString)), ("uuid", .string(characteristic.uuid.uuidString)),
                ("name", UUIDText.json(characteristic.uuid)), ("properties", .array(properties.map { .string($0) })),
                ("value", JSONValue(data.map { Hexadecimal.digits($0) })), ("meaning", JSONValue(meaning)),
                ("error", JSONValue(problem)),
            ],
            line: line
        )
        for descriptor in try await central.discoverDescriptors(of: characteristic) {
            await show(descriptor, of: characteristic)
        }
    }

    private func show(_ descriptor: CBDescriptor, of characteristic: CBCharacteristic) async {
        var text: String?
        if reads {
            do { text = ValueText.text(ofDescriptor: try await central.read(descriptor)) } catch {
                text = "(\(ErrorText.text(error)))"
            }
        }
        output.print(
            "descriptor",
            [
                ("characteristic", .string(characteristic.uuid.uuidString)),
                ("uuid", .string(descriptor.uuid.uuidString)), ("name", UUIDText.json(descriptor.uuid)),
                ("meaning", JSONValue(text)),
            ],
            line: "    \(UUIDText.label(descriptor.uuid))" + (text.map { " = \($0)" } ?? "")
        )
    }

    private static func problem(_ value: Result<Data, any Error>?) -> String? {
        guard case .failure(let error)? = value else { return nil }
        return ErrorText.text(error)
    }
}
