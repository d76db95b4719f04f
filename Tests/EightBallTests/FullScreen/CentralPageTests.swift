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

    private static func type(_ text: String, into page: inout CentralPage) {
        for character in text { _ = page.receive(.character(character)) }
    }

    @Test("asks the chosen ball, and keeps a conversation for each")
    func conversations() {
        var page = CentralPage()
        page.found("a", name: "Kitchen", strength: -45)
        page.found("b", name: "Garage", strength: nil)
        Self.type("Will it rain?", into: &page)
        #expect(page.receive(.enter) == .ask(ball: "a", question: "Will it rain?"))
        _ = page.receive(.tab)
        Self.type("And here?", into: &page)
        #expect(page.receive(.enter) == .ask(ball: "b", question: "And here?"))
        #expect(page.openConversations == ["a", "b"])
        page.confirmed("b", question: "And here?")
        page.answered("a", answer: "SLUG-ANSWER-08")
        page.failed("b", words: "went offline")
        #expect(page.balls[0].conversation == .answered("Will it rain?", answer: "SLUG-ANSWER-08"))
        #expect(page.balls[1].conversation == .failed("And here?", words: "went offline"))
        // Late events change nothing.
        page.answered("b", answer: "SLUG-ANSWER-01")
        page.failed("a", words: "x")
        page.confirmed("a", question: "?")
        #expect(page.balls[0].conversation == .answered("Will it rain?", answer: "SLUG-ANSWER-08"))
        #expect(page.balls[1].conversation == .failed("And here?", words: "went offline"))
    }

    @Test("refuses a question of a browser, with the reason")
    func refusedQuestions() {
        var page = CentralPage()
        #expect(page.ask("a", "Will it rain?") == nil && page.hint == .chooseFirst)
        page.found("a", name: "Kitchen", strength: -45)
        #expect(page.ask("a", "Rain") == nil && page.hint == .questionHint)
        #expect(page.ask("a", String(repeating: "ä", count: 300) + "?") == nil && page.hint == .questionLength)
        #expect(page.ask("a", "Will it rain?") != nil && page.hint == nil)
        #expect(page.ask("a", "And now?") == nil && page.hint == .stillAnswering)
        page.answered("a", answer: "SLUG-ANSWER-08")
        page.lost("a")
        #expect(page.ask("a", "And now?") == nil && page.hint == .chooseFirst)
    }

    @Test("keeps the chosen one of a hundred balls visible, and counts the others")
    func scrolling() {
        var page = CentralPage()
        for number in 0..<100 { page.found("\(number)", name: "Ball \(number)", strength: -50) }
        for (key, count, ball, row, others) in [
            (.tab, 0, 0, 1, "  87 more below"), (.tab, 20, 20, 13, "  8 more above, 79 more below"),
            (.pageDown, 1, 30, 13, "  18 more above, 69 more below"), (.backTab, 31, 99, 13, "  87 more above"),
        ] as [(Key, Int, Int, Int, String)] {
            for _ in 0..<count { _ = page.receive(key) }
            let rows = shown(page)
            #expect(rows[row].hasPrefix("▸ Ball \(ball)") && rows[14] == others)
        }
    }

    @Test("shows name, signal and answer of a ball as far as they fit")
    func row() {
        var page = CentralPage()
        page.found("a", name: "Garage 🚗 漢字", strength: -62)
        Self.type("Now?", into: &page)
        _ = page.receive(.enter)
        page.answered("a", answer: "SLUG-ANSWER-00")
        let wide = shown(page)
        #expect(wide[0] == " Magic 8-Ball · Central                                                  1 ball")
        #expect(wide[1] == "▸ Garage 🚗 漢字                 ▂▄▆█ -62 dBm   It is certain.")
        #expect(wide[16] == "    .-\"\"\"-.     Garage 🚗 漢字" && wide[18].hasSuffix("It is certain."))
        let narrow = shown(page, rows: 12, columns: 40)
        #expect(narrow[1] == "▸ Garage 🚗 漢字         ▂▄▆█ -62 dBm")
        #expect(narrow[7...8] == ["  Garage 🚗 漢字: Now?", "  It is certain."])
        #expect(narrow.allSatisfy { ColumnWidth.columns(of: $0) <= 40 })
        #expect(narrow[11] == " Enter ask  Tab next ball  Ctrl-C quit")
    }

    @Test("updates name and strength of a ball that is found again")
    func foundAgain() {
        var page = self.page("a", "b")
        page.found("a", name: "Kitchen", strength: nil)
        #expect(page.balls.map(\.name) == ["Kitchen", "b"] && page.balls.map(\.strength) == [-50, -50])
        page.found("a", name: "Kitchen", strength: -40)
        page.measured("b", strength: -70)
        page.measured("c", strength: -10)
        #expect(page.balls.map(\.strength) == [-40, -70] && page.chosen == "a")
    }

    @Test("removes a lost ball fifty ticks after the first report, and keeps the choice")
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
        // Removing the last one clears the choice.
        for ball in ["a", "c"] { page.lost(ball) }
        for _ in 1...CentralPage.lossTicks { page.tick() }
        #expect(page.balls.isEmpty && page.chosen == nil)
    }

    @Test("moves while a question is open or a ball is gone")
    func animation() {
        var page = self.page("a")
        #expect(!page.isAnimated && page.openConversations.isEmpty)
        #expect(page.ask("a", "Rain?") != nil)
        #expect(page.isAnimated && page.openConversations == ["a"])
        page.confirmed("a", question: "Rain?")
        #expect(page.isAnimated && page.openConversations == ["a"])
        page.answered("a", answer: "SLUG-ANSWER-01")
        #expect(!page.isAnimated && page.openConversations.isEmpty)
        page.lost("a")
        #expect(page.isAnimated)
        page.found("a", name: "a", strength: nil)
        #expect(!page.isAnimated && page.ask("a", "Sun?") != nil)
        page.failed("a", words: "no")
        #expect(!page.isAnimated && page.openConversations.isEmpty)
    }

    @Test("goes around with Tab, and ten on with Page Up and Page Down")
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

    @Test("shows a hint until the line changes")
    func hint() {
        var page = CentralPage()
        func row() -> String { shown(page)[22] }
        #expect(page.receive(.enter) == nil)
        #expect(row() == " Question:")
        Self.type("Rain", into: &page)
        #expect(page.receive(.enter) == nil)
        #expect(row() == " a question ends with \"?\": Rain")
        _ = page.receive(.alt("x"))
        #expect(page.hint == .questionHint && page.editor.text == "Rain")
        _ = page.receive(.left)
        #expect(page.hint == nil)
        _ = page.receive(.right)
        Self.type("?", into: &page)
        #expect(row() == " Question: Rain?")
        #expect(page.receive(.enter) == nil)
        #expect(row() == " no ball is here: Rain?")
        page.found("a", name: "Kitchen", strength: -45)
        page.lost("a")
        #expect(page.receive(.enter) == nil)
        page.found("a", name: "Kitchen", strength: -45)
        // The question is removed from the line.
        #expect(page.receive(.enter) == .ask(ball: "a", question: "Rain?") && page.editor.text.isEmpty)
        Self.type("Sun?", into: &page)
        #expect(page.receive(.enter) == nil)
        #expect(row() == " it is still working on a question: Sun?")
        _ = page.receive(.escape)
        #expect(row() == " Question:" && page.hint == nil && page.editor.text.isEmpty)
    }

    @Test("shows balls that fit, and counts the others in the last row", arguments: [14, 15])
    func list(count: Int) {
        var page = CentralPage()
        for number in 1...count { page.found("\(number)", name: "Ball \(number)", strength: nil) }
        let rows = shown(page)
        #expect(rows[13].hasPrefix("  Ball 13"))
        #expect(rows[14].hasPrefix(count == 14 ? "  Ball 14" : "  2 more below"))
        // With the last one chosen, the others are above.
        _ = page.receive(.backTab)
        #expect(shown(page)[14].hasPrefix(count == 14 ? "▸ Ball 14" : "  2 more above"))
    }

    @Test("says whether Bluetooth is on before there is a ball", arguments: [false, true])
    func waiting(isOn: Bool) {
        var page = CentralPage()
        page.bluetoothChanged(isOn: isOn)
        #expect(shown(page)[2] == "  " + Texts.english(isOn ? .searching : .waitingForBluetooth))
        // Also in the one row of a small screen.
        #expect(shown(page, rows: 7, columns: 40)[1] == "  " + Texts.english(isOn ? .searching : .waitingForBluetooth))
    }

    @Test("turns through four pictures, one per tick")
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
