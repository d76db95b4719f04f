// The page in a browser as values: what it is sent in each language, what it may ask for, and its files.

import CommandLineTool
import Foundation
import Testing

@testable import eightball

@Suite("The documents of eightball web")
struct WebDocumentTests {
    private func object(_ document: WebDocument, _ texts: Texts = .english) throws -> [String: Any] {
        let value = try JSONSerialization.jsonObject(with: Data(document.json(texts).text.utf8))
        return try #require(value as? [String: Any])
    }

    @Test("Before the choice there is no role")
    func choice() throws {
        let document = try object(WebDocument(role: .none, pairing: nil, notice: nil))
        #expect(document["role"] is NSNull && document["pairing"] is NSNull && document["central"] == nil)
    }

    @Test("The balls with their signals, what was said, and in which language")
    func central() throws {
        var page = CentralPage()
        page.bluetoothChanged(isOn: true)
        page.found("a", name: "Kit\u{1B}chen", strength: -45)
        page.found("b", name: "Garage", strength: nil)
        page.found("c", name: "Attic", strength: -75)
        #expect(page.ask("b", "Will it rain?") == .ask(ball: "b", question: "Will it rain?"))
        #expect(page.ask("c", "And here?") == .ask(ball: "c", question: "And here?"))
        page.failed("c", words: LocalizableText(.rejectBusy))
        page.lost("a")
        let document = WebDocument(role: .central(page), pairing: nil, notice: nil)
        for (texts, words, offline) in [
            (Texts.english, "is busy with another question; ask again later", "went offline"),
            (.german, "ist mit einer anderen Frage beschäftigt; frag später noch einmal", "nicht mehr da"),
        ] {
            let object = try object(document, texts)
            #expect(object["role"] as? String == "central")
            #expect(object["status"] as? String == texts.count(2, .oneBall, .balls))
            let central = try #require(object["central"] as? [String: Any])
            #expect(central["chosen"] as? String == "c")
            let balls = try #require(central["balls"] as? [[String: Any]])
            #expect(balls.map { $0["name"] as? String } == ["Kit\u{FFFD}chen", "Garage", "Attic"])
            #expect(balls.map { $0["bars"] as? Int } == [4, nil, 1])
            #expect(balls.map { $0["gone"] as? String } == [offline, nil, nil])
            #expect(balls.map { $0["stage"] as? String } == ["none", "asking", "failed"])
            #expect(balls[2]["words"] as? String == words)
        }
        page.answered("b", answer: "SLUG-ANSWER-08")
        let answered = try object(WebDocument(role: .central(page), pairing: nil, notice: nil), .german)
        let balls = (answered["central"] as? [String: Any])?["balls"] as? [[String: Any]]
        #expect(balls?[1]["words"] as? String == "Ja." && balls?[1]["question"] as? String == "Will it rain?")
    }

    @Test("A question that cannot be asked is not, and the reason is there")
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

    @Test("The questions, who asked, the open one, and no more of them than the limit")
    func peripheral() throws {
        var page = PeripheralPage()
        page.advertises(as: "Kitchen")
        page.subscribed("0D665339-0000", true)
        _ = page.setAnsweredByHand(true)
        for number in 0..<300 { page.asked(nil, "Number \(number)", .refusedAsNoQuestion) }
        page.asked("0D665339-0000", "Shall I go?", .open)
        page.asked(nil, "And I?", .refusedAsBusy)
        let object = try object(WebDocument(role: .peripheral(page), pairing: nil, notice: nil))
        #expect(object["status"] as? String == "1 listens")
        let peripheral = try #require(object["peripheral"] as? [String: Any])
        #expect(peripheral["state"] as? String == "“Kitchen” is a Magic 8-Ball now")
        #expect(peripheral["isByHand"] as? Bool == true && peripheral["open"] as? Int == 300)
        let entries = try #require(peripheral["entries"] as? [[String: Any]])
        #expect(entries.count == WebDocument.entryLimit)
        #expect(entries.suffix(2).map { $0["number"] as? Int } == [300, 301])
        #expect(entries.suffix(2).map { $0["who"] as? String } == ["0D665339 asks", "? asks"])
        #expect(entries.suffix(2).map { $0["stage"] as? String } == ["open", "refused"])
        #expect(entries.last?["words"] as? String == "refused: the ball is busy")
        // The answer goes to the question that was seen.
        #expect(page.answer(entry: 299, with: 3) == nil)
        #expect(
            page.answer(entry: 300, with: 3) == .answer(central: "0D665339-0000", question: "Shall I go?", number: 3)
        )
        #expect(
            page.answer(entry: 300, with: nil) == .answerAtRandom(central: "0D665339-0000", question: "Shall I go?")
        )
        page.answered("0D665339-0000", "Shall I go?", answer: "SLUG-ANSWER-03")
        #expect(page.answer(entry: 300, with: 3) == nil)
    }

    // MARK: What the page asks for

    @Test("Each request of the page")
    func commands() {
        let commands: [(String, WebCommand)] = [
            (#"{"do":"role","role":"central"}"#, .role(isCentral: true)),
            (#"{"do":"role","role":"peripheral"}"#, .role(isCentral: false)),
            (#"{"do":"choose","ball":"a"}"#, .choose(ball: "a")),
            (#"{"do":"ask","ball":"a","question":"Rain?"}"#, .ask(ball: "a", question: "Rain?")),
            (#"{"do":"byHand","isOn":true}"#, .setAnsweredByHand(true)),
            (#"{"do":"answer","entry":7,"answer":19}"#, .answer(entry: 7, answer: 19)),
            (#"{"do":"answer","entry":7}"#, .answer(entry: 7, answer: nil)),
            (
                #"{"do":"pair","number":1,"code":"012345","isAgreed":true}"#,
                .pair(number: 1, code: "012345", isAgreed: true)
            ),
            (#"{"do":"pair","number":1}"#, .pair(number: 1, code: nil, isAgreed: false)),
        ]
        for (text, command) in commands { #expect(WebCommand(Array(text.utf8)) == command) }
    }

    @Test(
        "What makes no sense is no request",
        arguments: [
            "", "{", "[]", "null", "{}", #"{"do":"quit"}"#, #"{"do":"role"}"#, #"{"do":"role","role":"x"}"#,
            #"{"do":"ask","ball":"a"}"#, #"{"do":"ask","ball":1,"question":"?"}"#, #"{"do":"byHand"}"#,
            #"{"do":"answer","answer":1}"#, #"{"do":"answer","entry":1,"answer":20}"#,
            #"{"do":"answer","entry":1,"answer":-1}"#, #"{"do":"answer","entry":99999999999999999999}"#,
            #"{"do":"pair"}"#,
        ]
    )
    func senseless(text: String) {
        #expect(WebCommand(Array(text.utf8)) == nil)
    }

    // MARK: Files and languages

    @Test("The page's places are all filled, in each language", arguments: Texts.all.map(\.language))
    func page(language: String) throws {
        let texts = try #require(Texts.all.first { $0.language == language })
        let page = String(decoding: WebFile.page.octets, as: UTF8.self)
        for place in page.split(separator: "{{").dropFirst() {
            let name = String(place.prefix { $0 != "}" })
            #expect(
                name == "language" || name == "answers" || name == "key" || TextKey(rawValue: name) != nil,
                "\(name)"
            )
        }
        let filled = String(decoding: WebFile.page.content(texts), as: UTF8.self)
        #expect(!filled.contains("{{") && filled.contains("<html lang=\"\(language)\">"))
        #expect(filled.contains(texts(.chooseRole)) && filled.contains("data-answer=\"19\""))
        // The policy lets nothing of this run.
        #expect(!filled.contains("style=") && !filled.contains("onclick") && !filled.contains("<script>"))
    }

    @Test("A text cannot become a part of the page's language")
    func escaping() {
        let texts = Texts(language: "en", table: [.title: "<b> & \"x\""], answers: [])
        #expect(WebFile.filled("{{title}}|{{nothing}}|{{", texts) == "&lt;b&gt; &amp; &quot;x&quot;||{{")
    }

    @Test(
        "The language is the first that the browser likes best",
        arguments: [
            ("", "en"), ("de", "de"), ("de-AT,de;q=0.9,en;q=0.8", "de"), ("en-GB,en;q=0.9,de;q=0.8", "en"),
            ("fr,de;q=0.5", "de"), ("en;q=0.3, de;q=0.7", "de"), ("fr", "en"), ("de;q=0", "en"), ("*", "en"),
            ("den", "en"), (";;q=,,", "en"), ("DE", "de"),
        ]
    )
    func languages(list: String, language: String) {
        #expect(Texts.of(languages: list).language == language)
    }
}
