import CoreBluetooth
import Fixtures
import Foundation
import TerminalScreen
import Testing

@testable import BluetoothHost
@testable import eightball

@Suite("The page of a pairing")
struct PairingPageTests {
    /// A page, and the answers given on it.
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
    private static let consent = PairingQuestion.consent(.init(model: nil, replacesBond: false))

    /// The result of keys: the answers, and whether the last one ends the page.
    private func press(_ keys: [Key], _ question: PairingQuestion) throws -> ([PairingAnswer], Bool) {
        var (page, answers) = try self.page(question)
        var isEnd = false
        for key in keys { isEnd = page.receive(key) }
        return (answers.value, isEnd)
    }

    @Test("takes yes and no in both languages, and no other key", arguments: [true, false])
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

    @Test("takes a code of up to six digits, and gives up on Escape")
    func codes() throws {
        let digits = { (text: String) in text.map { Key.character($0) } }
        var (answers, isEnd) = try press(digits("1x2-3456") + [.enter], .enterPasskey)
        #expect(answers == [.passkey(Passkey(123_456))] && isEnd)
        (answers, isEnd) = try press(digits("1234567") + [.enter], .enterPasskey)
        #expect(answers == [.passkey(Passkey(123_456))] && isEnd)
        (answers, isEnd) = try press(digits("123457"), .enterPasskey)
        #expect(answers.isEmpty && !isEnd)
        (answers, isEnd) = try press(digits("123457") + [.backspace, .character("6"), .enter], .enterPasskey)
        #expect(answers == [.passkey(Passkey(123_456))] && isEnd)
        (answers, isEnd) = try press(digits("12") + [.escape], .enterPasskey)
        #expect(answers == [.passkey(nil)] && isEnd)
    }

    @Test("keeps showing a code, whatever is pressed", arguments: [.enter, .escape, .character("y")] as [Key])
    func shownCode(key: Key) throws {
        let code = try #require(Self.code)
        let (answers, isEnd) = try press([key], .displayPasskey(code))
        #expect(answers.isEmpty && !isEnd)
        let (page, others) = try page(.displayPasskey(code))
        #expect(!page.answer(code: "123456", isAgreed: true) && others.value.isEmpty)
    }

    @Test("names the other device, or the beginning of its identifier, and says that keys are replaced")
    func words() throws {
        let code = try #require(Self.code)
        let again = PairingQuestion.consent(.init(model: nil, replacesBond: true))
        for (question, name, words) in [
            (.displayPasskey(code), "Anna", "Anna wants to pair. Enter this code there: 000042"),
            (.enterPasskey, "Anna", "Anna shows a code. Enter it here"),
            (.compareNumbers(code), nil, "Does 0D665339 show 000042?"), (Self.consent, nil, "Pair with 0D665339?"),
            (again, "Anna", "Pair with Anna again, and replace the existing keys?"),
        ] as [(PairingQuestion, String?, String)] {
            #expect(Texts.english(try page(question, name: name).0.text) == words)
        }
    }

    /// The answer to a question, and whether it ends that.
    private func answer(_ question: PairingQuestion, code: String?, isAgreed: Bool) throws -> (PairingAnswer?, Bool) {
        let (page, answers) = try page(question)
        let isEnd = page.answer(code: code, isAgreed: isAgreed)
        return (answers.value.count == 1 ? answers.value.first : nil, isEnd)
    }

    @Test("accepts six digits of a browser as a code, and nothing else", arguments: [true, false])
    func browserCodes(isAgreed: Bool) throws {
        for (code, number) in [
            (nil, nil), ("", nil), ("1234567", nil), ("12a456", nil), ("+12345", nil), ("000042", 42), ("7", 7),
            ("999999", 999_999),
        ] as [(String?, UInt32?)] {
            let (answer, isEnd) = try self.answer(.enterPasskey, code: code, isAgreed: isAgreed)
            #expect(answer == .passkey(number.flatMap { Passkey($0) }) && isEnd, "\(code ?? "none")")
        }
    }

    @Test("accepts a comparison and a consent of a browser, with a code or without", arguments: [nil, "123456"])
    func decisions(code: String?) throws {
        let number = try #require(Passkey(42))
        for isAgreed in [true, false] {
            let compared = try self.answer(.compareNumbers(number), code: code, isAgreed: isAgreed)
            #expect(compared.0 == .numbersMatch(isAgreed) && compared.1)
            let answered = try self.answer(Self.consent, code: code, isAgreed: isAgreed)
            #expect(answered.0 == .consent(isAgreed) && answered.1)
            let shown = try self.answer(.displayPasskey(number), code: code, isAgreed: isAgreed)
            #expect(shown.0 == nil && !shown.1)
        }
    }

    private func drawing(_ rows: Int, _ columns: Int, _ question: PairingQuestion, _ keys: Key...) throws -> String {
        var page = try page(question).0
        for key in keys { _ = page.receive(key) }
        return drawn(rows, columns) { canvas in
            for row in 0..<rows { canvas.fill(row: row, with: "x") }
            page.draw(on: &canvas, .english)
        }
    }

    @Test("covers the last rows of the screen")
    func pairings() throws {
        let entering = try drawing(6, 40, .enterPasskey, .character("1"), .character("2"))
        #expect(
            entering
                == #"""
                |xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
                |xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
                |────────────────────────────────────────
                :........................................
                | Anna shows a code. Enter it here
                : YYYYYYYYYYYYYYYYYYYYYYYYYYYYYYYY
                | 12
                | Enter send   Esc give up   Ctrl-C quit
                : ......................................
                """#
        )
        let showing = try drawing(8, 40, .displayPasskey(try #require(Passkey(42))))
        #expect(showing.contains("\n| there: 000042\n: YYYYYYYYYYYYY\n~ 1\n| Ctrl-C quit\n: ..........."))
        let asking = try drawing(6, 60, Self.consent)
        #expect(asking.contains("\n| Pair with Anna?\n: YYYYYYYYYYYYYYY\n~ 1\n| y yes   n no   Ctrl-C quit\n"))
    }
}
