import Foundation
import FoundationXML
import Testing

@testable import SequenceDiagram

@Suite("A sequence diagram")
struct SequenceDiagramTests {
    private static let participants = [
        SequenceDiagram.Participant("ITCB", of: "asker"), .init("Core Bluetooth", of: "asker"),
        .init("Core Bluetooth", of: "ball"),
    ]

    private static func diagram(_ rows: SequenceDiagram.Row...) -> SequenceDiagram {
        var diagram = SequenceDiagram(title: "A question", participants: participants)
        diagram.rows = rows
        return diagram
    }

    @Test("is written in Mermaid's language")
    func mermaid() {
        let diagram = Self.diagram(
            .init(.divider("The question")),
            .init(.message(from: 0, to: 1, "readValue(for: 2A19)", isDashed: false), at: "0.1 ms"),
            .init(.message(from: 2, to: 1, "Read Response = 64; #1 <x>", isDashed: true)),
            .init(.note(2, "has a\nsubscriber"), at: "2.0 ms")
        )
        #expect(
            diagram.mermaid == """
                ---
                title: "A question"
                ---
                sequenceDiagram
                    box asker
                        participant P0 as ITCB
                        participant P1 as Core Bluetooth
                    end
                    box ball
                        participant P2 as Core Bluetooth
                    end
                    Note over P0,P2: The question
                    P0->>P1: 0.1 ms readValue(for: 2A19)
                    P2-->>P1: Read Response = 64#59; #35;1 #60;x#62;
                    Note over P2: 2.0 ms has a subscriber

                """
        )
    }

    /// The texts of a picture in the order of the file, and the numbers of its elements by name.
    private final class Reader: NSObject, XMLParserDelegate {
        var texts: [String] = []
        var counts: [String: Int] = [:]
        private var text: String?

        func parser(
            _ parser: XMLParser,
            didStartElement name: String,
            namespaceURI: String?,
            qualifiedName: String?,
            attributes: [String: String]
        ) {
            counts[name, default: 0] += 1
            text = name == "text" ? "" : nil
        }

        func parser(_ parser: XMLParser, foundCharacters string: String) { text? += string }

        func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
            if let text { texts.append(text) }
            text = nil
        }
    }

    private static func read(_ svg: String) throws -> Reader {
        let reader = Reader()
        let parser = XMLParser(data: Data(svg.utf8))
        parser.delegate = reader
        try #require(parser.parse(), "\(String(describing: parser.parserError)) in \(svg)")
        return reader
    }

    @Test("is drawn as a picture with its texts in order")
    func svg() throws {
        let picture = try Self.read(
            Self.diagram(
                .init(.message(from: 0, to: 1, "connect(\"Crystal\")", isDashed: false), at: "0.1 ms"),
                .init(.message(from: 1, to: 1, "Start scanning", isDashed: false)),
                .init(.note(2, "advertises"), at: "2.0 ms")
            ).svg
        )
        #expect(
            picture.texts == [
                "A question", "asker", "ball", "ITCB", "Core Bluetooth", "Core Bluetooth", "connect(\"Crystal\")",
                "0.1 ms",
                "Start scanning", "advertises", "2.0 ms",
            ]
        )
        // The page, two devices, one note; the head of arrows, three lines, two arrows.
        #expect(picture.counts["rect"] == 4)
        #expect(picture.counts["path"] == 6)
    }

    @Test(
        "is valid XML whatever its texts are",
        arguments: ["<script>alert(1)</script>", "a & b", "]]>", "\u{0}\u{1B}[31m\u{FFFE}", "\"'", "👩‍👩‍👧‍👦 مرحبا", ""]
    )
    func hostile(text: String) throws {
        var diagram = Self.diagram(
            .init(.message(from: 0, to: 2, text, isDashed: true), at: text),
            .init(.note(0, text)),
            .init(.divider(text))
        )
        diagram.title = text
        diagram.participants[0] = .init(text, of: text)
        let picture = try Self.read(diagram.svg)
        #expect(picture.counts["script"] == nil)
    }

    @Test("is a picture without participants, too, with dividers")
    func empty() throws {
        var diagram = SequenceDiagram(title: "Nothing", participants: [])
        #expect(try Self.read(diagram.svg).texts == ["Nothing"])
        diagram.rows = [.init(.divider("x"))]
        #expect(diagram.mermaid.hasSuffix("sequenceDiagram\n    Note over P0,P0: x\n"))
        #expect(diagram.svg.contains("<text class=\"label\" x=\"240\" y=\"112\">x</text>"))
    }

    @Test("keeps all rows inside the picture, none on another")
    func layout() {
        let long = String(repeating: "didUpdateNotificationStateFor ", count: 6)
        let layout = SVGLayout(
            Self.diagram(
                .init(.note(0, long)),
                .init(.note(2, long)),
                .init(.message(from: 0, to: 2, long, isDashed: false)),
                .init(.message(from: 2, to: 1, "short", isDashed: false))
            )
        )
        for placed in layout.rows {
            let half = Double(placed.lines.map(\.count).max() ?? 0) * SVGLayout.characterWidth / 2
            #expect(placed.center - half >= 0 && placed.center + half <= layout.width)
        }
        for (row, next) in zip(layout.rows, layout.rows.dropFirst()) { #expect(row.top + row.height <= next.top) }
        #expect(layout.rows.last.map { $0.top + $0.height <= layout.height } == true)
        #expect(layout.positions == layout.positions.sorted())
    }

    @Test("has every line, box and text in its place")
    func places() {
        var diagram = SequenceDiagram(
            title: "A question",
            participants: [.init("app", of: "asker"), .init("host", of: "asker"), .init("host", of: "ball")]
        )
        diagram.rows = [
            .init(.divider("Begin"), at: "0.0 ms"),
            .init(.message(from: 0, to: 1, "connect", isDashed: false), at: "0.1 ms"),
            .init(.message(from: 2, to: 1, "one two three four five six seven eight nine ten", isDashed: true)),
            .init(.message(from: 1, to: 1, "Start scanning", isDashed: true)),
            .init(.note(2, "advertises"), at: "2.0 ms"),
        ]
        let lines = diagram.svg.split(separator: "\n").map(String.init)
        let body = lines.drop { !$0.hasPrefix("<rect class=\"page\"") }
        #expect(lines[0].contains("viewBox=\"0 0 640 296\" width=\"640\" height=\"296\""))
        #expect(
            body.joined(separator: "\n") == """
                <rect class="page" width="100%" height="100%" rx="8"/>
                <text class="title" x="16" y="26">A question</text>
                <rect class="band" x="68" y="40" width="290" height="42" rx="6"/>
                <text class="device" x="213" y="56">asker</text>
                <rect class="band" x="482" y="40" width="140" height="42" rx="6"/>
                <text class="device" x="552" y="56">ball</text>
                <text class="name" x="138" y="75">app</text>
                <path class="line" d="M138 82L138 284"/>
                <text class="name" x="288" y="75">host</text>
                <path class="line" d="M288 82L288 284"/>
                <text class="name" x="552" y="75">host</text>
                <path class="line" d="M552 82L552 284"/>
                <path class="divider" d="M16 118L624 118"/>
                <text class="label" x="320" y="112">Begin</text>
                <text class="time" x="56" y="106">0.0 ms</text>
                <text class="text" x="213" y="146">connect</text>
                <path class="arrow" d="M138 153L287 153"/>
                <text class="time" x="56" y="146">0.1 ms</text>
                <text class="text" x="420" y="176">one two three four five six seven</text>
                <text class="text" x="420" y="192">eight nine ten</text>
                <path class="arrow dashed" d="M552 199L289 199"/>
                <text class="text" x="378" y="222">Start scanning</text>
                <path class="arrow dashed" d="M288 221h14v8h-12"/>
                <rect class="note" x="510.5" y="238" width="83" height="25" rx="4"/>
                <text class="text" x="552" y="255">advertises</text>
                <text class="time" x="56" y="252">2.0 ms</text>
                </svg>
                """
        )
    }

    @Test("moves neighbours apart for a long word, by 264 at most, and is at least 480 wide")
    func widths() {
        func layout(_ word: Int, from: Int = 0, to: Int = 1) -> SVGLayout {
            let text = String(repeating: "w", count: word) + " and more"
            return SVGLayout(Self.diagram(.init(.message(from: from, to: to, text, isDashed: false))))
        }
        #expect(layout(18).positions == [138, 288, 552])
        #expect(layout(20).positions == [138, 138 + 20 * SVGLayout.characterWidth + 20, 138 + 162 + 264])
        #expect(layout(20, from: 1, to: 0).positions == layout(20).positions)
        #expect(layout(35).positions == [138, 402, 666] && layout(35).width == 754)
        // Not between others.
        #expect(layout(35, from: 0, to: 2).positions == [138, 288, 552])
        #expect(SVGLayout(SequenceDiagram(title: "", participants: [.init("a", of: "b")])).width == 480)
    }

    @Test("keeps a note at an edge inside")
    func notes() {
        let text = String(repeating: "n", count: 24)
        let layout = SVGLayout(Self.diagram(.init(.note(0, text)), .init(.note(2, text))))
        let half = SVGLayout.noteWidth([text]) / 2
        #expect(abs(half - (24 * 7.1 / 2 + 6)) < 0.001)
        #expect(layout.rows.map(\.center) == [66 + half, 640 - half - 4])
    }

    @Test("matches equal packets in the order in which they were sent and received, within the time")
    func receptions() {
        func packet(_ device: String, _ isSent: Bool, _ seconds: Int, _ content: String = "x") -> SequenceDiagram.Packet
        {
            .init(content: content, device: device, isSent: isSent, time: .seconds(seconds))
        }
        func receptions(_ packets: SequenceDiagram.Packet?...) -> [Int: Int] {
            SequenceDiagram.receptions(of: packets)
        }
        #expect(
            receptions(packet("a", true, 0), packet("a", true, 1), packet("b", false, 2), packet("b", false, 3)) == [
                0: 2, 1: 3,
            ]
        )
        #expect(receptions(packet("a", true, 0), nil, packet("b", false, 39)) == [0: 2])
        // Too late, at its sender, a different packet, or received before it was sent.
        #expect(receptions(packet("a", true, 0), packet("b", false, 40)).isEmpty)
        #expect(receptions(packet("a", true, 0), packet("a", false, 1)).isEmpty)
        #expect(receptions(packet("a", true, 0), packet("b", false, 1, "y")).isEmpty)
        #expect(receptions(packet("b", false, 0), packet("a", true, 0)).isEmpty)
        // A packet that is too old does not match, and a matched one does not match again.
        #expect(receptions(packet("a", true, 0), packet("a", true, 5), packet("b", false, 42)) == [1: 2])
        #expect(receptions(packet("a", true, 0), packet("b", false, 1), packet("c", false, 2)) == [0: 1])
    }

    @Test(
        "shortens more than 20 digits to the first eight",
        arguments: [
            ("", ""), ("a  b", "a  b"), ("(01234567-89AB-CDEF-01)", "(01234567…)"),
            ("12345678901234567890", "12345678901234567890"), ("123456789012345678901", "12345678…"),
            ("x=123456789012345678901!", "x=12345678…!"),
        ]
    )
    func shortened(text: String, shown: String) {
        #expect(SequenceDiagram.shortened(text) == shown)
    }

    @Test(
        "breaks text between words, and inside a word that has no room",
        arguments: [
            ("", [""]), ("one", ["one"]), ("one two six", ["one two", "six"]), ("one twos six", ["one twos", "six"]),
            ("one twoesy six", ["one", "twoesy", "six"]), ("abcdefghijkl", ["abcdefgh", "ijkl"]),
            ("a abcdefghijkl m", ["a", "abcdefgh", "ijkl m"]),
        ]
    )
    func wrapping(text: String, lines: [String]) {
        #expect(SVGLayout.wrapped(text, characters: 8) == lines)
    }
}
