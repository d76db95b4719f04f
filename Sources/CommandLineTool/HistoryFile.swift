// What a person has written in the sessions of before, in a file of the user's own beside what else is kept: one line
// each, the last one last, and no more than a session remembers.

import BluetoothTransport
package import TerminalScreen

/// The file of a history.
package struct HistoryFile: Sendable {
    /// The most octets of a file: all lines as long as one can be.
    private static let maximumLength = LineHistory.limit * 1024

    /// The file.
    package let path: String

    /// The history with a name.
    ///
    /// - Returns: `nil` where there is no folder for what lasts.
    package init?(_ name: String, environment: (String) -> String? = PrivateFolder.environment) {
        guard let folder = try? PrivateFolder.state(environment: environment).path else { return nil }
        path = "\(folder)/history-\(name)"
    }

    /// What was written before; nothing where the file cannot be read.
    package var history: LineHistory {
        let octets = try? PrivateFile.read(path, limit: Self.maximumLength)
        return LineHistory(String(decoding: octets ?? [], as: UTF8.self).split(separator: "\n").map(String.init))
    }

    /// Keeps a line behind those that other sessions have kept meanwhile.
    package func add(_ line: String) {
        var history = history
        history.add(line)
        let text = history.lines.map { $0 + "\n" }.joined()
        do {
            try PrivateFile.replace(path, with: Array(text.utf8), durability: .endOfProcess)
        } catch {
            Console.inform("the history is not kept: \(error)")
        }
    }
}
