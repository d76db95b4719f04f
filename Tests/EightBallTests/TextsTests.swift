// The texts of the app: numbers, places for values, and the keys of answers.

import Fixtures
import Testing

@testable import eightball

@Suite("Texts of eightball")
struct TextsTests {
    private let texts = Texts(
        language: "x",
        table: [.balls: "{} balls", .oneBall: "one", .pairFailed: "{}: {}!"],
        answers: ["no", "yes"]
    )

    @Test("The language ends at the country, the character set or the variant", arguments: ["_", ".", "@"])
    func locale(separator: String) {
        #expect(Texts.of(["LANG": "de" + separator + "x"]).language == "de")
        #expect(Texts.of(["LANG": "d" + separator + "e"]).language == "en")
    }

    @Test("Values take their places in order; a place without one is empty, a key without a text is its name")
    func values() {
        #expect(texts(.pairFailed, "a", "b") == "a: b!" && texts(.pairFailed, "a") == "a: !")
        #expect(texts(.pairFailed, "a", "b", "c") == "a: b!" && texts(.pairFailed) == ": !")
        #expect(texts(.pairFailed, "{}", "b") == "{}: b!")
        #expect(texts(.title) == "title" && texts(.oneBall, "a") == "one")
    }

    @Test("One is said in a text of its own", arguments: [(0, "0 balls"), (1, "one"), (2, "2 balls")])
    func count(count: Int, text: String) {
        #expect(texts.count(count, .oneBall, .balls) == text)
    }

    @Test(
        "A key has two digits, from 00 on; what is no key of an answer is shown as it is",
        arguments: [
            ("SLUG-ANSWER-00", "no"), ("SLUG-ANSWER-01", "yes"), ("SLUG-ANSWER-02", "SLUG-ANSWER-02"),
            ("SLUG-ANSWER-1", "SLUG-ANSWER-1"), ("SLUG-ANSWER-001", "SLUG-ANSWER-001"),
            ("SLUG-ANSWER-xx", "SLUG-ANSWER-xx"), ("SLUG-ANSWEr-01", "SLUG-ANSWEr-01"), ("01", "01"), ("", ""),
        ]
    )
    func answers(key: String, words: String) {
        #expect(texts.answer(key) == words)
    }

    @Test("Each number has its key", arguments: [(0, "00"), (9, "09"), (10, "10"), (19, "19")])
    func keys(number: Int, digits: String) {
        let key = Texts.key(ofAnswer: number)
        #expect(key == "SLUG-ANSWER-" + digits)
        #expect(Texts.english.answer(key) == Texts.english.answers[number])
    }
}
