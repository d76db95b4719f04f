// `corebluetooth connect`: a session with a device.

import ArgumentParser
import CommandLineTool
import CoreBluetooth
import Foundation
import TerminalScreen

/// The command `corebluetooth connect`.
struct ConnectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "connect",
        abstract: "Connect to a device, and give commands on the connection.",
        discussion: """
            At a terminal there is a prompt: Tab completes, the arrows bring back earlier lines, and "help" lists the \
            commands. From a pipe or a file, commands are read one a line; the first that fails ends the session with \
            the status of its failure. A line that begins with # is a comment.
            """
    )

    @OptionGroup var device: DeviceOptions

    @Flag(help: "Go on after a command that fails, and end with status 0.")
    var keepGoing = false

    @OptionGroup var radio: RadioOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let (device, keepsGoing, output) = (device, keepGoing, output.format)
        try device.run(radio, output) { central, peripheral in
            let connection = DeviceConnection(central, peripheral, output: output, isSession: true)
            let lines = LineReader(history: HistoryFile("connect"))
            try await DeviceSession(connection, device: device.device, keepsGoing: keepsGoing, lines: lines).run()
        }
    }
}

/// Reads commands and runs them, one after the other.
@MainActor
final class DeviceSession {
    private let connection: DeviceConnection
    private let device: String
    private let keepsGoing: Bool
    private let lines: LineReader
    private var isBusy = false

    /// - Parameters:
    ///   - device: The device, as the user wrote it.
    ///   - keepsGoing: Whether a command that fails does not end a session without a terminal.
    ///   - lines: The commands.
    init(_ connection: DeviceConnection, device: String, keepsGoing: Bool, lines: LineReader) {
        self.connection = connection
        self.device = device
        self.keepsGoing = keepsGoing
        self.lines = lines
        connection.central.pairing?.conversation.lines = lines
        connection.onLoss = { [weak self] in self?.lost($0) }
        lines.completion = { SessionCommands.completion(of: $0, on: connection) }
    }

    /// Runs until the end of input, or until a command ends it.
    func run() async throws {
        let name = Central.name(connection.peripheral)
        connection.print(
            "connected",
            line: lines.isInteractive ? "Connected to \(name). \"help\" lists the commands, Tab completes." : nil
        )
        // A person is helped by names; a script asks for what it needs.
        if lines.isInteractive { try? await connection.discover() }
        while let line = await lines.next(prompt) {
            isBusy = true
            defer { isBusy = false }
            do {
                try await perform(line)
            } catch is QuitAction.End {
                break
            } catch {
                var failure = connection.central.failure(for: error, device: device)
                failure.details.insert(("command", .string(line)), at: 0)
                guard lines.isInteractive || keepsGoing else { throw failure }
                connection.output.print(failure)
                Console.report("\(Ending.program): \(PrintableText.text(failure.line))")
            }
        }
        try await connection.closeChannels()
    }

    private func perform(_ line: String) async throws {
        switch try SessionCommands.parse(line) {
        case .command(let action)?: try await action.run(on: connection)
        case .help(let text)?: connection.output.write(text)
        case nil: break
        }
    }

    private var prompt: String {
        // If only the input is a terminal, the output is another program's.
        guard Terminal.output.isTerminal else { return "" }
        let name = connection.peripheral.name.map { PrintableText.text($0) } ?? device
        return connection.peripheral.state == .connected ? "\(name)> " : "\(name) (not connected)> "
    }

    private func lost(_ reason: String) {
        // The command that is under way fails by itself.
        guard !isBusy else { return }
        let line = "\(Central.name(connection.peripheral)) has disconnected: \(reason)"
        guard lines.isInteractive || keepsGoing else { connection.output.fail(Failure(line, .notConnected)) }
        Console.report("\(Ending.program): \(line)")
        lines.prompt(prompt)
    }
}

extension DeviceConnection {
    /// Prints something about the connection.
    func print(_ event: String, _ details: Record.Details = [], line: String?) {
        output.print(event, Record.head(peripheral) + details, line: line)
    }
}
