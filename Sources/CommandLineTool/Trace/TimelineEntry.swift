// The entries of a trace, and their files: one JSON object a line, so that the files of several processes can be merged
// and nothing is lost when a process is killed.

import Foundation

/// Something that happened on a device.
package struct TimelineEntry: Codable, Hashable, Sendable {
    /// The direction of an entry.
    package enum Kind: String, Codable, Sendable {
        /// A heading of the entries that follow.
        case heading
        /// A line that the app showed its user.
        case app
        /// A step of the SDK behind the app.
        case sdk
        /// A call of Core Bluetooth.
        case call
        /// A delegate call by Core Bluetooth.
        case callback
        /// A command of the host for its own controller.
        case command
        /// An event of the controller about itself or a link.
        case event
        /// A packet to another device.
        case sent
        /// A packet from another device.
        case received
    }

    /// The time, in µs since 1970.
    package var time: Int64
    /// The device's name.
    package var device: String
    package var kind: Kind
    /// The layer's name: `app`, `ITCB`, `Core Bluetooth`, `ATT`.
    package var layer: String
    /// The text, on one line.
    package var text: String

    /// Creates an entry at a time, or now.
    package init(_ kind: Kind, of device: String, layer: String, _ text: String, at time: Int64? = nil) {
        self.time = time ?? Int64(Date().timeIntervalSince1970 * 1_000_000)
        self.device = device
        self.kind = kind
        self.layer = layer
        self.text = text
    }

    /// The entry as a line for people; `start` is the time that counts as 0.
    package func line(since start: Int64, deviceWidth: Int) -> String {
        let milliseconds = String(format: "%8.2f ms", Double(time - start) / 1000)
        let device = device.padding(toLength: max(deviceWidth, device.count), withPad: " ", startingAt: 0)
        let text =
            switch kind {
            case .heading: text
            case .app, .sdk: "\(layer): \(text)"
            case .call, .callback: "  \(text)"
            case .command, .sent: "    → \(layer) \(text)"
            case .event, .received: "    ← \(layer) \(text)"
            }
        return PrintableText.text("\(milliseconds)  \(device)  \(text)")
    }
}

/// Reads and writes files of entries.
package enum TimelineFile {
    /// An entry's line in octets, with the line break.
    static func line(_ entry: TimelineEntry) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // An entry has only text and numbers, which can always be encoded.
        return ((try? encoder.encode(entry)) ?? Data()) + Data("\n".utf8)
    }

    /// The entries of a file.
    ///
    /// The last line may be incomplete, if its process was killed.
    ///
    /// - Throws: ``Failure`` if the file cannot be read or is not a trace.
    package static func read(_ path: String) throws -> [TimelineEntry] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw Failure("cannot read the trace \(path)")
        }
        let lines = data.split(separator: UInt8(ascii: "\n"))
        var entries: [TimelineEntry] = []
        for (number, line) in lines.enumerated() {
            if let entry = try? JSONDecoder().decode(TimelineEntry.self, from: line) {
                entries.append(entry)
            } else if number < lines.count - 1 || entries.isEmpty {
                throw Failure(
                    "\(path) is not a trace: line \(number + 1) is invalid; write one with --trace FILE.jsonl"
                )
            }
        }
        guard !entries.isEmpty else { throw Failure("the trace \(path) is empty") }
        return entries
    }

    /// Merges the entries of several files by time; a device that occurs in more than one file gets the file's name
    /// appended.
    package static func joined(_ paths: [String]) throws -> [TimelineEntry] {
        let files = try paths.map { try read($0) }
        var counts: [String: Int] = [:]
        for entries in files {
            for device in Set(entries.map(\.device)) { counts[device, default: 0] += 1 }
        }
        let all = zip(paths, files).flatMap { path, entries in
            let name = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
            return entries.map { entry in
                var entry = entry
                if counts[entry.device, default: 0] > 1 { entry.device += " (\(name))" }
                return entry
            }
        }
        return all.sorted { $0.time < $1.time }
    }

    /// The entries as lines for people.
    package static func lines(_ entries: [TimelineEntry]) -> [String] {
        let width = entries.map(\.device.count).max() ?? 0
        return entries.map { $0.line(since: entries.first?.time ?? 0, deviceWidth: width) }
    }
}
