// The page "When something goes wrong" and the sources: each line that the page quotes is written somewhere, and each
// line about wrong use, adapters, the air and kept state that the sources write is on the page.

import Foundation
import Testing

@Suite("The page on what goes wrong")
struct TroubleTests {
    private static let page = "Sources/CoreBluetooth/CoreBluetooth.docc/WhenSomethingGoesWrong.md"

    /// The files whose lines a user meets, each with its text; strings over several lines are joined.
    private static let sources: [(path: String, text: String)] = NamesTests.files.sorted().compactMap { path in
        let modules = ["BluetoothHost", "BluetoothTransport", "BluetoothAirService", "CoreBluetooth"]
        guard path.hasSuffix(".swift"), modules.contains(where: { path.hasPrefix("Sources/\($0)/") }),
            let text = try? Page.text(path)
        else { return nil }
        return (path, text.replacing(/\\\n\s*/, with: "").replacing(/"\n\s*\+ "/, with: ""))
    }

    /// The parts of a line between what differs.
    private static func parts(_ line: some StringProtocol) -> [String] {
        line.split(separator: "…").map { $0.trimmingCharacters(in: CharacterSet(charactersIn: ": ")) }
    }

    @Test("quotes lines that the sources write")
    func quoted() throws {
        let all = Self.sources.map(\.text).joined(separator: "\n").replacing("\\\"", with: "\"")
        var count = 0
        for row in try Page.text(Self.page).split(separator: "\n") where row.hasPrefix("| `") {
            for quote in row.split(separator: " | ")[0].matches(of: /`([^`]+)`/) {
                count += 1
                for part in Self.parts(quote.1) {
                    // A cause and a remedy may stand in two strings.
                    let isThere = part.split(separator: ": ").allSatisfy { all.contains($0) }
                    #expect(isThere, "no source writes \"\(part)\"")
                }
            }
        }
        #expect(count > 120)
    }

    @Test("quotes every line that the sources write")
    func complete() throws {
        let page = try Page.text(Self.page)
        let call = /(?:LogLines\.log|Notice\.once|fatalMisuse|warnWithoutDelegate|TransportError|self\.init)\(/
        // The first string of a call, also one behind a code such as `.inUse`.
        let string =
            /\s*(?:\.[a-zA-Z]+,\s*)?(?:cause \+ )?(?:"{3}\s*(?<long>(?:[^"]|"[^"])*?)\s*"{3}|"(?<short>(?:\\.|[^"\\])*)")/
        var count = 0
        for (path, text) in Self.sources {
            for match in text.matches(of: call) {
                guard let found = text[match.range.upperBound...].prefix(600).prefixMatch(of: string) else { continue }
                let line = (found.long ?? found.short ?? "").replacing("\\\"", with: "\"")
                    .replacing(/\\\((?:[^()]|\([^()]*\))*\)/, with: "…")
                // The longest part tells lines apart; the page may leave the remedy behind the colon to the line
                // itself.
                guard let part = Self.parts(line).max(by: { $0.count < $1.count })?.split(separator: ": ").first,
                    part.count > 5, !part.contains("\\("), part != "[CoreBluetooth]"
                else { continue }
                count += 1
                let isThere = page.contains(part)
                #expect(isThere, "\(path) writes \"\(line)\"")
            }
        }
        #expect(count > 90)
    }
}
