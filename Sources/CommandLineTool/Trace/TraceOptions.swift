// `--trace`, with or without a file.

package import ArgumentParser
import Foundation

/// The options of a trace.
package struct TraceOptions: ParsableArguments {
    /// The name that `--trace FILE` has for the parser, which knows no option with and without a value.
    private static let fileOption = "--trace-file"

    @Flag(
        help: ArgumentHelp(
            "Print each call of Core Bluetooth and the packets under it, on standard error.",
            discussion: """
                With a file behind it, --trace FILE, the trace is kept there: a picture (.svg), a diagram in Mermaid's \
                language (.mmd), or for corebluetooth trace (.jsonl).
                """
        )
    )
    package var trace = false

    @Option(name: .customLong("trace-file"), help: .hidden, completion: .file())
    package var traceFile: String?

    package init() {}

    /// Whether there is to be a trace.
    package var isWanted: Bool { trace || traceFile != nil }

    package func validate() throws {
        if let traceFile, Self.destination(traceFile) == nil {
            throw ValidationError(
                "The trace \(traceFile) is neither .svg, .mmd nor .jsonl; without a file it goes to standard error."
            )
        }
    }

    /// Begins the trace where one is wanted.
    ///
    /// - Parameters:
    ///   - device: The name of the device that this process is.
    ///   - hasScreen: Whether the program draws on the whole terminal, where lines cannot be printed.
    package func begin(device: String, hasScreen: Bool = false) throws {
        if let traceFile, let destination = Self.destination(traceFile) {
            try Timeline.begin(destination, device: device)
        } else if trace {
            guard !hasScreen else {
                throw Failure("the screen has no room for a trace; write --trace FILE.svg, or add --plain")
            }
            try Timeline.begin(.lines, device: device)
        }
    }

    /// What a file's name asks for; `nil` for a name of no trace.
    private static func destination(_ path: String) -> Timeline.Destination? {
        let ending = URL(fileURLWithPath: path).pathExtension
        return ending == "jsonl" ? .file(path) : DiagramFormat(rawValue: ending).map { .diagram(path, $0) }
    }

    /// The arguments as the parser takes them: a file behind `--trace` becomes an option of its own.
    ///
    /// Only a name with the ending of a trace is one, so that `--trace "Will it rain?"` still asks.
    static func arguments(_ arguments: [String]) -> [String] {
        var result: [String] = []
        for argument in arguments {
            if argument.hasPrefix("--trace=") {
                result += [fileOption, String(argument.dropFirst("--trace=".count))]
            } else if result.last == "--trace", destination(argument) != nil {
                result[result.count - 1] = fileOption
                result.append(argument)
            } else {
                result.append(argument)
            }
        }
        return result
    }
}
