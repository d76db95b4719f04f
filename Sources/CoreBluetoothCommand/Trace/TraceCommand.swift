// `corebluetooth trace`: traces of one or several processes, joined, as text or as a sequence diagram.

import ArgumentParser
import BluetoothTransport
import CommandLineTool
import Foundation

/// `corebluetooth trace`.
struct TraceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trace",
        abstract: "Show what several programs did, in one story.",
        discussion: """
            Each FILE is what a program wrote with --trace FILE.jsonl. Where those that talked to each other are given \
            together, what one sent and another received is one arrow between them:

              eightball peripheral --identity ball --trace ball.jsonl
              eightball ask "Will it rain?" --identity asker --trace asker.jsonl
              corebluetooth trace asker.jsonl ball.jsonl --output question.svg
            """
    )

    @Argument(
        help: "Traces of programs that ran on this machine, or on machines with the same time.",
        completion: .file()
    )
    var files: [String]

    @Option(
        help: ArgumentHelp(
            "Draw a picture (.svg) or a diagram in Mermaid's language (.mmd). (default: text on standard output)",
            valueName: "file"
        ),
        completion: .file()
    )
    var output: String?

    @Option(help: ArgumentHelp("Begin with the first line that contains this text.", valueName: "text"))
    var from: String?

    @Option(help: ArgumentHelp("End with the first line after that which contains this text.", valueName: "text"))
    var to: String?

    @Option(help: ArgumentHelp("The title of the diagram.", valueName: "text"))
    var title: String?

    func validate() throws {
        if let output, Self.format(output) == nil {
            throw ValidationError("The output \(output) is neither .svg nor .mmd.")
        }
    }

    func run() throws {
        let entries = try TimelineFile.joined(files)
        let part = try Self.part(of: entries, from: from, to: to)
        guard let output, let format = Self.format(output) else {
            for line in TimelineFile.lines(part) { Console.print(line) }
            return
        }
        let names = files.map { URL(fileURLWithPath: $0).lastPathComponent }.joined(separator: " and ")
        let diagram = TimelineDiagram.diagram(of: part, title: title ?? names)
        do {
            try PrivateFile.writeOutput(output, as: "diagram", Array(format.text(of: diagram).utf8))
        } catch {
            throw Failure(error.message)
        }
    }

    private static func format(_ path: String) -> DiagramFormat? {
        DiagramFormat(rawValue: URL(fileURLWithPath: path).pathExtension)
    }

    /// The entries from the first that contains a text to the next that contains another one.
    static func part(of entries: [TimelineEntry], from: String?, to: String?) throws -> [TimelineEntry] {
        var part = entries[...]
        if let from {
            guard let start = part.firstIndex(where: { $0.text.contains(from) }) else {
                throw Failure("no line of the trace contains \"\(from)\"; without --from all of them are shown")
            }
            part = part[start...]
        }
        if let to {
            guard let end = part.firstIndex(where: { $0.text.contains(to) }) else {
                throw Failure("no line of the trace contains \"\(to)\" there; without --to it goes to the end")
            }
            part = part[...end]
        }
        return Array(part)
    }
}
