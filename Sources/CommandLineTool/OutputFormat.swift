// How a program prints what happens: lines for a person, or one JSON object a line for another program.

/// How a session prints.
package struct OutputFormat: Sendable {
    /// One JSON object a line instead of text.
    package var isJSON: Bool
    /// Also what happens in between, on standard error.
    package var isVerbose: Bool
    /// Takes each line: prints it on standard output, where nothing else was given.
    package var write: @Sendable (String) -> Void

    /// Creates the choices.
    package init(isJSON: Bool, isVerbose: Bool, write: @escaping @Sendable (String) -> Void = Console.print) {
        self.isJSON = isJSON
        self.isVerbose = isVerbose
        self.write = write
    }

    /// Prints one event.
    ///
    /// - Parameters:
    ///   - event: The value of the key "event", with which the JSON object begins.
    ///   - details: The object's other keys, in their order.
    ///   - line: The text for a person; `nil` prints nothing.
    ///   - isTraced: Whether the line is the app's in a trace.
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

    /// Prints the JSON object of a failure, whose line is on standard error.
    package func print(_ failure: Failure) {
        let kind = JSONValue.string(String(describing: failure.kind))
        print("failed", failure.details + [("kind", kind), ("error", .string(failure.line))], line: nil)
    }

    /// Ends the program with a failure: its object if lines are JSON, its line and its status.
    package func fail(_ failure: Failure) -> Never {
        print(failure)
        Ending.fail(failure)
    }

    /// Logs a line about what happens in between, where ``isVerbose`` asks for it.
    package func report(_ line: @autoclosure () -> String) {
        if isVerbose { Console.inform(line()) }
    }
}
