// Sequence diagrams: their text for Mermaid to the letter, and pictures that every reader of XML takes.

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

    @Test("In Mermaid's language")
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

    @Test("As a picture")
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
        "A picture is XML whatever stands in it",
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

    @Test("A diagram of nobody is a picture, too")
    func empty() throws {
        let diagram = SequenceDiagram(title: "Nothing", participants: [])
        #expect(try Self.read(diagram.svg).texts == ["Nothing"])
        #expect(diagram.mermaid.hasSuffix("sequenceDiagram\n"))
    }

    @Test("Nothing leaves the picture, and no row stands on another")
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

    @Test(
        "Text is cut between words, and inside a word that has no room",
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
