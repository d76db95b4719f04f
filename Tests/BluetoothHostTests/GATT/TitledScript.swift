// Scripts with titles in one text: each begins with a line `## TITLE`. A line is a step and its results:
//
//     > 12 18 00 01 00 < 13 ? subscribed 0017
//     notify 0017 AA < 1B 17 00 AA

import Testing

@testable import BluetoothHost

/// A script with a title.
struct TitledScript: Sendable, CustomTestStringConvertible {
    let title: String
    let steps: String
    let sourceLocation: SourceLocation

    var testDescription: String { self.title }

    /// The scripts of a text that is the only argument of the call, after its first line.
    static func all(_ text: String, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line) -> [Self]
    {
        var number = line + 1
        return text.split(separator: "## ", omittingEmptySubsequences: false).compactMap { script in
            defer { number += script.count(where: \.isNewline) }
            let (title, steps) = (script.prefix { !$0.isNewline }, script.drop { !$0.isNewline })
            guard !title.isEmpty else { return nil }
            let location = SourceLocation(fileID: fileID, filePath: filePath, line: number, column: 9)
            return TitledScript(title: String(title), steps: String(steps), sourceLocation: location)
        }
    }

    /// Scripts of one request that the server refuses, one a line: a title, the request, and the code of the error. The
    /// error names the handle in the request. Before the requests come the same steps.
    static func refusals(
        after before: String = "",
        _ text: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> [Self] {
        text.split(separator: "\n").map { line in
            let parts = line.split(separator: " > ").map { $0.trimmingPrefix(while: \.isWhitespace) }
            let (request, error) = (parts[1], parts[2])
            // In a request for several values the last handle is refused.
            let handle = ["0E", "20"].contains(request.prefix(2)) ? request.suffix(5) : request.dropFirst(3).prefix(5)
            let steps = "\(before)\n> \(request)\n< 01 \(request.prefix(2)) \(handle) \(error)"
            return TitledScript(title: String(parts[0]), steps: steps, sourceLocation: sourceLocation)
        }
    }

    /// The steps and their results on separate lines, each beginning with one of these words.
    private func lines(_ marks: Set<Substring>) -> String {
        var lines = ""
        for line in self.steps.split(separator: "\n") {
            for word in line.prefix(while: { $0 != "#" }).split(separator: " ") {
                lines += (marks.contains(word) ? "\n" : " ") + word
            }
            lines += "\n"
        }
        return lines
    }

    /// Runs the script against the server of ``GATTServerFixture``.
    func runOnServer() throws {
        var runner = try GATTServerScript()
        runner.run(self.lines(["<", "?"]), sourceLocation: self.sourceLocation)
    }

    /// Runs the script as a ``ClientExchange``.
    func runOnClient() {
        var exchange = ClientExchange()
        exchange.run(self.lines([">", "<", "="]), sourceLocation: self.sourceLocation)
    }
}
