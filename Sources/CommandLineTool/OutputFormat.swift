// How a program prints events: lines for a person, or one JSON object a line for another program.

/// The output format of a session.
package struct OutputFormat: Sendable {
    /// One JSON object a line instead of text.
    package var isJSON: Bool
    /// Whether progress is logged on standard error.
    package var isVerbose: Bool
    /// Prints a line, by default on standard output.
    package var write: @Sendable (String) -> Void

    /// Creates a format.
    package init(isJSON: Bool, isVerbose: Bool, write: @escaping @Sendable (String) -> Void = Console.print) {
        self.isJSON = isJSON
        self.isVerbose = isVerbose
        self.write = write
    }

    /// Prints one event.
    ///
    ///   - event: The value of the key "event", the first one of the JSON object.
    ///   - details: The object's other keys, in order.
    ///   - line: The text for a person; `nil` prints nothing.
    ///   - isTraced: Whether a trace shows the line as the app's.
    package func print(
        _ event: String,
        _ details: @autoclosure () -> [(key: String, value: JSONValue)] = [],
        line: @autoclosure () -> String?,
        isTraced: Bool = true
    ) {
        if isTraced, let timeline = Timeline.current, let line = line(), !line.isEmpty {
            timeline.app(line)
        }
        if isJSON {
            write(JSONValue.object([("event", .string(event))] + details()).text)
        } else if let line = line() {
            write(line)
        }
    }

    /// Prints the JSON object of a failure, whose line goes to standard error.
    package func print(_ failure: Failure) {
        let kind = JSONValue.string(String(describing: failure.kind))
        print("failed", failure.details + [("kind", kind), ("error", .string(failure.line))], line: nil)
    }

    /// Ends the program with a failure: its JSON object if requested, its line and its status.
    package func fail(_ failure: Failure) -> Never {
        print(failure)
        Ending.fail(failure)
    }

    /// Logs progress if ``isVerbose`` is set.
    package func report(_ line: @autoclosure () -> String) {
        if isVerbose { Console.inform(line()) }
    }
}
