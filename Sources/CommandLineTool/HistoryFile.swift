// The lines of earlier sessions, in a private file of the user: one per line, the last one last, at most as many as a
// session remembers.

import BluetoothTransport
package import TerminalScreen

/// The file of a history.
package struct HistoryFile: Sendable {
    /// The most octets of a file, if all lines have the greatest length.
    private static let maximumLength = LineHistory.limit * 1024

    /// The file.
    package let path: String

    /// Creates the history with a name.
    ///
    /// - Returns: `nil` if there is no state folder.
    package init?(_ name: String, environment: (String) -> String? = PrivateFolder.environment) {
        guard let folder = try? PrivateFolder.state(environment: environment).path else { return nil }
        path = "\(folder)/history-\(name)"
    }

    /// The lines of earlier sessions; none if the file cannot be read.
    package var history: LineHistory {
        let octets = try? PrivateFile.read(path, limit: Self.maximumLength)
        return LineHistory(String(decoding: octets ?? [], as: UTF8.self).split(separator: "\n").map(String.init))
    }

    /// Appends a line to those that other sessions may have written meanwhile.
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
