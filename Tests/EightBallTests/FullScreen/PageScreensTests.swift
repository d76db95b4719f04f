// Whole screens of the full-screen app, with the style of each cell beside its text: where everything stands in a
// terminal of each size, and what is left out of small ones.

import Testing

@testable import TerminalScreen
@testable import eightball

@Suite("Screens of eightball")
struct PageScreensTests {
    private let texts = Texts.english

    /// What a style is written as beside a screen.
    private static func letter(_ style: TextStyle) -> Character {
        if style.isReversed { return style.isBold ? "R" : "r" }
        if style.isDim { return "d" }
        let colors: [TextColor: Character] = [.red: "e", .green: "g", .yellow: "y", .cyan: "c"]
        let color = style.color.flatMap { colors[$0] }
        if style.isBold { return color.map { Character($0.uppercased()) } ?? "b" }
        return color ?? "."
    }

    /// The rows of a screen, each followed by the styles of its cells where one of them is not plain.
    private func screen(_ rows: Int, _ columns: Int, _ draw: (inout Canvas) -> Void) -> String {
        var canvas = Canvas(size: ScreenSize(rows: rows, columns: columns))
        draw(&canvas)
        var lines: [String] = []
        for row in 0..<rows {
            lines.append("|" + canvas.text[row])
            let styles = String(canvas.row(row).map { Self.letter($0.style) })
            if styles.contains(where: { $0 != "." }) { lines.append(":" + Self.runs(styles)) }
        }
        if let cursor = canvas.cursor { lines.append("cursor \(cursor.row) \(cursor.column)") }
        return lines.joined(separator: "\n")
    }

    /// Equal neighbours as one letter with a count.
    private static func runs(_ styles: String) -> String {
        var runs: [(Character, Int)] = []
        for style in styles {
            if let last = runs.last, last.0 == style {
                runs[runs.count - 1].1 += 1
            } else {
                runs.append((style, 1))
            }
        }
        return runs.map { "\($0.0)\($0.1)" }.joined(separator: " ")
    }

    /// Five balls, of which the chosen one is in a state; what comes next is being written.
    private func central(_ state: ExpectedScreen.State) -> CentralPage {
        var page = CentralPage()
        guard state != .noBalls else { return page }
        for (identifier, name, strength) in [
            ("a", "Kitchen", -45), ("b", "Garage", nil), ("c", "Attic", -62), ("d", "Cellar", -71),
            ("e", "Garden", -55),
        ] as [(String, String, Int?)] { page.found(identifier, name: name, strength: strength) }
        for question in ["One?", "Two?", "Will it rain today, or only tomorrow?", "Four?"] {
            for character in question { _ = page.receive(.character(character)) }
            _ = page.receive(.enter)
            _ = page.receive(.tab)
        }
        page.confirmed("b", question: "Two?")
        page.answered("c", answer: "SLUG-ANSWER-08")
        page.failed("d", words: "went offline")
        page.lost("e")
        page.tick()
        if state == .confirmed { page.tick() }
        for character in "Next" { _ = page.receive(.character(character)) }
        let steps: Int =
            switch state {
            case .asking: 1
            case .confirmed: 2
            case .answered: 3
            default: 4
            }
        for _ in 0..<steps { _ = page.receive(.tab) }
        return page
    }

    /// A ball that nobody can find, or one with questions of which one waits for a person.
    private func peripheral(_ state: ExpectedScreen.State) -> PeripheralPage {
        var page = PeripheralPage()
        guard state == .byHand else { return page }
        page.advertises(as: "Kitchen")
        page.subscribed("0D665339-0000", true)
        page.subscribed("1D665339-0000", true)
        page.asked("0D665339-0000", "First?", .open)
        page.answered("0D665339-0000", "First?", answer: "SLUG-ANSWER-03")
        page.asked("1D665339-0000", "Rain", .refusedAsNoQuestion)
        page.asked("0D665339-0000", "Second?", .open)
        page.failed("0D665339-0000", words: "went offline")
        _ = page.receive(.character("h"), answerCount: 20)
        page.asked("1D665339-0000", "Will it rain today, or only tomorrow?", .open)
        page.asked("0D665339-0000", "And I?", .refusedAsBusy)
        _ = page.receive(.down, answerCount: 20)
        _ = page.receive(.right, answerCount: 20)
        return page
    }

    @Test("Everything stands in its place, on terminals of each size", arguments: ExpectedScreen.all.indices)
    func screens(index: Int) {
        let expected = ExpectedScreen.all[index]
        let shown = self.screen(expected.rows, expected.columns) { canvas in
            switch expected.state {
            case .noBalls, .asking, .confirmed, .answered, .failed:
                var page = self.central(expected.state)
                page.draw(on: &canvas, self.texts)
            case .hidden, .byHand:
                var page = self.peripheral(expected.state)
                page.draw(on: &canvas, self.texts)
            }
        }
        for (row, pair) in zip(shown.split(separator: "\n"), expected.screen.split(separator: "\n")).enumerated() {
            #expect(pair.0 == pair.1, "line \(row)")
        }
        #expect(shown.count == expected.screen.count)
    }
}
