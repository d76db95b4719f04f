// What the keys mean while devices pair, and where the question stands.

import CoreBluetooth
import Fixtures
import Foundation
import TerminalScreen
import Testing

@testable import BluetoothHost
@testable import eightball

@Suite("The page of a pairing")
struct PairingPageTests {
    /// A page, and what was answered on it.
    private func page(
        _ question: PairingQuestion,
        name: String? = "Anna"
    ) throws -> (PairingPage, Watched<[PairingAnswer]>) {
        let peer = PairingPeer(
            identifier: try #require(UUID(uuidString: "0D665339-0000-0000-0000-000000000000")),
            name: name
        )
        let answers = Watched<[PairingAnswer]>([])
        return (
            PairingPage(PairingPrompt(question, of: peer) { answer in answers.update { $0.append(answer) } }), answers
        )
    }

    private static let code = Passkey(42)
    private static let consent = PairingQuestion.consent(.init(model: nil, isBonding: true, replacesBond: false))

    /// What keys lead to: the answers, and whether the last one ends the page.
    private func press(_ keys: [Key], _ question: PairingQuestion) throws -> ([PairingAnswer], Bool) {
        var (page, answers) = try self.page(question)
        var isEnd = false
        for key in keys { isEnd = page.receive(key) }
        return (answers.value, isEnd)
    }

    @Test("Yes and no, in both languages; other keys are no answer", arguments: [true, false])
    func yesAndNo(isComparison: Bool) throws {
        let code = try #require(Self.code)
        let question = isComparison ? PairingQuestion.compareNumbers(code) : Self.consent
        for (key, isAgreed) in [
            (.character("y"), true), (.character("j"), true), (.character("n"), false), (.escape, false),
            (.enter, nil), (.character("x"), nil), (.character("Y"), nil),
        ] as [(Key, Bool?)] {
            let (answers, isEnd) = try press([key], question)
            let expected = isAgreed.map { isComparison ? PairingAnswer.numbersMatch($0) : .consent($0) }
            #expect(answers == (expected.map { [$0] } ?? []), "\(key)")
            #expect(isEnd == (isAgreed != nil), "\(key)")
        }
    }

    @Test("A code has up to six digits, which can be corrected; Escape gives up")
    func codes() throws {
        let digits = { (text: String) in text.map { Key.character($0) } }
        var (answers, isEnd) = try press(digits("1x2-3456") + [.enter], .enterPasskey)
        #expect(answers == [.passkey(Passkey(123_456))] && isEnd)
        (answers, isEnd) = try press(digits("1234567") + [.enter], .enterPasskey)
        #expect(answers == [.passkey(Passkey(123_456))] && isEnd)
        (answers, isEnd) = try press(digits("123457") + [.backspace, .character("6")], .enterPasskey)
        #expect(answers.isEmpty && !isEnd)
        (answers, isEnd) = try press(digits("123457") + [.backspace, .character("6"), .enter], .enterPasskey)
        #expect(answers == [.passkey(Passkey(123_456))] && isEnd)
        (answers, isEnd) = try press(digits("12") + [.escape], .enterPasskey)
        #expect(answers == [.passkey(nil)] && isEnd)
    }

    @Test("A code that is shown stays, whatever is pressed", arguments: [.enter, .escape, .character("y")] as [Key])
    func shownCode(key: Key) throws {
        let code = try #require(Self.code)
        let (answers, isEnd) = try press([key], .displayPasskey(code))
        #expect(answers.isEmpty && !isEnd)
        let (page, others) = try page(.displayPasskey(code))
        #expect(!page.answer(code: "123456", isAgreed: true) && others.value.isEmpty)
    }

    @Test("What a browser answers ends the page, too")
    func browser() throws {
        let code = try #require(Self.code)
        for (question, expected) in [
            (.enterPasskey, .passkey(Passkey(123_456))), (.compareNumbers(code), .numbersMatch(true)),
            (Self.consent, .consent(true)),
        ] as [(PairingQuestion, PairingAnswer)] {
            let (page, answers) = try page(question)
            #expect(page.answer(code: "123456", isAgreed: true))
            #expect(answers.value == [expected])
        }
    }

    @Test("The other device is named, or known by the beginning of its identifier; keys that are replaced are said")
    func words() throws {
        let code = try #require(Self.code)
        let again = PairingQuestion.consent(.init(model: nil, isBonding: true, replacesBond: true))
        for (question, name, words) in [
            (.displayPasskey(code), "Anna", "Anna wants to pair. Enter this code there: 000042"),
            (.enterPasskey, "Anna", "Anna shows a code. Enter it here"),
            (.compareNumbers(code), nil, "Does 0D665339 show 000042?"), (Self.consent, nil, "Pair with 0D665339?"),
            (again, "Anna", "Pair with Anna anew, and forget the keys of the earlier pairing?"),
        ] as [(PairingQuestion, String?, String)] {
            #expect(Texts.english(try page(question, name: name).0.text) == words)
        }
    }

    /// The rows of a screen that was full, and its cursor, with a page over it.
    private func drawn(
        _ question: PairingQuestion,
        _ keys: [Key],
        rows: Int,
        columns: Int
    ) throws -> ([String], ScreenPosition?) {
        var (page, _) = try self.page(question)
        for key in keys { _ = page.receive(key) }
        var canvas = Canvas(size: ScreenSize(rows: rows, columns: columns))
        for row in 0..<rows { canvas.fill(row: row, with: "x") }
        canvas.cursor = ScreenPosition(row: 0, column: 0)
        page.draw(on: &canvas, .english)
        return (canvas.text, canvas.cursor)
    }

    @Test("The question stands above the keys, with the code below it, over what was there")
    func drawing() throws {
        let full = String(repeating: "x", count: 40)
        let rule = String(repeating: "─", count: 40)
        let (rows, cursor) = try drawn(.enterPasskey, [.character("1"), .character("2")], rows: 8, columns: 40)
        #expect(
            rows == [full, full, full, full, rule, " Anna shows a code. Enter it here", " 12", rows[7]]
        )
        #expect(cursor == ScreenPosition(row: 6, column: 3))
        #expect(rows[7].hasPrefix(" Enter ") && rows[7].hasSuffix("Ctrl-C quit"))
        // A question of two rows takes one row more, and has no cursor.
        let (compared, none) = try drawn(.displayPasskey(try #require(Self.code)), [], rows: 8, columns: 40)
        #expect(
            compared == [
                full, full, full, rule, " Anna wants to pair. Enter this code", " there: 000042", "", " Ctrl-C quit",
            ]
        )
        #expect(none == nil)
        // On the smallest screen the title stays.
        #expect(try drawn(.enterPasskey, [], rows: 3, columns: 40).0.first == full)
    }
}
