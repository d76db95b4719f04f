// A sequence diagram as values: the participants from left to right, and what passes between them from top to bottom.
// Where the values come from, and as what they are written, is for others to know.

/// A sequence diagram.
package struct SequenceDiagram: Hashable, Sendable {
    /// One vertical line.
    package struct Participant: Hashable, Sendable {
        /// The name at the top.
        package var name: String
        /// The device that it belongs to; participants beside each other with the same device stand under its name.
        package var device: String

        /// A participant.
        package init(_ name: String, of device: String) {
            self.name = name
            self.device = device
        }
    }

    /// A participant, by its place from the left.
    package typealias Index = Int

    /// What a row shows.
    package enum Content: Hashable, Sendable {
        /// An arrow with its text; a dashed one where `isDashed`.
        case message(from: Index, to: Index, String, isDashed: Bool)
        /// A box on a participant's line.
        case note(Index, String)
        /// Something between the parts of the story, across the whole width.
        case divider(String)
    }

    /// One row.
    package struct Row: Hashable, Sendable {
        /// When it happened, as it is to be shown; `nil` shows nothing.
        package var time: String?
        /// What is shown.
        package var content: Content

        /// A row.
        package init(_ content: Content, at time: String? = nil) {
            self.content = content
            self.time = time
        }
    }

    /// The most lines of a trace that are drawn.
    package static let limit = 2_000

    /// What the diagram is about, in one line.
    package var title: String
    /// From left to right.
    package var participants: [Participant]
    /// From top to bottom.
    package var rows: [Row] = []

    /// A diagram without rows.
    package init(title: String, participants: [Participant]) {
        self.title = title
        self.participants = participants
    }

    /// The participants' devices from left to right, each with the places that it takes.
    var devices: [(name: String, places: ClosedRange<Index>)] {
        var devices: [(name: String, places: ClosedRange<Index>)] = []
        for (index, participant) in self.participants.enumerated() {
            if let last = devices.last, last.name == participant.device {
                devices[devices.count - 1].places = last.places.lowerBound...index
            } else {
                devices.append((participant.device, index...index))
            }
        }
        return devices
    }
}
