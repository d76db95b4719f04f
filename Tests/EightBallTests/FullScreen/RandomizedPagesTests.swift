// The pages of the app as values: random events and keys, and the picture after each in both languages and in all sizes,
// also tiny ones, and the document of a browser beside it; all on record.

import CommandLineTool
import CoreBluetooth
import Fixtures
import Foundation
import TerminalScreen
import Testing

@testable import BluetoothHost
@testable import eightball

@Suite("The pages at random")
struct RandomizedPagesTests {
    private struct Numbers: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            self.state = self.state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return self.state ^ self.state >> 29
        }

        mutating func pick<Element>(_ elements: [Element]) -> Element { elements.randomElement(using: &self)! }

        mutating func isOne(in count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }
    }

    private static let rows = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 17, 18, 19, 24, 30]
    private static let columns = [
        0, 1, 2, 3, 5, 10, 17, 18, 19, 20, 39, 40, 49, 50, 51, 59, 60, 63, 64, 65, 75, 76, 77, 90,
    ]
    private static let names = [
        "Anna", "Crystal", "", "A ball with a name that has no room at all", "漢字漢字漢字", "\u{1B}[2J", "🎱",
    ]
    private static let keys: [Key] = [
        .tab, .backTab, .pageDown, .pageUp, .escape, .enter, .enter, .enter, .up, .down, .left, .right, .home, .end,
        .delete,
        .backspace, .text("Will it rain?"), .text("Will the sun shine on all of us tomorrow?"), .character("?"),
        .character("a"), .character("h"), .character("r"), .character("q"), .character(" "), .control("d"), .wordLeft,
        .character("1"), .character("2"), .character("c"), .character("p"), .character("y"), .character("j"),
        .character("n"),
        .character("7"), .character("٣"), .text("123456"),
    ]

    /// Notes a picture of a random size, in one of the languages, with what a terminal gets for it.
    private static func note(_ numbers: inout Numbers, _ draw: (inout Canvas, Texts) -> Void) {
        let (rows, columns) = (numbers.pick(self.rows), numbers.pick(self.columns))
        let texts = numbers.pick(Texts.all)
        RunRecord.note("\(rows) \(columns) \(texts.language) \(drawn(rows, columns) { draw(&$0, texts) })")
        var canvas = Canvas(size: ScreenSize(rows: min(rows, 8), columns: columns))
        draw(&canvas, texts)
        var renderer = ScreenRenderer(hasColors: numbers.isOne(in: 2))
        RunRecord.note(renderer.render(canvas))
    }

    // MARK: The central

    @Test("The page of the central", arguments: 1...16 as ClosedRange<UInt64>)
    func central(seed: UInt64) {
        var numbers = Numbers(state: seed)
        var page = CentralPage()
        let count = numbers.pick([1, 3, 6, 25])
        for _ in 0..<50 {
            for _ in 0..<numbers.pick([1, 2, 5]) { Self.change(&page, count, &numbers) }
            RunRecord.note(
                "\(page.chosen ?? "-") \(page.isAnimated) \(page.openConversations) \(page.hint?.rawValue ?? "-")"
            )
            Self.note(&numbers) { page.draw(on: &$0, $1) }
            #expect(page.chosen.map { chosen in page.balls.contains { $0.identifier == chosen } } ?? page.balls.isEmpty)
            guard numbers.isOne(in: 4) else { continue }
            let notice: LocalizableText? = numbers.pick([nil, LocalizableText(.pairFailed, "Anna", "<no>")])
            let document = WebDocument(role: .central(page), pairing: nil, notice: notice)
            for texts in Texts.all { RunRecord.note(document.json(texts).text) }
        }
    }

    private static func change(_ page: inout CentralPage, _ count: Int, _ numbers: inout Numbers) {
        let ball = "ball \(Int.random(in: 0..<count, using: &numbers))"
        switch Int.random(in: 0..<16, using: &numbers) {
        case 0: page.bluetoothChanged(isOn: numbers.isOne(in: 2))
        case 1, 2, 3:
            let strength = numbers.pick([nil, -20, -49, -50, -51, -59, -60, -61, -69, -70, -71, -100])
            page.found(ball, name: numbers.pick(Self.names), strength: strength)
        case 4: page.measured(ball, strength: -Int.random(in: 20...100, using: &numbers))
        case 5: page.lost(ball)
        case 6:
            page.confirmed(page.openConversations.first ?? ball, question: "Confirmed, and a question that is long?")
        case 7:
            let answer = numbers.pick([
                "SLUG-ANSWER-00", "SLUG-ANSWER-19", "SLUG-ANSWER-20", "an answer of a foreign ball",
            ])
            page.answered(page.openConversations.last ?? ball, answer: answer)
        case 8:
            page.failed(
                page.openConversations.first ?? ball,
                words: numbers.pick([LocalizableText(.rejectBusy), "words"])
            )
        case 9: for _ in 0..<numbers.pick([1, 2, 49, 50, 51]) { page.tick() }
        case 10:
            let question = numbers.pick([
                "Rain?", "Rain", "", String(repeating: "x", count: 511) + "?", String(repeating: "x", count: 512) + "?",
            ])
            RunRecord.note("\(String(describing: page.ask(ball, question)))")
        case 11: page.choose(ball)
        default:
            let key = numbers.pick(Self.keys)
            RunRecord.note("\(key) \(String(describing: page.receive(key))) \(page.editor.text)")
        }
    }

    // MARK: The ball

    @Test("The page of the ball", arguments: 1...16 as ClosedRange<UInt64>)
    func peripheral(seed: UInt64) {
        var numbers = Numbers(state: seed &+ 100)
        var page = PeripheralPage()
        if seed % 8 == 0 { for number in 0..<199 { page.asked("earlier", "\(number)?", .refusedAsBusy) } }
        for _ in 0..<50 {
            for _ in 0..<numbers.pick([1, 2, 5]) { Self.change(&page, &numbers) }
            let open = page.openQuestion.map { "\($0)" } ?? "-"
            RunRecord.note("\(page.entries.count) \(page.forgottenCount) \(page.subscribers.sorted()) \(open)")
            Self.note(&numbers) { page.draw(on: &$0, $1) }
            #expect(page.entries.count <= 200)
            guard numbers.isOne(in: 4) else { continue }
            let document = WebDocument(role: .peripheral(page), pairing: nil, notice: nil)
            for texts in Texts.all { RunRecord.note(document.json(texts).text) }
        }
    }

    private static func change(_ page: inout PeripheralPage, _ numbers: inout Numbers) {
        let central = numbers.pick(["0D665339-0000", "1D66", "漢"])
        let question = numbers.pick([
            "Rain?", "Will the sun shine on all of us tomorrow, and on the day after tomorrow?", "no",
        ])
        switch Int.random(in: 0..<14, using: &numbers) {
        case 0: page.advertises(as: numbers.pick([nil] + Self.names))
        case 1: page.subscribed(central, numbers.isOne(in: 2))
        case 2: if numbers.isOne(in: 3) { page.lostAll(words: LocalizableText(.rejectOffline)) }
        case 3, 4, 5: page.asked(central, question, .open)
        case 6: page.asked(nil, question, numbers.pick([.refusedAsBusy, .refusedAsNoQuestion]))
        case 7: page.answered(central, question, answer: numbers.pick(["SLUG-ANSWER-07", "foreign"]))
        case 8: page.failed(central, words: numbers.pick(["words", LocalizableText(.errorDetail, "x")]))
        case 9: RunRecord.note("\(page.setAnsweredByHand(numbers.isOne(in: 2)))")
        case 10:
            let number = page.entries.count + page.forgottenCount - numbers.pick([0, 1, 1, 1, 2])
            RunRecord.note("\(String(describing: page.answer(entry: number, with: numbers.pick([nil, 0, 19]))))")
        default:
            let key = numbers.pick(Self.keys)
            let action = page.receive(key, answerCount: numbers.pick([20, 20, 20, 1, 3]))
            RunRecord.note("\(key) \(String(describing: action)) \(page.hasOpenQuestion(of: central))")
        }
    }

    // MARK: The role and pairings

    @Test("The choice of the role: each key, and the page in each size")
    func role() {
        var numbers = Numbers(state: 1)
        for first in Self.keys {
            for second in Self.keys {
                var page = RolePage()
                RunRecord.note("\(String(describing: page.receive(first))) \(String(describing: page.receive(second)))")
                if numbers.isOne(in: 12) { Self.note(&numbers) { page.draw(on: &$0, $1) } }
            }
        }
        for rows in Self.rows {
            RunRecord.note(drawn(rows, 60) { RolePage().draw(on: &$0, .german) })
        }
    }

    @Test("What is asked while devices pair: each key, each answer, and the page in many sizes", arguments: 0..<6)
    func pairing(kind: Int) throws {
        var numbers = Numbers(state: UInt64(kind))
        let code = try #require(Passkey(42))
        let questions: [PairingQuestion] = [
            .displayPasskey(code), .enterPasskey, .compareNumbers(code),
            .consent(.init(model: nil, isBonding: true, replacesBond: false)),
            .consent(.init(model: nil, isBonding: true, replacesBond: true)), .enterPasskey,
        ]
        let identifier = try #require(UUID(uuidString: "0D665339-0000-0000-0000-000000000000"))
        let peer = PairingPeer(identifier: identifier, name: kind == 5 ? nil : "Anna with a name that is long")
        for _ in 0..<25 {
            let prompt = PairingPrompt(questions[kind], of: peer) { RunRecord.note("answered \($0)") }
            var page = PairingPage(prompt)
            var isEnd = false
            while !isEnd, !numbers.isOne(in: 12) {
                let key = numbers.pick(Self.keys)
                isEnd = page.receive(key)
                RunRecord.note("\(key) \(isEnd)")
                if numbers.isOne(in: 3) {
                    Self.note(&numbers) { canvas, texts in
                        RolePage().draw(on: &canvas, texts)
                        canvas.cursor = ScreenPosition(row: 0, column: 0)
                        page.draw(on: &canvas, texts)
                    }
                }
            }
            let code: String? = numbers.pick([nil, "", "1", "000042", "123456", "1234567", "12345x"])
            RunRecord.note("\(code ?? "-") \(page.answer(code: code, isAgreed: numbers.isOne(in: 2)))")
            for texts in Texts.all {
                RunRecord.note(WebDocument(role: .none, pairing: (7, page), notice: page.text).json(texts).text)
            }
        }
    }

    // MARK: Parts of pages

    @Test("A long list with a chosen row: which part of it is seen")
    func scrolledList() {
        var numbers = Numbers(state: 9)
        for _ in 0..<40 {
            var list = ScrolledList()
            for _ in 0..<20 {
                let count = Int.random(in: 0...8, using: &numbers)
                let chosen: Int? = count > 0 && !numbers.isOne(in: 6) ? Int.random(in: 0..<count, using: &numbers) : nil
                let rows = Int.random(in: 0...6, using: &numbers)
                list.show(chosen, of: count, rows: rows)
                RunRecord.note("\(String(describing: chosen)) \(count) \(rows) \(list.first)")
                #expect(list.first >= 0)
                if let chosen, rows > 0 { #expect((list.first..<list.first + rows).contains(chosen)) }
            }
        }
    }

    @Test("The bar and the keys in each number of columns, and the bars of each strength")
    func frames() {
        for columns in 0...60 {
            for state in ["", "1 ball", "漢字漢字"] {
                RunRecord.note(
                    drawn(3, columns) {
                        PageFrame(texts: .english).draw(
                            on: &$0,
                            title: "Title",
                            state: state,
                            keys: [.keyAsk, .keyNextBall, .keyQuit]
                        )
                        PageFrame.rule(on: &$0, row: 1)
                    }
                )
            }
        }
        for strength in -110...0 {
            RunRecord.note(
                "\(strength) \(SignalBars(strength: strength).count) "
                    + drawn(1, 6) { SignalBars(strength: strength).draw(on: &$0, row: 0, column: 1) }
            )
        }
        for face in [.eight, .answer, .failed] + (0...8).map({ BallPicture.Face.turning($0) }) {
            RunRecord.note(drawn(7, 16) { BallPicture(face: face).draw(on: &$0, row: 1, column: 2) })
        }
    }
}
