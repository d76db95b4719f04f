// `corebluetooth read` and `write`, and these and `subscribe` in a session: one characteristic of one device.

import ArgumentParser
import BluetoothHost
import CommandLineTool
import CoreBluetooth
import Foundation

/// How a value is written and read.
enum ValueForm {
    /// For a person: the octets and what they mean.
    case meaning
    /// Digits alone.
    case hexadecimal
    /// The text that the octets are.
    case text

    /// The line for a value.
    func line(_ data: Data, of characteristic: CBCharacteristic) -> String {
        switch self {
        case .meaning: ValueText.text(data, of: characteristic)
        case .hexadecimal: HexadecimalText.digits(data)
        case .text: PrintableText.text(String(decoding: data, as: UTF8.self))
        }
    }
}

/// How to print values.
struct ValueOptions: ParsableArguments {
    @Flag(help: "Print only the hexadecimal digits.")
    var hex = false

    @Flag(help: "Print the value as text.")
    var text = false

    func validate() throws {
        guard !hex || !text else {
            throw ValidationError("A value is printed with --hex or with --text, not with both.")
        }
    }

    /// The form that was chosen.
    var form: ValueForm { hex ? .hexadecimal : text ? .text : .meaning }
}

/// Prints values as they come.
@MainActor
struct ValuePrinter: Sendable {
    let form: ValueForm
    let output: OutputFormat
    /// Whether a line names the device.
    var namesDevice = false
    /// Whether a line names the characteristic.
    var namesCharacteristic = false

    func print(_ data: Data, of characteristic: CBCharacteristic) {
        if form == .text, String(validating: data, as: UTF8.self) == nil {
            Console.warn("the value is not UTF-8: invalid octets became U+FFFD")
        }
        output.print(
            "value",
            Record.head(characteristic) + Record.value(data, of: characteristic),
            line: source(characteristic) + form.line(data, of: characteristic)
        )
    }

    private func source(_ characteristic: CBCharacteristic) -> String {
        var words: [String] = []
        if namesDevice, let device = characteristic.service?.peripheral { words.append(Central.name(device)) }
        if namesCharacteristic { words.append(UUIDText.label(characteristic.uuid)) }
        return words.isEmpty ? "" : words.joined(separator: " ") + ": "
    }
}

/// Reads a characteristic.
struct ReadAction: DeviceAction {
    static let configuration = CommandConfiguration(
        commandName: "read",
        abstract: "Read a characteristic.",
        discussion: "Only the value is printed on standard output; a long value is read whole."
    )

    @OptionGroup var characteristic: CharacteristicOptions
    @OptionGroup var value: ValueOptions

    static func candidates(_ connection: DeviceConnection) -> [String] { connection.names { $0.contains(.read) } }

    func run(on connection: DeviceConnection) async throws {
        let found = try await characteristic.find(connection)
        let printer = ValuePrinter(form: value.form, output: connection.output)
        let data = try await ProgressLine.during("reading \(found.uuid)", .octets) { _ in
            try await connection.central.read(found)
        }
        printer.print(data, of: found)
    }
}

/// Writes a characteristic.
struct WriteAction: DeviceAction {
    static let configuration = CommandConfiguration(
        commandName: "write",
        abstract: "Write a characteristic.",
        discussion: """
            The value is hexadecimal, such as 0A1B or "0a 1b"; with --text it is written as it stands. A "-" writes the \
            octets of standard input, up to 512. Nothing is printed on success.
            """
    )

    @OptionGroup var characteristic: CharacteristicOptions

    @Argument(help: "The value.")
    var value: String

    @Flag(help: "The value is text, not hexadecimal digits.")
    var text = false

    @Flag(help: "Do not ask for a confirmation: faster, but the device may drop the value.")
    var withoutResponse = false

    static func candidates(_ connection: DeviceConnection) -> [String] {
        connection.names { !$0.isDisjoint(with: [.write, .writeWithoutResponse]) }
    }

    func validate() throws {
        guard text || isFromInput || HexadecimalText.octets(value) != nil else {
            throw ValidationError("\"\(value)\" is not hexadecimal: write pairs of digits such as 0A1B, or use --text.")
        }
    }

    private var isFromInput: Bool { !text && value == "-" }

    /// The octets to write.
    private func octets(isSession: Bool) throws -> Data {
        guard isFromInput else { return text ? Data(value.utf8) : HexadecimalText.octets(value) ?? Data() }
        guard !isSession else {
            throw Failure("the input of a session has its commands; write the digits of the value")
        }
        return try InputFile.readStandardInput(limit: ATT.maximumValueLength)
    }

    func run(on connection: DeviceConnection) async throws {
        let (central, output) = (connection.central, connection.output)
        let data = try octets(isSession: connection.isSession)
        let found = try await characteristic.find(connection)
        if withoutResponse {
            let length = connection.peripheral.maximumWriteValueLength(for: .withoutResponse)
            guard data.count <= length else {
                throw Failure("a write without response carries up to \(length) octets, not \(data.count)")
            }
            guard found.properties.contains(.writeWithoutResponse) else {
                throw Failure("\(found.uuid) cannot be written without response; leave --without-response out")
            }
            try await central.writeWithoutResponse(data, to: found)
            // The link ends behind the write, not before it: an answer has passed the write.
            _ = try? await central.readStrength()
        } else {
            try await ProgressLine.during("writing \(found.uuid)", .octets) { _ in
                try await central.write(data, to: found)
            }
        }
        output.print(
            "written",
            Record.head(found) + [
                ("hex", .string(HexadecimalText.digits(data))), ("confirmed", .bool(!withoutResponse)),
            ],
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
        let printer = ValuePrinter(form: value.form, output: connection.output)
        try await connection.subscribe(to: found, printer, count: count)
        connection.output.report("subscribed to \(found.uuid)")
        guard count != nil else { return }
        try await connection.waitForValues()
        try await connection.unsubscribe(from: found)
    }
}
