// A trace as a sequence diagram: each device has a lifeline for its app, one for its SDK and one for Core Bluetooth. A
// packet that one device sends and another receives is one arrow between them.

import Foundation
package import SequenceDiagram

/// The format of a diagram.
package enum DiagramFormat: String, Sendable, CaseIterable {
    case svg
    case mermaid = "mmd"

    /// The diagram as text.
    package func text(of diagram: SequenceDiagram) -> String {
        switch self {
        case .svg: diagram.svg
        case .mermaid: diagram.mermaid
        }
    }
}

/// Makes diagrams from traces.
package enum TimelineDiagram {
    /// The indices of a device's lifelines.
    private struct Lines {
        var app: Int?
        var sdk: Int?
        var framework: Int

        /// The lifeline that calls Core Bluetooth.
        var caller: Int { sdk ?? app ?? framework }
    }

    /// The diagram of a trace.
    package static func diagram(of entries: [TimelineEntry], title: String) -> SequenceDiagram {
        let entries = entries.sorted { $0.time < $1.time }
        let isCut = entries.count > SequenceDiagram.limit
        let shown = Array(entries.prefix(SequenceDiagram.limit))
        let devices = devices(in: shown)
        var participants: [SequenceDiagram.Participant] = []
        var lines: [String: Lines] = [:]
        for (index, device) in devices.enumerated() {
            let own = shown.filter { $0.device == device }
            let sdk = own.first { $0.kind == .sdk }?.layer
            var names: [(String, WritableKeyPath<Lines, Int?>?)] = []
            if own.contains(where: { $0.kind == .app }) || sdk == nil { names.append(("app", \.app)) }
            if let sdk { names.append((sdk, \.sdk)) }
            names.append(("Core Bluetooth", nil))
            // The devices face each other.
            if index > 0 { names.reverse() }
            var places = Lines(app: nil, sdk: nil, framework: 0)
            for (name, path) in names {
                if let path {
                    places[keyPath: path] = participants.count
                } else {
                    places.framework = participants.count
                }
                participants.append(.init(name, of: device))
            }
            lines[device] = places
        }
        let peers = devices.count == 1 ? participants.count : nil
        if peers != nil { participants.append(.init("other devices", of: "the air")) }

        var diagram = SequenceDiagram(title: title, participants: participants)
        let start = shown.first?.time ?? 0
        let receivers = receivers(of: shown)
        let received = Set(receivers.values)
        for (index, entry) in shown.enumerated() where !received.contains(index) {
            guard let own = lines[entry.device] else { continue }
            let receiver = receivers[index].flatMap { lines[shown[$0].device]?.framework }
            var entry = entry
            entry.text = SequenceDiagram.shortened(entry.text)
            let content = content(entry, own, receiver: receiver, peers: peers, lines)
            let time = entry.kind == .heading ? nil : String(format: "%.1f ms", Double(entry.time - start) / 1000)
            diagram.rows.append(.init(content, at: time))
        }
        if isCut { diagram.rows.append(.init(.divider("… the rest is left out: --trace FILE.jsonl has all of it"))) }
        return diagram
    }

    /// The devices; those that connect come first.
    private static func devices(in entries: [TimelineEntry]) -> [String] {
        var devices: [String] = []
        for entry in entries where entry.kind != .heading && !devices.contains(entry.device) {
            devices.append(entry.device)
        }
        let centrals = Set(entries.filter { $0.kind == .call && $0.text.hasPrefix("connect(") }.map(\.device))
        return devices.filter(centrals.contains) + devices.filter { !centrals.contains($0) }
    }

    /// For each sent packet, the index of the entry in which another device received it.
    private static func receivers(of entries: [TimelineEntry]) -> [Int: Int] {
        let packets = entries.map { entry -> SequenceDiagram.Packet? in
            switch entry.kind {
            case .sent, .received:
                SequenceDiagram.Packet(
                    content: entry.layer + entry.text,
                    device: entry.device,
                    isSent: entry.kind == .sent,
                    time: .microseconds(entry.time)
                )
            case .heading, .app, .sdk, .call, .callback, .command, .event: nil
            }
        }
        return SequenceDiagram.receptions(of: packets)
    }

    private static func content(
        _ entry: TimelineEntry,
        _ own: Lines,
        receiver: Int?,
        peers: Int?,
        _ lines: [String: Lines]
    ) -> SequenceDiagram.Content {
        let framework = own.framework
        switch entry.kind {
        case .heading: return .divider(entry.text)
        case .app: return .note(own.app ?? own.caller, entry.text)
        case .sdk: return .note(own.sdk ?? own.caller, entry.text)
        case .call: return .message(from: own.caller, to: framework, entry.text, isDashed: false)
        case .callback: return .message(from: framework, to: own.caller, entry.text, isDashed: true)
        case .command, .event: return .message(from: framework, to: framework, entry.text, isDashed: false)
        case .sent:
            let other = receiver ?? peers ?? framework
            return .message(from: framework, to: other, entry.text, isDashed: false)
        case .received:
            let others = lines.filter { $0.key != entry.device }
            let other = others.count == 1 ? others.first?.value.framework : peers
            return .message(from: other ?? framework, to: framework, entry.text, isDashed: false)
        }
    }
}
