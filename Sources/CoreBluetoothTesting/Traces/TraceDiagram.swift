// A trace as a sequence diagram with a line for each device. A packet that one device sends and another receives is one
// arrow between them; commands, events and advertisements stay on the device's own line.

import SequenceDiagram

/// A sequence diagram of a run, with a line for each device.
///
/// ```swift
/// let diagram = world.trace.of(["phone", "Thermo"]).layers(.gap, .att).diagram
/// try diagram.svg.write(toFile: "run.svg", atomically: true, encoding: .utf8)
/// ```
///
/// A diagram has up to 2,000 lines of the trace; the rest is left out, and the last row says so. Filter the trace
/// first.
public struct TraceDiagram: Sendable {
    private let diagram: SequenceDiagram

    /// The diagram as SVG, which a browser shows.
    public var svg: String { self.diagram.svg }
    /// The diagram in the language of Mermaid, which many Markdown viewers draw.
    public var mermaid: String { self.diagram.mermaid }

    init(_ trace: Trace, title: String) {
        let entries = Array(trace.prefix(SequenceDiagram.limit))
        var devices: [String] = []
        for entry in entries where entry.device != World.traceName && !devices.contains(entry.device) {
            devices.append(entry.device)
        }
        var diagram = SequenceDiagram(title: title, participants: devices.map { .init($0, of: $0) })
        let receptions = Self.receptions(of: entries)
        let received = Set(receptions.values)
        for (index, entry) in entries.enumerated() where !received.contains(index) {
            let text = SequenceDiagram.shortened(entry.text)
            let content: SequenceDiagram.Content
            if let place = devices.firstIndex(of: entry.device) {
                let reception = receptions[index].flatMap { devices.firstIndex(of: entries[$0].device) }
                content = Self.content(of: entry, text, at: place, receivedAt: reception)
            } else {
                content = .divider(text)
            }
            diagram.rows.append(.init(content, at: "\(milliseconds(entry.time, places: 1)) ms"))
        }
        if trace.count > entries.count {
            diagram.rows.append(.init(.divider("… and \(trace.count - entries.count) more lines of the trace")))
        }
        self.diagram = diagram
    }

    private static func content(
        of entry: TraceEntry,
        _ text: String,
        at place: SequenceDiagram.Index,
        receivedAt reception: SequenceDiagram.Index?
    ) -> SequenceDiagram.Content {
        guard let direction = entry.direction else { return .note(place, text) }
        if let reception { return .message(from: place, to: reception, text, isDashed: false) }
        return .message(from: place, to: place, text, isDashed: direction == .received)
    }

    /// For each sent PDU, the index of the line in which another device received it.
    private static func receptions(of entries: [TraceEntry]) -> [Int: Int] {
        let packets = entries.map { entry -> SequenceDiagram.Packet? in
            guard let direction = entry.direction, entry.layer.passesBetweenDevices else { return nil }
            return SequenceDiagram.Packet(
                content: entry.layer.rawValue + entry.text,
                device: entry.device,
                isSent: direction == .sent,
                time: entry.time
            )
        }
        return SequenceDiagram.receptions(of: packets)
    }
}

extension TraceEntry.Layer {
    /// Whether its packets go from device to device.
    fileprivate var passesBetweenDevices: Bool {
        switch self {
        case .att, .smp, .l2cap: true
        case .hci, .gap, .app, .world: false
        }
    }
}

extension Trace {
    /// The diagram of the trace, titled with its range of time.
    public var diagram: TraceDiagram {
        let times = self.first.flatMap { first in
            self.last.map { "\(milliseconds(first.time, places: 1)) to \(milliseconds($0.time, places: 1)) ms" }
        }
        return self.diagram(title: times ?? "Nothing has passed")
    }

    /// The diagram of the trace with a custom title.
    public func diagram(title: String) -> TraceDiagram { TraceDiagram(self, title: title) }
}
