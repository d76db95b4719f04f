// How the program ends: always through `exit`, so that what is registered there happens (removing a served air's
// socket, closing a capture).

package import ArgumentParser
import Foundation

/// A failure: one line that says what failed, why, and what to do about it.
package struct Failure: Error {
    /// The kind of a failure; its raw value is the exit status.
    package enum Kind: Int32 {
        case other = 1
        /// The device or attribute was not found, or is ambiguous.
        case notFound = 3
        case timedOut = 4
        /// There is no adapter, it is off, or access is denied.
        case noBluetooth = 5
        /// The device refused.
        case refused = 6
        case notConnected = 7
    }

    /// The line.
    package let line: String
    package let kind: Kind
    /// The fields of the failure's JSON object besides the line and the kind.
    package var details: [(key: String, value: JSONValue)]

    /// Creates a failure from its line.
    package init(_ line: String, _ kind: Kind = .other, details: [(key: String, value: JSONValue)] = []) {
        (self.line, self.kind, self.details) = (line, kind, details)
    }
}

/// Ends the program.
package enum Ending {
    /// The program's name, which begins its lines on standard error.
    package static var program: String { ProcessInfo.processInfo.processName }

    /// Ends after success.
    package static func succeed() -> Never { exit(0) }

    /// Ends after a failure.
    package static func fail(_ failure: Failure) -> Never {
        ProgramLog.write([PrintableText.text(failure.line)], .error)
        exit(failure.kind.rawValue)
    }

    /// Ends after a failure whose reason Core Bluetooth has logged.
    package static func failAsSaid(_ kind: Failure.Kind = .other) -> Never { exit(kind.rawValue) }

    /// Runs a tool: parses the arguments, runs the command, and maps errors to exit statuses: 0 for success, 2 for
    /// wrong usage, else that of a ``Failure/Kind``, with one line on standard error. ``Interrupts`` has the others:
    /// 130 after an interrupt, and 0 after SIGTERM.
    ///
    /// A command that runs until something happens does not return; see ``Interrupts``.
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

    /// The number of the first argument that is not UTF-8, counted from 1; `nil` if all are. Swift repairs such
    /// arguments, which changes them.
    private static func firstUnreadableArgument() -> Int? {
        (1..<Int(max(1, CommandLine.argc))).first { number in
            CommandLine.unsafeArgv[number].map { String(validatingCString: $0) == nil } ?? false
        }
    }

    /// The parser's text in the style of all other messages: the first line is a clause without "Error:" and without a
    /// full stop. Suggests the command that may be meant.
    static func lines(_ text: String, _ tool: any ParsableCommand.Type, _ arguments: [String]) -> [String] {
        let prefix = "Error: "
        let message = text.hasPrefix(prefix) ? text.dropFirst(prefix.count) : text[...]
        var lines = message.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard var first = lines.first else { return lines }
        if let question = CommandSuggestion.question(for: tool, arguments, first) { first += "; " + question }
        first = first.replacing(". Did you mean", with: "; did you mean")
        if first.hasSuffix(".") { first.removeLast() }
        // A word in capitals keeps them.
        if first.dropFirst().first?.isUppercase == false { first = first.prefix(1).lowercased() + first.dropFirst() }
        lines[0] = first
        return lines
    }

    /// Ends with the error that a command threw or the parser found.
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
