// A trace as a sequence diagram: a line for each device. What one device sends and another one receives is one arrow
// between them; what a device asks of its controller, and what it hears, stands on its own line.

import SequenceDiagram

/// The picture of a run: a sequence diagram with a line for each device.
///
/// ```swift
/// let diagram = world.trace.of(["phone", "Thermo"]).layers(.gap, .att).diagram
/// try diagram.svg.write(toFile: "run.svg", atomically: true, encoding: .utf8)
/// ```
///
/// A picture has up to 2,000 lines of the trace; what comes after them is left out, and the last row says so. Narrow the
/// trace down first.
public struct TraceDiagram: Sendable {
    private let diagram: SequenceDiagram

    /// The picture in the format SVG, as a browser shows it.
    public var svg: String { self.diagram.svg }
    /// The picture in the language of Mermaid, which many places that show Markdown draw by themselves.
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

    /// For each PDU that was sent, the place of the line in which another device received it.
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
    /// Whether its packets go from device to device, so that one of them has sent what the other one has received.
    fileprivate var passesBetweenDevices: Bool {
        switch self {
        case .att, .smp, .l2cap: true
        case .hci, .gap, .app, .world: false
        }
    }
}

extension Trace {
    /// The picture of what passed, with a title that says when.
    public var diagram: TraceDiagram {
        let times = self.first.flatMap { first in
            self.last.map { "\(milliseconds(first.time, places: 1)) to \(milliseconds($0.time, places: 1)) ms" }
        }
        return self.diagram(title: times ?? "Nothing has passed")
    }

    /// The picture of what passed, with a title of one's own.
    public func diagram(title: String) -> TraceDiagram { TraceDiagram(self, title: title) }
}
