import Testing

@testable import SequenceDiagram

@Suite("The layout of a sequence diagram")
struct SVGLayoutTests {
    /// The layout of participants of one device, with messages between them.
    private static func layout(
        participants count: Int,
        _ messages: (from: Int, to: Int, text: String)...
    ) -> SVGLayout {
        var diagram = SequenceDiagram(
            title: "",
            participants: (0..<count).map { SequenceDiagram.Participant("p\($0)", of: "device") }
        )
        diagram.rows = messages.map { message in
            SequenceDiagram.Row(.message(from: message.from, to: message.to, message.text, isDashed: false))
        }
        return SVGLayout(diagram)
    }

    private static func word(_ count: Int) -> String { String(repeating: "w", count: count) }

    @Test("moves neighbours apart for the longest word between them")
    func longestWord() {
        let expected: [Double] = [138, 300, 450]
        for texts in [
            [Self.word(20), Self.word(5)], [Self.word(5), Self.word(20)], [Self.word(5) + " " + Self.word(20)],
            [Self.word(20) + " " + Self.word(5)],
        ] {
            let first = texts[0]
            let layout = Self.layout(participants: 3, (0, 1, first), (1, 0, texts.last ?? ""))
            for (position, place) in zip(layout.positions, expected) { #expect(abs(position - place) < 0.001) }
            #expect(layout.positions.count == 3)
        }
    }

    @Test("keeps fourteen pixels of a message's width free: 167 characters fit into one line of 1200")
    func longLine() {
        for (length, lines) in [(167, 1), (168, 2)] {
            // Words of one letter move no participants apart.
            let words = String((0..<length).map { $0.isMultiple(of: 2) ? "w" : " " }.joined().prefix(length - 1)) + "w"
            let layout = Self.layout(participants: 9, (0, 8, words), (8, 0, words))
            #expect(layout.positions.first == 138 && layout.positions.last == 1338)
            #expect(words.count == length && layout.rows.map(\.lines.count) == [lines, lines])
        }
    }
}
