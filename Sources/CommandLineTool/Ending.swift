// How the program ends: every way out goes through `exit`, so that what is registered there (the removal of a served
// air's socket, the end of a capture) is done.

package import ArgumentParser
import Foundation

/// Something failed: one line that says what, why, and what to do about it.
package struct Failure: Error {
    /// What failed, as an exit status says it.
    package enum Kind: Int32 {
        case other = 1
        /// The device, or what is asked of it, is not there; or several fit.
        case notFound = 3
        case timedOut = 4
        /// There is no adapter, it is off, or it may not be used.
        case noBluetooth = 5
        /// The device has refused.
        case refused = 6
        case notConnected = 7
    }

    /// The line.
    package let line: String
    package let kind: Kind
    /// What its JSON object has beside the line and the kind.
    package var details: [(key: String, value: JSONValue)]

    /// Creates a failure from its line.
    package init(_ line: String, _ kind: Kind = .other, details: [(key: String, value: JSONValue)] = []) {
        (self.line, self.kind, self.details) = (line, kind, details)
    }
}

/// The ways out.
package enum Ending {
    /// The program's name, with which its lines on standard error begin.
    package static var program: String { ProcessInfo.processInfo.processName }

    /// The command has succeeded.
    package static func succeed() -> Never { exit(0) }

    /// The command failed.
    package static func fail(_ failure: Failure) -> Never {
        ProgramLog.write([PrintableText.text(failure.line)], .error)
        exit(failure.kind.rawValue)
    }

    /// The command failed, and Core Bluetooth has logged why.
    package static func failAsSaid(_ kind: Failure.Kind = .other) -> Never { exit(kind.rawValue) }

    /// Runs a tool: parses the arguments, runs the command that they name, and turns what was thrown into the exit
    /// statuses of the contract: 0 success, 2 wrong usage, and that of a ``Failure/Kind`` with one line on standard
    /// error. ``Interrupts`` has the others: 130 after an interrupt, and 0 after SIGTERM.
    ///
    /// A command that runs until something happens never comes back from here; see ``Interrupts``.
    package static func run(_ tool: (some ParsableCommand).Type) {
        ProgramLog.begin()
        if let number = firstUnreadableArgument() {
            ProgramLog.write(["argument \(number) is not UTF-8"], .error)
            exit(2)
        }
        let arguments = TraceOptions.arguments(Array(CommandLine.arguments.dropFirst()))
        do {
            var command = try tool.parseAsRoot(arguments)
            try OpenFiles.require()
            try command.run()
        } catch {
            end(tool, arguments, with: error)
        }
    }

    /// The number of the first argument that is no text, counted from 1; `nil` where all are. What Swift makes of such a
    /// one is another text.
    private static func firstUnreadableArgument() -> Int? {
        (1..<Int(max(1, CommandLine.argc))).first { number in
            CommandLine.unsafeArgv[number].map { String(validatingCString: $0) == nil } ?? false
        }
    }

    /// The lines of the parser's text in the style of all others: the first is a clause without the parser's word
    /// before it and a full stop behind it. It asks for the command that may be meant.
    static func lines(_ text: String, _ tool: any ParsableCommand.Type, _ arguments: [String]) -> [String] {
        let prefix = "Error: "
        let message = text.hasPrefix(prefix) ? text.dropFirst(prefix.count) : text[...]
        var lines = message.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard var first = lines.first else { return lines }
        if let question = CommandSuggestion.question(for: tool, arguments, first) { first += "; " + question }
        first = first.replacing(". Did you mean", with: "; did you mean")
        if first.hasSuffix(".") { first.removeLast() }
        // A word in capitals stays one.
        if first.dropFirst().first?.isUppercase == false { first = first.prefix(1).lowercased() + first.dropFirst() }
        lines[0] = first
        return lines
    }

    /// Ends with what a command threw, or what the parser made of the arguments.
    private static func end(
        _ tool: (some ParsableCommand).Type,
        _ arguments: [String],
        with error: any Error
    ) -> Never {
        if let failure = error as? Failure { fail(failure) }
        let text = tool.fullMessage(for: error)
        switch tool.exitCode(for: error) {
        case .success:
            Console.print(text)
            succeed()
        case .validationFailure:
            ProgramLog.write(lines(text, tool, arguments), .error)
            exit(2)
        default:
            fail(Failure(tool.message(for: error)))
        }
    }
}
