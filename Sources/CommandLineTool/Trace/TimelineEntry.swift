// What a trace consists of, and how it is kept in a file: one JSON object a line, so that those of several processes
// can be joined, and none is lost when a process is killed.

import Foundation

/// Something that happened on a device.
package struct TimelineEntry: Codable, Hashable, Sendable {
    /// Which way it went.
    package enum Kind: String, Codable, Sendable {
        /// What follows belongs together; the text is its heading.
        case heading
        /// What the app showed its user.
        case app
        /// What the SDK behind the app did.
        case sdk
        /// A call of Core Bluetooth.
        case call
        /// A call of a delegate by Core Bluetooth.
        case callback
        /// What the host asks of its own controller.
        case command
        /// What the controller reports of itself and of links.
        case event
        /// A packet for another device.
        case sent
        /// A packet of another device.
        case received
    }

    /// When, in µs since 1970.
    package var time: Int64
    /// Whose it is.
    package var device: String
    package var kind: Kind
    /// The layer's name: `app`, `ITCB`, `Core Bluetooth`, `ATT`.
    package var layer: String
    /// What happened, on one line.
    package var text: String

    /// Something that happens now, or at a time.
    package init(_ kind: Kind, of device: String, layer: String, _ text: String, at time: Int64? = nil) {
        self.time = time ?? Int64(Date().timeIntervalSince1970 * 1_000_000)
        self.device = device
        self.kind = kind
        self.layer = layer
        self.text = text
    }

    /// The entry as a line for people; `start` is when the story began.
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

/// Files of entries.
package enum TimelineFile {
    /// The octets of an entry's line, with its end.
    static func line(_ entry: TimelineEntry) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Text and numbers alone: there is nothing that could not be encoded.
        return ((try? encoder.encode(entry)) ?? Data()) + Data("\n".utf8)
    }

    /// The entries of a file.
    ///
    /// The last line may be cut, where its process was killed.
    ///
    /// - Throws: ``Failure`` where the file cannot be read or is no trace.
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
                    "\(path) is no trace: line \(number + 1) is none; write one with --trace FILE.jsonl"
                )
            }
        }
        guard !entries.isEmpty else { throw Failure("the trace \(path) is empty") }
        return entries
    }

    /// The entries of several files by their time; a device that stands in more than one gets the file's name with it.
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
