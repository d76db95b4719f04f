// Characters with a meaning in SVG and in Mermaid, and the place of each kind of row.

import Testing

@testable import SequenceDiagram

@Suite("The texts and rows of a sequence diagram")
struct SequenceDiagramTextTests {
    private static func diagram(_ title: String = "T", _ rows: SequenceDiagram.Row...) -> SequenceDiagram {
        var diagram = SequenceDiagram(title: title, participants: [.init("a", of: "b")])
        diagram.rows = rows
        return diagram
    }

    @Test(
        "escape characters with a meaning in XML, and replace those that XML forbids",
        arguments: [
            ("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;"), ("'", "'"), ("\t", " "), ("\n", " "),
            ("\r", " "), ("\r\n", "  "), ("\u{0}", "\u{FFFD}"), ("\u{8}", "\u{FFFD}"), ("\u{B}", "\u{FFFD}"),
            ("\u{C}", "\u{FFFD}"), ("\u{E}", "\u{FFFD}"), ("\u{1F}", "\u{FFFD}"), ("~", "~"), ("\u{7F}", "\u{FFFD}"),
            ("\u{9F}", "\u{FFFD}"), ("\u{A0}", "\u{A0}"), ("\u{FFFD}", "\u{FFFD}"), ("\u{FFFE}", "\u{FFFD}"),
            ("\u{FFFF}", "\u{FFFD}"), ("漢", "漢"),
        ]
    )
    func xml(text: String, shown: String) {
        let lines = Self.diagram("x\(text)y").svg.split(separator: "\n").map { String($0) }
        #expect(lines[1] == "<title>x\(shown)y</title>")
        #expect(lines[5] == "<text class=\"title\" x=\"16\" y=\"26\">x\(shown)y</text>")
    }

    @Test(
        "write characters with a meaning in Mermaid by their numbers, and line ends as spaces",
        arguments: [
            (";", "#59;"), ("#", "#35;"), ("<", "#60;"), (">", "#62;"), ("{", "#123;"), ("}", "#125;"), ("%", "#37;"),
            ("\n", " "), ("\r\n", " "), ("\u{2028}", " "), ("\"", "\""), ("\\", "\\"), (":", ":"), ("&", "&"),
        ]
    )
    func mermaid(text: String, shown: String) {
        var diagram = Self.diagram(
            "T",
            .init(.note(0, "x\(text)y"), at: "1 ms"),
            .init(.message(from: 0, to: 0, "x\(text)y", isDashed: true), at: "2 ms"),
            .init(.message(from: 0, to: 0, "x\(text)y", isDashed: false)),
            // A divider has no time.
            .init(.divider("x\(text)y"), at: "3 ms")
        )
        diagram.participants = [.init("n\(text)", of: "d\(text)")]
        #expect(
            diagram.mermaid
                == [
                    "---", "title: \"T\"", "---", "sequenceDiagram", "    box d\(shown)",
                    "        participant P0 as n\(shown)", "    end", "    Note over P0: 1 ms x\(shown)y",
                    "    P0-->>P0: 2 ms x\(shown)y", "    P0->>P0: x\(shown)y", "    Note over P0,P0: x\(shown)y", "",
                ].joined(separator: "\n")
        )
    }

    @Test(
        "quote a title for Mermaid, without quotation marks of its own",
        arguments: [("\"", "'"), ("\\", "\\\\"), ("\n", " "), ("\r\n", " "), ("#", "#"), (";", ";"), ("'", "'")]
    )
    func title(text: String, shown: String) {
        #expect(Self.diagram("x\(text)y").mermaid.hasPrefix("---\ntitle: \"x\(shown)y\"\n---\nsequenceDiagram\n"))
    }

    @Test("group neighbours of one device under its name")
    func devices() {
        func devices(_ names: String...) -> [String] {
            SequenceDiagram(title: "", participants: names.map { .init("p", of: $0) }).devices.map { device in
                "\(device.name) \(device.places.lowerBound) \(device.places.upperBound)"
            }
        }
        #expect(devices() == [])
        #expect(devices("x") == ["x 0 0"])
        #expect(devices("x", "x", "x") == ["x 0 2"])
        #expect(devices("x", "y", "x") == ["x 0 0", "y 1 1", "x 2 2"])
        #expect(devices("x", "y", "y") == ["x 0 0", "y 1 2"])
    }

    @Test(
        "break a message that is longer than its way, and a note of more than 24 characters",
        arguments: [
            // Within one participant, between two of a device, between devices, and a note.
            (0, 0, 22, 23), (1, 0, 19, 20), (0, 1, 19, 20), (1, 2, 35, 36), (-1, 0, 24, 25),
        ]
    )
    func lengths(from: Int, to: Int, fits: Int, isTooLong: Int) {
        func lines(_ length: Int) -> Int? {
            // Words of one letter move no participants apart.
            let text = String((0..<length).map { $0.isMultiple(of: 2) ? "w" : " " }.joined().prefix(length - 1)) + "w"
            var diagram = SequenceDiagram(
                title: "",
                participants: [.init("a", of: "x"), .init("b", of: "x"), .init("c", of: "y")]
            )
            let content = SequenceDiagram.Content.message(from: max(from, 0), to: to, text, isDashed: false)
            diagram.rows = [.init(from < 0 ? .note(to, text) : content), .init(.divider(""))]
            let layout = SVGLayout(diagram)
            let count = layout.rows[0].lines.count
            #expect(layout.rows[0].top == 92)
            #expect(layout.rows[1].top == 92 + Double(count) * 16 + (from < 0 ? 18 : 14))
            return count
        }
        #expect(lines(fits) == 1)
        #expect(lines(isTooLong) == 2)
    }

    @Test("have at least eight characters in a row", arguments: [-1, 0, 7, 8])
    func leastRoom(characters: Int) {
        #expect(SVGLayout.wrapped("abcdefghi jk", characters: characters) == ["abcdefgh", "i jk"])
        #expect(SVGLayout.wrapped("abcdefghi jk", characters: 9) == ["abcdefghi", "jk"])
    }
}
