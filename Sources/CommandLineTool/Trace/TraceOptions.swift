// `--trace`, with or without a file.

package import ArgumentParser
import Foundation

/// The options of a trace.
package struct TraceOptions: ParsableArguments {
    /// The parser's name for `--trace FILE`, because an option of the parser either has a value or has none.
    private static let fileOption = "--trace-file"

    @Flag(
        help: ArgumentHelp(
            "Print each call of Core Bluetooth and the packets under it, on standard error.",
            discussion: """
                With a file, as --trace FILE, the trace goes there instead: as a picture (.svg), as a Mermaid diagram \
                (.mmd), or as input for corebluetooth trace (.jsonl).
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
                "The trace \(traceFile) must end in .svg, .mmd or .jsonl; without a file it goes to standard error."
            )
        }
    }

    /// Starts the trace if it was requested.
    ///
    /// - Parameters:
    ///   - device: The name of this process's device.
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

    /// The destination for a file's name; `nil` if the name does not end as a trace does.
    private static func destination(_ path: String) -> Timeline.Destination? {
        let ending = URL(fileURLWithPath: path).pathExtension
        return ending == "jsonl" ? .file(path) : DiagramFormat(rawValue: ending).map { .diagram(path, $0) }
    }

    /// Prepares arguments for the parser: a file after `--trace` becomes a separate option.
    ///
    /// Only a name with the ending of a trace counts as a file, so that `--trace "Will it rain?"` still asks.
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
