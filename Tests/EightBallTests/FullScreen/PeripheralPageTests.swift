import Fixtures
import TerminalScreen
import Testing

@testable import eightball

@Suite("The page of the ball")
struct PeripheralPageTests {
    /// A page in manual mode, with an open question.
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

    @Test("shows the newest questions with their centrals and results")
    func entries() {
        var page = PeripheralPage()
        page.advertises(as: "Kitchen")
        page.subscribed("0D665339-0000", true)
        for number in 0..<300 { page.asked("0D665339-0000", "Number \(number)?", .open) }
        page.answered("0D665339-0000", "Number 299?", answer: "SLUG-ANSWER-03")
        page.asked(nil, "Rain", .refusedAsNoQuestion)
        #expect(page.entries.count == PeripheralPage.entryLimit)
        #expect(page.hasOpenQuestion(of: "0D665339-0000") && !page.hasOpenQuestion(of: "other"))
        let rows = shown(page)
        #expect(rows[0].hasSuffix("1 listener"))
        #expect(rows[2].hasSuffix("\"Kitchen\" is a Magic 8-Ball now"))
        #expect(rows[20] == " 0D665339  Number 298?  → …")
        #expect(rows[21] == " 0D665339  Number 299?  → Yes definitely.")
        #expect(rows[22] == " ?  Rain  → refused: not a question")
        page.lostAll(words: "went offline")
        #expect(page.entries[0].result == .failed("went offline"))
        #expect(page.subscribers.isEmpty && page.advertisedName == nil)
    }

    @Test(
        "chooses among twenty answers by keys, and stops at the ends",
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

    @Test("ignores the keys for answers unless a question is open by hand")
    func closed() {
        var page = PeripheralPage()
        page.asked("anna", "Rain?", .open)
        #expect(page.openQuestion == nil)
        for key in [Key.enter, .character("r"), .down] { #expect(page.receive(key, answerCount: 20) == nil) }
        #expect(page.receive(.character("h"), answerCount: 20) == .setAnsweredByHand(true))
        // The choice has not moved.
        #expect(page.receive(.enter, answerCount: 20) == .answer(central: "anna", question: "Rain?", number: 0))
        #expect(page.receive(.character("r"), answerCount: 20) == .answerAtRandom(central: "anna", question: "Rain?"))
        page.answered("anna", "Rain?", answer: "SLUG-ANSWER-00")
        #expect(page.receive(.enter, answerCount: 20) == nil)
        #expect(page.receive(.character("h"), answerCount: 20) == .setAnsweredByHand(false))
    }

    @Test("keeps two hundred questions, and counts the others", arguments: [199, 200, 201, 203])
    func limit(count: Int) {
        var page = self.open()
        for _ in 1..<count { page.asked(nil, "x", .refusedAsNoQuestion) }
        #expect(page.entries.count == min(count, 200) && page.forgottenCount == max(0, count - 200))
        #expect((page.openQuestion == nil) == (count > 200))
        // An entry keeps its number.
        let answer = PeripheralPage.Action.answer(central: "anna", question: "Rain?", number: 1)
        #expect(page.answer(entry: 0, with: 1) == (count > 200 ? nil : answer))
        let random = PeripheralPage.Action.answerAtRandom(central: "anna", question: "Rain?")
        #expect(page.answer(entry: 0, with: nil) == (count > 200 ? nil : random))
        #expect(page.answer(entry: 1, with: 1) == nil)
    }

    @Test("answers the newest matching open question, and fails the open questions of a central")
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

    @Test("counts each listener once")
    func subscribers() {
        var page = PeripheralPage()
        #expect(shown(page)[0].hasSuffix("no listeners"))
        for (central, isThere, words) in [
            ("a", true, "1 listener"), ("a", true, "1 listener"), ("b", true, "2 listeners"),
            ("a", false, "1 listener"),
            ("x", false, "1 listener"),
        ] {
            page.subscribed(central, isThere)
            #expect(shown(page)[0].hasSuffix(words))
        }
        page.lostAll(words: "off")
        #expect(shown(page)[0].hasSuffix("no listeners"))
    }

    @Test("shows an answer beside its question if both fit, else below", arguments: [37, 38])
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

    // MARK: Drawing

    private func peripheral(_ rows: Int, _ columns: Int, isByHand: Bool, _ keys: Key...) -> String {
        var page = PeripheralPage()
        page.advertises(as: "Crystal")
        page.subscribed("0D665339-0000", true)
        page.asked("0D665339-0000", "Will it rain?", .open)
        page.answered("0D665339-0000", "Will it rain?", answer: "SLUG-ANSWER-00")
        page.asked(nil, "Rain", .refusedAsNoQuestion)
        page.asked("0D665340-0000", "Snow?", .refusedAsBusy)
        page.asked("0D665341-0000", "Will the sun shine on all of us tomorrow, and on the day after?", .open)
        page.failed("0D665341-0000", words: LocalizableText(.refusedBusy))
        if isByHand {
            _ = page.setAnsweredByHand(true)
            page.asked("0D665339-0000", "Hail?", .open)
        }
        for key in keys { _ = page.receive(key, answerCount: 20) }
        return drawn(rows, columns) { page.draw(on: &$0, .english) }
    }

    @Test("shows questions, and the answers to choose from")
    func questions() {
        let random = peripheral(14, 80, isByHand: false)
        #expect(
            random.contains(
                "~ 1\n|  \"Crystal\" is a Magic 8-Ball now\n:  bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\n|  answers at random\n"
                    + ":  .................\n"
            )
        )
        #expect(
            random.contains(
                "~ 3\n| 0D665339  Will it rain?  → It is certain.\n:                          gggggggggggggggg\n"
            )
        )
        #expect(random.contains("\n| ?  Rain  → refused: not a question\n:          yyyyyyyyyyyyyyyyyyyyyyyyy\n"))
        #expect(random.hasSuffix("\n| h by hand   Ctrl-C quit\n: ......................."))
        #expect(
            peripheral(24, 80, isByHand: true, .down, .down)
                == #"""
                | Magic 8-Ball · Peripheral                                           1 listener
                :##########################======================================================
                |    .-"""-.
                |   /  .-.  \    "Crystal" is a Magic 8-Ball now
                :                bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
                |  |  (\ /)  |   answers by hand
                :      CCC       ...............
                |   \  '-'  /
                |    '-...-'
                |────────────────────────────────────────────────────────────────────────────────
                :................................................................................
                | 0D665340  Snow?  → refused: the ball is busy
                :                  yyyyyyyyyyyyyyyyyyyyyyyyyyy
                | 0D665341  Will the sun shine on all of us tomorrow, and on the day after?
                |           → refused: the ball is busy
                :           rrrrrrrrrrrrrrrrrrrrrrrrrrr
                | 0D665339  Hail?  → …
                :                  ccc
                |────────────────────────────────────────────────────────────────────────────────
                :................................................................................
                | 0D665339 asks: Hail?
                : bbbbbbbbbbbbbbbbbbbb
                |   It is certain.                         Reply hazy, try again.
                |   It is decidedly so.                    Ask again later.
                | ▸ Without a doubt.                       Better not tell you now.
                : ==================
                |   Yes definitely.                        Cannot predict now.
                |   You may rely on it.                    Concentrate and ask again.
                |   As I see it, yes.                      Don't count on it.
                |   Most likely.                           My reply is no.
                |   Outlook good.                          My sources say no.
                |   Yes.                                   Outlook not so good.
                |   Signs point to yes.                    Very doubtful.
                | Enter answer   ↑↓ choose   r any answer   h at random   Ctrl-C quit
                : ...................................................................
                """#
        )
        let narrow = peripheral(14, 40, isByHand: true, .end)
        #expect(
            narrow.contains("|   Outlook not so good.\n| ▸ Very doubtful.\n: ================\n| Enter answer   ↑↓")
        )
        #expect(!narrow.contains("Don't count on it.    "))
        var page = PeripheralPage()
        let empty = drawn(8, 40) { page.draw(on: &$0, .english) }
        #expect(empty.hasPrefix("| Magic 8-Ball · Peripheral  no listene…\n"))
        #expect(empty.contains("|  nobody can find it at the moment\n:  bbbb"))
        #expect(empty.contains("|  Waiting for a question …\n:  ........................\n~ 1\n| h by hand   Ctrl-C"))
    }
}
