// `corebluetooth read` and `write`, and these and `subscribe` in a session: one characteristic of one device, or one of
// its descriptors.

import ArgumentParser
import BluetoothHost
import CommandLineTool
import CoreBluetooth
import Foundation

/// How to print values.
struct ValueOptions: ParsableArguments {
    @Option(
        name: .customLong("as"),
        help: ArgumentHelp("Print the value as this type; numbers are little-endian.", valueName: "type")
    )
    var chosenType: ValueType?

    @Flag(help: "Print only the hexadecimal digits.")
    var hex = false

    @Flag(help: "Print the value as text.")
    var text = false

    func validate() throws {
        guard (hex ? 1 : 0) + (text ? 1 : 0) + (chosenType == nil ? 0 : 1) <= 1 else {
            throw ValidationError("A value is printed in one form: --as, --hex or --text.")
        }
    }

    /// The type that was chosen; `nil` for the octets and what they mean.
    var type: ValueType? { hex ? .hex : text ? .text : chosenType }
}

/// Prints values as they come.
@MainActor
struct ValuePrinter: Sendable {
    /// `nil` for the octets and what they mean.
    let type: ValueType?
    let output: OutputFormat
    /// Whether a line names the device.
    var namesDevice = false
    /// Whether a line names the characteristic.
    var namesCharacteristic = false
    /// Whether it names its handle, too.
    var namesHandle = false

    func print(_ data: Data, of characteristic: CBCharacteristic) {
        output.print(
            "value",
            Record.head(characteristic) + Record.value(data, of: characteristic, as: type),
            line: source(characteristic) + words(data, ValueText.text(data, of: characteristic))
        )
    }

    /// Prints the value of a descriptor as Core Bluetooth has it.
    func print(_ value: Any?, of descriptor: CBDescriptor) {
        let meaning = ValueText.text(ofDescriptor: value)
        output.print(
            "descriptor",
            Record.head(descriptor) + Record.value(ofDescriptor: value, as: type) + [
                ("meaning", .string(meaning)), ("demands", .null),
            ],
            line: words(ValueText.octets(ofDescriptor: value) ?? Data(), meaning)
        )
    }

    private func words(_ data: Data, _ meaning: @autoclosure () -> String) -> String {
        guard let type else { return meaning() }
        if type == .text, String(validating: data, as: UTF8.self) == nil {
            Console.warn("the value is not UTF-8: invalid octets became U+FFFD")
        }
        if let texts = type.texts(of: data) { return texts.joined(separator: " ") }
        Console.warn(Self.mismatch(data, type))
        return HexadecimalText.digits(data)
    }

    nonisolated static func mismatch(_ data: Data, _ type: ValueType) -> String {
        "the octets \(HexadecimalText.text(data)) are not a whole number of \(type.rawValue) values"
    }

    private func source(_ characteristic: CBCharacteristic) -> String {
        var words: [String] = []
        if namesDevice, let device = characteristic.service?.peripheral { words.append(Central.name(device)) }
        if namesCharacteristic { words.append(UUIDText.label(characteristic.uuid)) }
        if namesHandle, let handle = characteristic.handle { words.append(HexadecimalText.number(handle)) }
        return words.isEmpty ? "" : words.joined(separator: " ") + ": "
    }
}

/// Reads a characteristic or a descriptor.
struct ReadAction: DeviceAction {
    static let configuration = CommandConfiguration(
        commandName: "read",
        abstract: "Read a characteristic, or one of its descriptors.",
        discussion: "Only the value is printed on standard output; a long value is read whole."
    )

    @OptionGroup var characteristic: CharacteristicOptions
    @OptionGroup var descriptor: DescriptorOptions
    @OptionGroup var value: ValueOptions

    static func candidates(_ connection: DeviceConnection) -> [String] { connection.names { $0.contains(.read) } }

    func run(on connection: DeviceConnection) async throws {
        let found = try await characteristic.find(connection)
        let printer = ValuePrinter(type: value.type, output: connection.output)
        if let descriptor = try await descriptor.find(connection, of: found) {
            let read = try await connection.central.read(descriptor)
            try check(ValueText.octets(ofDescriptor: read) ?? Data())
            return printer.print(read, of: descriptor)
        }
        let data = try await ProgressLine.during("reading \(found.uuid)", .octets) { _ in
            try await connection.central.read(found)
        }
        try check(data)
        printer.print(data, of: found)
    }

    /// Refuses a value that is not of the type that was chosen.
    private func check(_ data: Data) throws {
        guard let type = value.type, type.texts(of: data) == nil else { return }
        throw Failure(ValuePrinter.mismatch(data, type))
    }
}

/// The type of a value that is written.
struct WrittenValueOptions: ParsableArguments {
    @Option(
        name: .customLong("as"),
        help: ArgumentHelp("The type of the value; numbers are little-endian.", valueName: "type")
    )
    var chosenType: ValueType?

    @Flag(help: "The value is text, not hexadecimal digits.")
    var text = false

    func validate() throws {
        guard !text || chosenType == nil else { throw ValidationError("A value has one type: --as or --text.") }
    }

    /// The type that was chosen; `nil` for hexadecimal digits.
    var type: ValueType? { text ? .text : chosenType }

    /// The octets of a value.
    func octets(of value: String) throws(Failure) -> Data { try (type ?? .hex).octets(of: value) }

    /// Refuses a value that is not of the type.
    func check(_ value: String) throws {
        do { _ = try octets(of: value) } catch {
            throw ValidationError(error.line + (type == nil ? ", or use --as or --text." : "."))
        }
    }
}

/// Writes a characteristic or a descriptor.
struct WriteAction: DeviceAction {
    static let configuration = CommandConfiguration(
        commandName: "write",
        abstract: "Write a characteristic, or one of its descriptors.",
        discussion: """
            The value is hexadecimal, such as 0A1B or "0a 1b"; with --text it is written as it stands, with --as it is \
            of another type, such as 2150 --as int16. A value that begins with a hyphen comes after --, as in --as \
            int8 -- -5. A "-" writes the octets of standard input, up to 512: "write DEVICE FFF1 - < FILE". Nothing is \
            printed on success.
            """
    )

    @OptionGroup var characteristic: CharacteristicOptions

    @Argument(help: "The value.")
    var value: String

    @OptionGroup var descriptor: DescriptorOptions

    @OptionGroup var form: WrittenValueOptions

    @Flag(help: "Do not ask for a confirmation: faster, but the device may drop the value.")
    var withoutResponse = false

    static func candidates(_ connection: DeviceConnection) -> [String] {
        connection.names { !$0.isDisjoint(with: [.write, .writeWithoutResponse]) }
    }

    func validate() throws {
        guard !withoutResponse || descriptor.descriptor == nil else {
            throw ValidationError("A descriptor is always written with a response.")
        }
        if !isFromInput { try form.check(value) }
    }

    private var isFromInput: Bool { form.type == nil && value == "-" }

    /// The octets to write.
    private func octets(isSession: Bool) throws -> Data {
        guard isFromInput else { return try form.octets(of: value) }
        guard !isSession else {
            throw Failure("the input of a session has its commands; write the digits of the value")
        }
        return try InputFile.readStandardInput(limit: ATT.maximumValueLength)
    }

    func run(on connection: DeviceConnection) async throws {
        let data = try octets(isSession: connection.isSession)
        let found = try await characteristic.find(connection)
        if let descriptor = try await descriptor.find(connection, of: found) {
            try await connection.central.write(data, to: descriptor)
            return report(data, Record.head(descriptor), on: connection)
        }
        if withoutResponse {
            try await writeWithoutResponse(data, to: found, on: connection)
        } else {
            try await ProgressLine.during("writing \(found.uuid)", .octets) { _ in
                try await connection.central.write(data, to: found)
            }
        }
        report(data, Record.head(found), on: connection)
    }

    @MainActor
    private func writeWithoutResponse(
        _ data: Data,
        to found: CBCharacteristic,
        on connection: DeviceConnection
    ) async throws {
        let length = connection.peripheral.maximumWriteValueLength(for: .withoutResponse)
        guard data.count <= length else {
            throw Failure("a write without response carries up to \(length) octets, not \(data.count)")
        }
        guard found.properties.contains(.writeWithoutResponse) else {
            throw Failure("\(found.uuid) cannot be written without response; leave --without-response out")
        }
        try await connection.central.writeWithoutResponse(data, to: found)
        // The link ends behind the write, not before it: an answer has passed the write.
        _ = try? await connection.central.readStrength()
    }

    @MainActor
    private func report(_ data: Data, _ head: Record.Details, on connection: DeviceConnection) {
        connection.output.print(
            "written",
            head + [("hex", .string(HexadecimalText.digits(data))), ("confirmed", .bool(!withoutResponse))],
            line: nil
        )
    }
}

/// Prints the values that a characteristic notifies or indicates, in a session.
struct SubscribeAction: DeviceAction {
    static let configuration = CommandConfiguration(
        commandName: "subscribe",
        abstract: "Print the values that a characteristic notifies or indicates, as they come.",
        discussion: """
            Values are printed while other commands are given; with --count the next command waits for that many values.
            """
    )

    @OptionGroup var characteristic: CharacteristicOptions

    @Option(parsing: .unconditional, help: ArgumentHelp("End after this many values.", valueName: "n"))
    var count: Int?

    @OptionGroup var value: ValueOptions

    static func candidates(_ connection: DeviceConnection) -> [String] {
        connection.names { !$0.isDisjoint(with: [.notify, .indicate]) }
    }

    func validate() throws {
        if let count, count < 1 { throw ValidationError("The count is at least 1.") }
    }

    func run(on connection: DeviceConnection) async throws {
        let found = try await characteristic.find(connection)
        let printer = ValuePrinter(type: value.type, output: connection.output)
        try await connection.subscribe(to: found, printer, count: count)
        connection.output.report("subscribed to \(found.uuid)")
        guard count != nil else { return }
        try await connection.waitForValues()
        try await connection.unsubscribe(from: found)
    }
}
