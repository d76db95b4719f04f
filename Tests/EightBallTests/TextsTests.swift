import Fixtures
@_spi(Steps) import ITCB
import Testing

@testable import eightball

@Suite("Texts of eightball")
struct TextsTests {
    private let texts = Texts(
        language: "x",
        table: [.balls: "{} balls", .oneBall: "one", .pairFailed: "{}: {}!"],
        answers: ["no", "yes"]
    )

    @Test("puts values in their places in order, and shows a key without a text by its name")
    func values() {
        #expect(texts(.pairFailed, "a", "b") == "a: b!" && texts(.pairFailed, "a") == "a: !")
        #expect(texts(.pairFailed, "a", "b", "c") == "a: b!" && texts(.pairFailed) == ": !")
        #expect(texts(.pairFailed, "{}", "b") == "{}: b!")
        #expect(texts(.title) == "title" && texts(.oneBall, "a") == "one")
    }

    @Test("has a text of its own for one", arguments: [(0, "0 balls"), (1, "one"), (2, "2 balls")])
    func count(count: Int, text: String) {
        #expect(texts.count(count, .oneBall, .balls) == text)
    }

    @Test(
        "translates keys of two digits, and shows others as they are",
        arguments: [
            ("SLUG-ANSWER-00", "no"), ("SLUG-ANSWER-01", "yes"), ("SLUG-ANSWER-02", "SLUG-ANSWER-02"),
            ("SLUG-ANSWER-1", "SLUG-ANSWER-1"), ("SLUG-ANSWER-001", "SLUG-ANSWER-001"),
            ("SLUG-ANSWER-xx", "SLUG-ANSWER-xx"), ("SLUG-ANSWEr-01", "SLUG-ANSWEr-01"), ("01", "01"), ("", ""),
        ]
    )
    func answers(key: String, words: String) {
        #expect(texts.answer(key) == words)
    }

    @Test("has a key for each number", arguments: [(0, "00"), (9, "09"), (10, "10"), (19, "19")])
    func keys(number: Int, digits: String) {
        let key = ITCB_SDK.answerKey(number)
        #expect(key == "SLUG-ANSWER-" + digits)
        #expect(Texts.english.answer(key) == Texts.english.answers[number])
    }

    @Test("has each text in each language, with equal placeholders, and twenty answers")
    func tables() {
        let values = ["<1>", "<2>", "<3>"]
        for texts in Texts.all {
            for key in TextKey.allCases {
                #expect(texts(key) != key.rawValue)
                for value in values {
                    #expect(texts(key, values).contains(value) == Texts.english(key, values).contains(value))
                }
            }
            #expect(texts.answers.count == 20 && Set(texts.answers).count == 20)
        }
        #expect(Texts.all.map(\.language) == ["en", "de"])
    }

    @Test(
        "takes the language of the first variable that is set",
        arguments: [
            ([:], "en"), (["LANG": "de_DE.UTF-8"], "de"), (["LANG": "de"], "de"), (["LANG": "fr_FR"], "en"),
            (["LC_ALL": "", "LC_MESSAGES": "de_AT@euro", "LANG": "en_GB"], "de"),
            (["LC_ALL": "C", "LANG": "de_DE"], "en"), (["LANG": "desperate"], "en"), (["LANG": "de.x"], "de"),
            (["LANG": "de@x"], "de"), (["LANG": "d_e"], "en"),
        ] as [([String: String], String)]
    )
    func locales(environment: [String: String], language: String) {
        #expect(Texts.of(environment).language == language)
    }

    @Test(
        "takes the first language that a browser likes best",
        arguments: [
            ("", "en"), ("de", "de"), ("de-AT,de;q=0.9,en;q=0.8", "de"), ("en-GB,en;q=0.9,de;q=0.8", "en"),
            ("fr,de;q=0.5", "de"), ("en;q=0.3, de;q=0.7", "de"), ("fr", "en"), ("de;q=0", "en"), ("*", "en"),
            ("den", "en"), (";;q=,,", "en"), ("DE", "de"),
        ]
    )
    func browser(list: String, language: String) {
        #expect(Texts.of(languages: list).language == language)
    }
}
