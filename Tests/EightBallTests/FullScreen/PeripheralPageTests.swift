// The page of the one that is asked, as a value: each rule at its edge.

import Fixtures
import TerminalScreen
import Testing

@testable import eightball

@Suite("The page of the ball")
struct PeripheralPageTests {
    /// A page by hand, with an open question.
    private func open() -> PeripheralPage {
        var page = PeripheralPage()
        _ = page.setAnsweredByHand(true)
        page.asked("anna", "Rain?", .open)
        return page
    }

    private func shown(_ page: PeripheralPage, rows: Int = 24, columns: Int = 80) -> [String] {
        var page = page
        var canvas = Canvas(size: ScreenSize(rows: rows, columns: columns))
        page.draw(on: &canvas, .english)
        return canvas.text
    }

    @Test(
        "Keys choose among the twenty answers, and stop at the ends; left and right change the column",
        arguments: [
            ([], 0), ([.up], 0), ([.down], 1), ([.tab], 1), ([.down, .down, .up], 1), ([.end], 19), ([.pageDown], 19),
            ([.end, .down], 19), ([.end, .home], 0), ([.end, .pageUp], 0), ([.left], 10), ([.right], 10),
            ([.end, .right], 9), ([.right, .left], 0), ([.escape], 0), ([.character("x")], 0),
        ] as [([Key], Int)]
    )
    func choice(keys: [Key], number: Int) {
        var page = self.open()
        for key in keys { #expect(page.receive(key, answerCount: 20) == nil) }
        #expect(page.receive(.enter, answerCount: 20) == .answer(central: "anna", question: "Rain?", number: number))
    }

    @Test("Keys of the answers mean nothing while no question is open")
    func closed() {
        var page = PeripheralPage()
        page.asked("anna", "Rain?", .open)
        for key in [Key.enter, .character("r"), .down] { #expect(page.receive(key, answerCount: 20) == nil) }
        _ = page.receive(.character("h"), answerCount: 20)
        // The choice is where it was.
        #expect(page.receive(.enter, answerCount: 20) == .answer(central: "anna", question: "Rain?", number: 0))
        page.answered("anna", "Rain?", answer: "SLUG-ANSWER-00")
        #expect(page.receive(.enter, answerCount: 20) == nil)
    }

    @Test("Two hundred questions are kept, and those that went are counted", arguments: [199, 200, 201, 203])
    func limit(count: Int) {
        var page = self.open()
        for _ in 1..<count { page.asked(nil, "x", .refusedAsNoQuestion) }
        #expect(page.entries.count == min(count, 200) && page.forgottenCount == max(0, count - 200))
        #expect((page.openQuestion == nil) == (count > 200))
        // The number of an entry stays its own.
        #expect((page.answer(entry: 0, with: 1) == nil) == (count > 200))
    }

    @Test("An answer goes to the newest open question that is meant; a failure to whatever is open of the central")
    func ends() {
        var page = PeripheralPage()
        for question in ["One?", "Two?", "One?"] { page.asked("anna", question, .open) }
        page.asked("bert", "One?", .open)
        page.answered("anna", "One?", answer: "A")
        #expect(page.entries.map(\.result) == [.open, .open, .answered("A"), .open])
        page.answered("anna", "Three?", answer: "A")
        page.failed("anna", words: "no")
        #expect(page.entries.map(\.result) == [.open, .failed("no"), .answered("A"), .open])
        #expect(page.hasOpenQuestion(of: "anna") && page.hasOpenQuestion(of: "bert"))
        page.answered("anna", "One?", answer: "B")
        page.failed("anna", words: "no")
        #expect(page.entries.map(\.result) == [.answered("B"), .failed("no"), .answered("A"), .open])
        #expect(!page.hasOpenQuestion(of: "anna"))
        page.lostAll(words: "off")
        #expect(page.entries.map(\.result) == [.answered("B"), .failed("no"), .answered("A"), .failed("off")])
    }

    @Test("Who listens is counted once each")
    func subscribers() {
        var page = PeripheralPage()
        #expect(shown(page)[0].hasSuffix("nobody listens"))
        page.subscribed("a", true)
        page.subscribed("a", true)
        #expect(shown(page)[0].hasSuffix("1 listens"))
        page.subscribed("b", true)
        #expect(shown(page)[0].hasSuffix("2 listen"))
        page.subscribed("a", false)
        page.subscribed("x", false)
        #expect(shown(page)[0].hasSuffix("1 listens"))
        page.lostAll(words: "off")
        #expect(shown(page)[0].hasSuffix("nobody listens"))
    }

    @Test("An answer stands behind its question where both fit, and below it otherwise", arguments: [37, 38])
    func rows(length: Int) {
        var page = PeripheralPage()
        let question = String(repeating: "x", count: length)
        page.asked("anna", question, .answered("SLUG-ANSWER-00"))
        // "anna", two spaces, the question; a space, the arrow and its space; the answer of fourteen.
        let rows = shown(page, rows: 12, columns: 63)
        if length == 37 {
            #expect(rows[9...10] == ["", " anna  \(question)  → It is certain."])
        } else {
            #expect(rows[9...10] == [" anna  \(question)", "           → It is certain."])
        }
    }

    @Test("Only entries that fit whole are shown")
    func fit() {
        var page = PeripheralPage()
        for number in 0..<20 { page.asked(nil, "\(number)", .refusedAsNoQuestion) }
        let rows = shown(page, rows: 12, columns: 63)
        #expect(rows[5] == " ?  14  → refused: not a question")
        #expect(rows[10] == " ?  19  → refused: not a question")
    }
}
