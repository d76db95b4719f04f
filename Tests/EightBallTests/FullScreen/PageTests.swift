// The pages of the full-screen app, as values: keys and events go in, a canvas comes out.

import TerminalScreen
import Testing

@testable import eightball

@Suite("The pages of eightball")
struct PageTests {
    private let texts = Texts.english

    private func shown(_ rows: Int, _ columns: Int, _ draw: (inout Canvas) -> Void) -> [String] {
        var canvas = Canvas(size: ScreenSize(rows: rows, columns: columns))
        draw(&canvas)
        return canvas.text
    }

    private func type(_ text: String, into page: inout CentralPage) {
        for character in text { _ = page.receive(.character(character)) }
    }

    // MARK: Central

    @Test("A question goes to the chosen ball, and each ball has a conversation of its own")
    func conversations() {
        var page = CentralPage()
        page.found("a", name: "Kitchen", strength: -45)
        page.found("b", name: "Garage", strength: nil)
        type("Will it rain?", into: &page)
        #expect(page.receive(.enter) == .ask(ball: "a", question: "Will it rain?"))
        _ = page.receive(.tab)
        type("And here?", into: &page)
        #expect(page.receive(.enter) == .ask(ball: "b", question: "And here?"))
        #expect(page.openConversations == ["a", "b"])
        page.confirmed("b", question: "And here?")
        page.answered("a", answer: "SLUG-ANSWER-08")
        page.failed("b", words: "went offline")
        #expect(page.balls[0].conversation == .answered("Will it rain?", answer: "SLUG-ANSWER-08"))
        #expect(page.balls[1].conversation == .failed("And here?", words: "went offline"))
        // What comes late changes nothing.
        page.answered("b", answer: "SLUG-ANSWER-01")
        page.failed("a", words: "x")
        page.confirmed("a", question: "?")
        #expect(page.balls[0].conversation == .answered("Will it rain?", answer: "SLUG-ANSWER-08"))
        #expect(page.balls[1].conversation == .failed("And here?", words: "went offline"))
    }

    @Test("What is no question is not asked, nor is a ball that is not there or still works, and the page says why")
    func refusals() {
        var page = CentralPage()
        func hint() -> String {
            var page = page
            return shown(24, 80) { page.draw(on: &$0, texts) }[22]
        }
        #expect(page.receive(.enter) == nil)
        #expect(hint() == " Question:")
        type("Rain", into: &page)
        #expect(page.receive(.enter) == nil)
        #expect(hint() == " a question ends with \"?\": Rain")
        type("?", into: &page)
        #expect(hint() == " Question: Rain?")
        #expect(page.receive(.enter) == nil)
        #expect(hint() == " no ball is here: Rain?")
        page.found("a", name: "Kitchen", strength: -45)
        page.lost("a")
        #expect(page.receive(.enter) == nil)
        page.found("a", name: "Kitchen", strength: -45)
        #expect(page.receive(.enter) == .ask(ball: "a", question: "Rain?"))
        type("Sun?", into: &page)
        #expect(page.receive(.enter) == nil)
        #expect(hint() == " it still works on a question: Sun?")
        _ = page.receive(.escape)
        #expect(hint() == " Question:")
        #expect(page.editor.text.isEmpty)
    }

    @Test("A ball that went is seen for five seconds, and the next one is chosen then")
    @MainActor
    func losses() {
        #expect(CentralPage.lossTicks * Ticks.interval == 5000)
        var page = CentralPage()
        for name in ["a", "b", "c"] { page.found(name, name: name, strength: -50) }
        _ = page.receive(.tab)
        page.lost("b")
        for _ in 1..<CentralPage.lossTicks { page.tick() }
        #expect(page.balls.count == 3 && page.isAnimated)
        page.tick()
        #expect(page.balls.map(\.identifier) == ["a", "c"])
        #expect(page.chosen == "c")
        page.lost("c")
        for _ in 1...CentralPage.lossTicks { page.tick() }
        #expect(page.chosen == "a")
        page.lost("a")
        // One that comes back in time stays.
        page.found("a", name: "a", strength: -51)
        for _ in 1...CentralPage.lossTicks { page.tick() }
        #expect(page.balls.map(\.strength) == [-51])
        #expect(!page.isAnimated)
    }

    @Test("Of a hundred balls the chosen one is in sight, and the page says how many are not")
    func scrolling() {
        var page = CentralPage()
        for number in 0..<100 { page.found("\(number)", name: "Ball \(number)", strength: -50) }
        var rows = shown(24, 80) { page.draw(on: &$0, texts) }
        #expect(rows[1].hasPrefix("▸ Ball 0"))
        #expect(rows[14] == "  87 more below")
        for _ in 0..<20 { _ = page.receive(.tab) }
        rows = shown(24, 80) { page.draw(on: &$0, texts) }
        #expect(rows[13].hasPrefix("▸ Ball 20"))
        #expect(rows[14] == "  8 more above, 79 more below")
        _ = page.receive(.pageDown)
        rows = shown(24, 80) { page.draw(on: &$0, texts) }
        #expect(rows[13].hasPrefix("▸ Ball 30"))
        for _ in 0..<31 { _ = page.receive(.backTab) }
        rows = shown(24, 80) { page.draw(on: &$0, texts) }
        #expect(rows[13].hasPrefix("▸ Ball 99"))
        #expect(rows[14] == "  87 more above")
    }

    @Test("A row: name, bars, strength, and what the ball says, as far as there is room")
    func row() {
        var page = CentralPage()
        page.found("a", name: "Garage 🚗 漢字", strength: -62)
        type("Now?", into: &page)
        _ = page.receive(.enter)
        page.answered("a", answer: "SLUG-ANSWER-00")
        let wide = shown(24, 80) { page.draw(on: &$0, texts) }
        #expect(wide[0] == " Magic 8-Ball · Central                                                  1 ball")
        #expect(wide[1] == "▸ Garage 🚗 漢字                 ▂▄▆█ -62 dBm   It is certain.")
        #expect(wide[16] == "    .-\"\"\"-.     Garage 🚗 漢字")
        #expect(wide[18].hasSuffix("It is certain."))
        let narrow = shown(12, 40) { page.draw(on: &$0, texts) }
        #expect(narrow[1] == "▸ Garage 🚗 漢字         ▂▄▆█ -62 dBm")
        #expect(narrow[7...8] == ["  Garage 🚗 漢字: Now?", "  It is certain."])
        #expect(narrow.allSatisfy { ColumnWidth.columns(of: $0) <= 40 })
        #expect(narrow[11] == " Enter ask  Tab next ball  Ctrl-C quit")
    }

    @Test(
        "Four bars by the strength",
        arguments: [(-20, 4), (-50, 4), (-51, 3), (-60, 3), (-61, 2), (-70, 2), (-71, 1), (-127, 1)]
    )
    func bars(strength: Int, count: Int) {
        #expect(SignalBars(strength: strength).count == count)
    }

    @Test("No size is too small to be drawn", arguments: [(0, 0), (1, 1), (3, 5), (5, 200), (200, 3)])
    func sizes(rows: Int, columns: Int) {
        var central = CentralPage()
        for number in 0..<9 { central.found("\(number)", name: "漢字 \(number)", strength: -50) }
        type("Will it rain?", into: &central)
        _ = central.receive(.enter)
        var peripheral = PeripheralPage()
        _ = peripheral.receive(.character("h"), answerCount: 20)
        for number in 0..<9 { peripheral.asked("\(number)", "漢字?", .open) }
        for texts in Texts.all {
            #expect(shown(rows, columns) { central.draw(on: &$0, texts) }.count == rows)
            #expect(shown(rows, columns) { peripheral.draw(on: &$0, texts) }.count == rows)
            #expect(shown(rows, columns) { RolePage().draw(on: &$0, texts) }.count == rows)
        }
    }

    @Test("The role is chosen by arrows and Enter, or by its number or letter")
    func roles() {
        for (keys, action) in [
            ([.enter], .central), ([.character(" ")], .central), ([.down, .enter], .peripheral),
            ([.up, .enter], .peripheral), ([.tab, .enter], .peripheral), ([.backTab, .enter], .peripheral),
            ([.down, .down, .enter], .central), ([.character("1")], .central), ([.character("c")], .central),
            ([.character("2")], .peripheral), ([.character("p")], .peripheral), ([.character("q")], .quit),
            ([.control("d")], .quit), ([.character("x")], nil), ([.left], nil),
        ] as [([Key], RolePage.Action?)] {
            var page = RolePage()
            #expect(keys.map { page.receive($0) }.last == action, "\(keys)")
        }
    }

    @Test("The choice of the role stands in the middle, with the picture where there is room")
    func rolePage() {
        let page = RolePage()
        let wide = shown(24, 60) { page.draw(on: &$0, texts) }
        #expect(wide[9] == "     .-\"\"\"-.     \(texts(.chooseRole))")
        #expect(wide[11].hasSuffix("▸ 1  Central: \(texts(.centralHint))".prefix(43)))
        let narrow = shown(24, 59) { page.draw(on: &$0, texts) }
        #expect(narrow[9] == "  \(texts(.chooseRole))")
        #expect(narrow[11].hasPrefix("  ▸ 1  Central: ") && narrow[12].hasPrefix("    2  Peripheral: "))
        // On a small terminal it stands below the title.
        let small = shown(8, 40) { page.draw(on: &$0, texts) }
        #expect(small[2] == "  \(texts(.chooseRole))" && small[4].hasPrefix("  ▸ 1  Central"))
    }

    // MARK: Peripheral

    @Test("By hand a question is open until it is answered, from the table or at random")
    func byHand() {
        var page = PeripheralPage()
        page.asked("central", "First?", .open)
        #expect(page.openQuestion == nil)
        #expect(page.receive(.enter, answerCount: 20) == nil)
        page.answered("central", "First?", answer: "SLUG-ANSWER-00")
        #expect(page.receive(.character("h"), answerCount: 20) == .setAnsweredByHand(true))
        page.asked("central", "Second?", .open)
        #expect(page.receive(.up, answerCount: 20) == nil)
        #expect(page.receive(.enter, answerCount: 20) == .answer(central: "central", question: "Second?", number: 0))
        for _ in 0..<30 { _ = page.receive(.down, answerCount: 20) }
        #expect(page.receive(.enter, answerCount: 20) == .answer(central: "central", question: "Second?", number: 19))
        _ = page.receive(.left, answerCount: 20)
        #expect(page.receive(.enter, answerCount: 20) == .answer(central: "central", question: "Second?", number: 9))
        #expect(
            page.receive(.character("r"), answerCount: 20) == .answerAtRandom(central: "central", question: "Second?")
        )
        page.answered("central", "Second?", answer: "SLUG-ANSWER-09")
        #expect(page.openQuestion == nil)
        #expect(page.receive(.character("h"), answerCount: 20) == .setAnsweredByHand(false))
    }

    @Test("The newest questions are seen with who asked and what became of them, and the last 200 are kept")
    func entries() {
        var page = PeripheralPage()
        page.advertises(as: "Kitchen")
        page.subscribed("0D665339-0000", true)
        for number in 0..<300 { page.asked("0D665339-0000", "Number \(number)?", .open) }
        page.answered("0D665339-0000", "Number 299?", answer: "SLUG-ANSWER-03")
        page.asked(nil, "Rain", .refusedAsNoQuestion)
        #expect(page.entries.count == PeripheralPage.entryLimit)
        #expect(page.hasOpenQuestion(of: "0D665339-0000") && !page.hasOpenQuestion(of: "other"))
        let rows = shown(24, 80) { page.draw(on: &$0, texts) }
        #expect(rows[0].hasSuffix("1 listens"))
        #expect(rows[2].hasSuffix("\"Kitchen\" is a Magic 8-Ball now"))
        #expect(rows[20] == " 0D665339  Number 298?  → …")
        #expect(rows[21] == " 0D665339  Number 299?  → Yes definitely.")
        #expect(rows[22] == " ?  Rain  → refused: not a question")
        page.lostAll(words: "went offline")
        #expect(page.entries[0].result == .failed("went offline"))
        #expect(page.subscribers.isEmpty && page.advertisedName == nil)
    }

    // MARK: Texts

    @Test(
        "Each language has every text, with as many places for values, and twenty answers",
        arguments: Texts.all.map(\.language)
    )
    func languages(language: String) throws {
        let texts = try #require(Texts.all.first { $0.language == language })
        for key in TextKey.allCases {
            #expect(texts(key) != key.rawValue, "\(key)")
            let count = { (texts: Texts) in texts(key, "\u{1}", "\u{1}", "\u{1}").filter { $0 == "\u{1}" }.count }
            #expect(count(texts) == count(.english), "\(key)")
        }
        #expect(Set(texts.answers).count == 20)
    }

    @Test(
        "The language is that of the first variable that is set",
        arguments: [
            ([:], "en"), (["LANG": "de_DE.UTF-8"], "de"), (["LANG": "de"], "de"), (["LANG": "fr_FR"], "en"),
            (["LC_ALL": "", "LC_MESSAGES": "de_AT@euro", "LANG": "en_GB"], "de"),
            (["LC_ALL": "C", "LANG": "de_DE"], "en"), (["LANG": "desperate"], "en"),
        ] as [([String: String], String)]
    )
    func locales(environment: [String: String], language: String) {
        #expect(Texts.of(environment).language == language)
    }
}
