// `corebluetooth controller`: what the controller of an adapter can do, and how fast it answers.

import ArgumentParser
import BluetoothTransport
import CommandLineTool
import Foundation
import TerminalScreen

/// The command `corebluetooth controller`.
struct ControllerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "controller",
        abstract: "Show what a controller can do, and how fast it answers.",
        discussion: """
            The controller is reset and asked for its version, its features, the commands that it knows and the sizes \
            of its buffers and lists; then it is sent a harmless command many times. What it does not answer is left \
            out. The adapter must not be in use by another program.
            """
    )

    @Option(
        help: ArgumentHelp("The adapter: air, air:PATH, h4:tcp:HOST:PORT, hci0, … (default: air)", valueName: "string")
    )
    var adapter: String?

    @Option(parsing: .unconditional, help: ArgumentHelp("The number of answers to measure.", valueName: "n"))
    var count = 200

    @Flag(help: "List the supported commands, not only their number.")
    var commands = false

    @Flag(help: "Print one JSON object.")
    var json = false

    func validate() throws {
        guard (0...1_000_000).contains(count) else { throw ValidationError("The count is from 0 to 1000000.") }
        _ = try Arguments.adapter(adapter)
    }

    func run() throws {
        let (name, count, listsCommands, isJSON) = (try Arguments.adapter(adapter), count, commands, json)
        MainActor.assumeIsolated { () -> Never in
            ControllerProbe.start(name, roundTrips: count) { result in
                let output = result.map { report in
                    isJSON
                        ? JSONValue.object([("event", "controller")] + report.details(adapter: name.description)).text
                        : FieldText.text(report.fields(listsCommands: listsCommands), columns: Terminal.output.width)
                }
                DispatchQueue.main.async {
                    switch output {
                    case .success(let text):
                        Console.print(text)
                        Ending.succeed()
                    case .failure(let failure): Ending.fail(failure)
                    }
                }
            }
            Interrupts.runUntilExit()
        }
    }
}

/// Names and values below each other.
enum FieldText {
    /// The fields as lines: the values in a column of their own, broken between words where there are so many columns.
    static func text(_ fields: [(name: String, value: String)], columns: Int?) -> String {
        let indent = (fields.map { ColumnWidth.columns(of: $0.name) }.max() ?? 0) + 2
        let rest = String(repeating: " ", count: indent)
        return fields.flatMap { field in
            let name = ColumnWidth.padded(field.name, to: indent)
            return WrappedText.lines(PrintableText.text(field.value), first: name, rest: rest, columns: columns)
        }.joined(separator: "\n")
    }
}
