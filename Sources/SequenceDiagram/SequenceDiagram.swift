// A sequence diagram as a value: the participants from left to right, and the messages between them from top to bottom.

/// A sequence diagram.
package struct SequenceDiagram: Hashable, Sendable {
    /// One vertical line.
    package struct Participant: Hashable, Sendable {
        /// The name at the top.
        package var name: String
        /// Its device; neighbouring participants of the same device share one heading.
        package var device: String

        /// Creates a participant.
        package init(_ name: String, of device: String) {
            self.name = name
            self.device = device
        }
    }

    /// The index of a participant from the left.
    package typealias Index = Int

    /// The content of a row.
    package enum Content: Hashable, Sendable {
        /// An arrow with a text, solid or dashed.
        case message(from: Index, to: Index, String, isDashed: Bool)
        /// A box on a participant's line.
        case note(Index, String)
        /// A heading across the whole width.
        case divider(String)
    }

    /// One row.
    package struct Row: Hashable, Sendable {
        /// The time as text; `nil` for none.
        package var time: String?
        /// The content.
        package var content: Content

        /// Creates a row.
        package init(_ content: Content, at time: String? = nil) {
            self.content = content
            self.time = time
        }
    }

    /// The maximum number of lines of a trace that are drawn.
    package static let limit = 2_000

    /// The title on one line.
    package var title: String
    /// The participants from left to right.
    package var participants: [Participant]
    /// The rows from top to bottom.
    package var rows: [Row] = []

    /// Creates a diagram without rows.
    package init(title: String, participants: [Participant]) {
        self.title = title
        self.participants = participants
    }

    /// The participants' devices from left to right, with the indexes of their participants.
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
