import CommandLineTool
import Fixtures
import Foundation
import TerminalScreen
import Testing

@testable import eightball

@Suite("The pages at random")
struct PagesSimulationTests {
    private static let names = ["Anna", "", "A ball with a name that has no room at all", "漢字漢字漢字", "\u{1B}[2J", "🎱"]
    private static let keys: [Key] = [
        .tab, .backTab, .pageDown, .pageUp, .escape, .enter, .enter, .up, .down, .left, .right, .home, .end, .backspace,
        .text("Will it rain?"), .character("?"), .character("h"), .character("r"), .character("1"), .control("w"),
    ]

    /// Draws on a screen of a random size, whose rows must fit.
    private func check(_ choices: inout SeededChoices, _ draw: (inout Canvas, Texts) -> Void) {
        let size = ScreenSize(rows: choices.below(26), columns: choices.below(92))
        var canvas = Canvas(size: size)
        draw(&canvas, choices.pick(Texts.all))
        #expect(canvas.text.count == size.rows)
        #expect(canvas.text.allSatisfy { ColumnWidth.columns(of: $0) <= size.columns })
    }

    private func check(_ role: WebDocument.Role) throws {
        for texts in Texts.all {
            let text = WebDocument(role: role, pairing: nil, notice: nil).json(texts).text
            let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
            #expect(object?["role"] is String)
        }
    }

    @Test(
        "The central keeps its choice among its balls, and asks no ball twice at once",
        arguments: simulationSeeds(16)
    )
    func central(seed: UInt64) throws {
        var choices = SeededChoices(seed: seed)
        var page = CentralPage()
        let count = choices.pick([1, 3, 25])
        for _ in 0..<150 {
            let ball = "ball \(choices.below(count))"
            let open = page.openConversations
            var action: CentralPage.Action?
            switch choices.below(12) {
            case 0: page.bluetoothChanged(isOn: choices.once(in: 2))
            case 1, 2, 3:
                page.found(ball, name: choices.pick(Self.names), strength: choices.pick([nil, -20, -61, -100]))
            case 4: page.measured(ball, strength: -choices.below(110))
            case 5: page.lost(ball)
            case 6: page.confirmed(ball, question: "Rain?")
            case 7: page.answered(open.first ?? ball, answer: choices.pick(["SLUG-ANSWER-00", "SLUG-ANSWER-20"]))
            case 8: page.failed(open.first ?? ball, words: "words")
            case 9: for _ in 0..<choices.pick([1, 49, 51]) { page.tick() }
            case 10: action = page.ask(ball, choices.pick(["Rain?", "Rain", String(repeating: "x", count: 512) + "?"]))
            default: action = page.receive(choices.pick(Self.keys))
            }
            if case .ask(let asked, let question)? = action {
                #expect(!open.contains(asked) && page.openConversations.contains(asked))
                #expect(question.hasSuffix("?") && question.utf8.count <= 512)
            }
            #expect(page.chosen.map { chosen in page.balls.contains { $0.identifier == chosen } } ?? page.balls.isEmpty)
            check(&choices) { page.draw(on: &$0, $1) }
        }
        try check(.central(page))
    }

    @Test("The ball keeps two hundred questions at most, and answers only open ones", arguments: simulationSeeds(16))
    func peripheral(seed: UInt64) throws {
        var choices = SeededChoices(seed: seed)
        var page = PeripheralPage()
        if seed % 4 == 0 { for number in 0..<199 { page.asked("earlier", "\(number)?", .refusedAsBusy) } }
        for _ in 0..<150 {
            let (central, question) = (choices.pick(["0D665339-0000", "1D66", "漢"]), choices.pick(["Rain?", "Sun?"]))
            var action: PeripheralPage.Action?
            switch choices.below(12) {
            case 0: page.advertises(as: choices.pick(Self.names))
            case 1: page.subscribed(central, choices.once(in: 2))
            case 2: if choices.once(in: 3) { page.lostAll(words: "words") }
            case 3, 4, 5: page.asked(central, question, .open)
            case 6: page.asked(nil, question, choices.pick([.refusedAsBusy, .refusedAsNoQuestion]))
            case 7: page.answered(central, question, answer: "SLUG-ANSWER-07")
            case 8: page.failed(central, words: "words")
            case 9: _ = page.setAnsweredByHand(choices.once(in: 2))
            case 10:
                let number = page.entries.count + page.forgottenCount - choices.below(3)
                action = page.answer(entry: number, with: choices.pick([nil, 0, 19]))
            default: action = page.receive(choices.pick(Self.keys), answerCount: 20)
            }
            switch action {
            case .answer(let central, _, let number):
                #expect(page.hasOpenQuestion(of: central) && (0..<20).contains(number))
            case .answerAtRandom(let central, _): #expect(page.hasOpenQuestion(of: central))
            case .setAnsweredByHand, nil: break
            }
            #expect(page.entries.count <= 200)
            check(&choices) { page.draw(on: &$0, $1) }
        }
        try check(.peripheral(page))
    }
}
