// The page of the one that asks, as a value: each rule at its edge.

import Fixtures
import TerminalScreen
import Testing

@testable import eightball

@Suite("The page of the central")
struct CentralPageTests {
    private func page(_ names: String...) -> CentralPage {
        var page = CentralPage()
        for name in names { page.found(name, name: name, strength: -50) }
        return page
    }

    private func shown(_ page: CentralPage, rows: Int = 24, columns: Int = 80) -> [String] {
        var page = page
        var canvas = Canvas(size: ScreenSize(rows: rows, columns: columns))
        page.draw(on: &canvas, .english)
        return canvas.text
    }

    @Test("A ball that is found again has its new name, and its new strength where there is one")
    func foundAgain() {
        var page = self.page("a", "b")
        page.found("a", name: "Kitchen", strength: nil)
        #expect(page.balls.map(\.name) == ["Kitchen", "b"] && page.balls.map(\.strength) == [-50, -50])
        page.found("a", name: "Kitchen", strength: -40)
        page.measured("b", strength: -70)
        page.measured("c", strength: -10)
        #expect(page.balls.map(\.strength) == [-40, -70] && page.chosen == "a")
    }

    @Test("A loss that is reported again counts from the first time, and the choice stays with a ball that stays")
    func losses() {
        var page = self.page("a", "b", "c")
        page.choose("c")
        page.choose("x")
        page.lost("b")
        for _ in 1...10 { page.tick() }
        page.lost("b")
        page.lost("x")
        for _ in 11..<CentralPage.lossTicks { page.tick() }
        #expect(page.balls.count == 3)
        page.tick()
        #expect(page.balls.map(\.identifier) == ["a", "c"] && page.chosen == "c")
        // The last one takes the choice with it.
        for ball in ["a", "c"] { page.lost(ball) }
        for _ in 1...CentralPage.lossTicks { page.tick() }
        #expect(page.balls.isEmpty && page.chosen == nil)
    }

    @Test("What is open or gone moves; what is answered or has failed stands still")
    func animation() {
        var page = self.page("a")
        #expect(!page.isAnimated && page.openConversations.isEmpty)
        #expect(page.ask("a", "Rain?") != nil)
        #expect(page.isAnimated && page.openConversations == ["a"])
        page.confirmed("a", question: "Rain?")
        #expect(page.isAnimated && page.openConversations == ["a"])
        #expect(page.ask("a", "Sun?") == nil && page.hint == .stillAnswering)
        page.answered("a", answer: "SLUG-ANSWER-01")
        #expect(!page.isAnimated && page.openConversations.isEmpty)
        page.lost("a")
        #expect(page.isAnimated)
        page.found("a", name: "a", strength: nil)
        #expect(!page.isAnimated && page.ask("a", "Sun?") != nil)
        page.failed("a", words: "no")
        #expect(!page.isAnimated && page.openConversations.isEmpty)
        #expect(page.ask("a", "Snow?") == .ask(ball: "a", question: "Snow?"))
        page.answered("x", answer: "SLUG-ANSWER-01")
        page.answered("a", answer: "SLUG-ANSWER-01")
        #expect(page.balls[0].conversation == .answered("Snow?", answer: "SLUG-ANSWER-01"))
    }

    @Test("Tab goes around, Page Up and Page Down go ten on and stop at the ends")
    func keys() {
        var page = CentralPage()
        for key in [Key.tab, .backTab, .pageUp, .pageDown] { #expect(page.receive(key) == nil) }
        #expect(page.chosen == nil)
        for number in 0..<12 { page.found("\(number)", name: "", strength: nil) }
        let chosen = [Key.backTab, .tab, .tab, .pageDown, .pageDown, .pageUp, .pageUp, .pageDown].map { key in
            _ = page.receive(key)
            return page.chosen
        }
        #expect(chosen == ["11", "0", "1", "11", "11", "1", "0", "10"])
    }

    @Test("Why a question is not asked is said until the line changes; a key that changes nothing leaves it")
    func hint() {
        var page = self.page("a")
        for character in "Rain" { _ = page.receive(.character(character)) }
        _ = page.receive(.enter)
        #expect(page.hint == .questionHint)
        _ = page.receive(.alt("x"))
        #expect(page.hint == .questionHint && page.editor.text == "Rain")
        _ = page.receive(.left)
        #expect(page.hint == nil)
        _ = page.receive(.enter)
        _ = page.receive(.escape)
        #expect(page.hint == nil && page.editor.text.isEmpty)
        // What was asked has left the line.
        #expect(page.ask("a", "Rain?") != nil && page.editor.text.isEmpty)
    }

    @Test("Balls that fit are all there; with one more, the last row counts those below", arguments: [14, 15])
    func list(count: Int) {
        var page = CentralPage()
        for number in 1...count { page.found("\(number)", name: "Ball \(number)", strength: nil) }
        let rows = shown(page)
        #expect(rows[13].hasPrefix("  Ball 13"))
        #expect(rows[14].hasPrefix(count == 14 ? "  Ball 14" : "  2 more below"))
        // With the last one chosen, those above are counted.
        _ = page.receive(.backTab)
        #expect(shown(page)[14].hasPrefix(count == 14 ? "▸ Ball 14" : "  2 more above"))
    }

    @Test("Before there is a ball, the page says whether Bluetooth is on", arguments: [false, true])
    func waiting(isOn: Bool) {
        var page = CentralPage()
        page.bluetoothChanged(isOn: isOn)
        #expect(shown(page)[2] == "  " + Texts.english(isOn ? .searching : .waitingForBluetooth))
        // In the one row of a small screen, too.
        #expect(shown(page, rows: 7, columns: 40)[1] == "  " + Texts.english(isOn ? .searching : .waitingForBluetooth))
    }

    @Test("A ball that is gone is not counted")
    func count() {
        var page = self.page("a", "b")
        #expect(shown(page)[0].hasSuffix("2 balls"))
        page.lost("a")
        #expect(shown(page)[0].hasSuffix("1 ball"))
        page.lost("b")
        #expect(shown(page)[0].hasSuffix("no ball"))
    }

    @Test("What moves has four pictures, one a tick")
    func turning() {
        var page = self.page("a")
        _ = page.ask("a", "Rain?")
        let pictures = (0..<5).map { _ in
            defer { page.tick() }
            return shown(page)[1].last
        }
        #expect(pictures == ["|", "/", "-", "\\", "|"])
    }
}
