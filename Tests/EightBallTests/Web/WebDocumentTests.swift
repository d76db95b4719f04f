import CommandLineTool
import Foundation
import Testing

@testable import eightball

@Suite("Documents of the page")
struct WebDocumentTests {
    private func object(_ document: WebDocument, _ texts: Texts = .english) throws -> [String: Any] {
        let value = try JSONSerialization.jsonObject(with: Data(document.json(texts).text.utf8))
        return try #require(value as? [String: Any])
    }

    private func text(_ role: WebDocument.Role) -> String {
        WebDocument(role: role, pairing: nil, notice: nil).json(.english).text
    }

    private func count(_ part: String, in text: String) -> Int { text.components(separatedBy: part).count - 1 }

    @Test("has no page without a role")
    func none() {
        #expect(text(.none) == #"{"role":null,"status":"","notice":null,"pairing":null}"#)
    }

    @Test("shows balls with their signals and conversations, in each language")
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
            #expect(balls.map { $0["bars"] as? Int } == [4, nil, 2])
            #expect(balls.map { $0["gone"] as? String } == [offline, nil, nil])
            #expect(balls.map { $0["stage"] as? String } == ["none", "asking", "failed"])
            #expect(balls[2]["words"] as? String == words)
        }
        page.answered("b", answer: "SLUG-ANSWER-08")
        let answered = try object(WebDocument(role: .central(page), pairing: nil, notice: nil), .german)
        let balls = (answered["central"] as? [String: Any])?["balls"] as? [[String: Any]]
        #expect(balls?[1]["words"] as? String == "Ja." && balls?[1]["question"] as? String == "Will it rain?")
    }

    @Test("shows questions, who asked them, and the open one")
    func peripheral() throws {
        var page = PeripheralPage()
        page.advertises(as: "Kitchen")
        page.subscribed("0D665339-0000", true)
        _ = page.setAnsweredByHand(true)
        for number in 0..<300 { page.asked(nil, "Number \(number)", .refusedAsNoQuestion) }
        page.asked("0D665339-0000", "Shall I go?", .open)
        page.asked(nil, "And I?", .refusedAsBusy)
        let object = try object(WebDocument(role: .peripheral(page), pairing: nil, notice: nil))
        #expect(object["status"] as? String == "1 listener")
        let peripheral = try #require(object["peripheral"] as? [String: Any])
        #expect(peripheral["state"] as? String == "“Kitchen” is a Magic 8-Ball now")
        #expect(peripheral["isByHand"] as? Bool == true && peripheral["open"] as? Int == 300)
        let entries = try #require(peripheral["entries"] as? [[String: Any]])
        #expect(entries.count == WebDocument.entryLimit)
        #expect(entries.suffix(2).map { $0["number"] as? Int } == [300, 301])
        #expect(entries.suffix(2).map { $0["who"] as? String } == ["0D665339 asks", "? asks"])
        #expect(entries.suffix(2).map { $0["stage"] as? String } == ["open", "refused"])
        #expect(entries.last?["words"] as? String == "refused: the ball is busy")
    }

    @Test("has the newest fifty questions, with their numbers", arguments: [49, 50, 51, 201])
    func entries(count: Int) {
        var page = PeripheralPage()
        for number in 0..<count { page.asked("anna", "Question \(number)?", .refusedAsBusy) }
        let text = text(.peripheral(page))
        #expect(self.count("\"number\":", in: text) == min(count, 50))
        let first = max(0, count - 50)
        #expect(text.contains("\"number\":\(first),"))
        #expect(text.contains("\"question\":\"Question \(first)?\""))
        #expect(text.contains("\"number\":\(count - 1),"))
    }

    @Test("has the first 250 balls", arguments: [249, 250, 251])
    func balls(count: Int) {
        var page = CentralPage()
        for number in 0..<count { page.found("\(number)", name: "Ball \(number)", strength: -50) }
        let text = text(.central(page))
        #expect(self.count("\"id\":", in: text) == min(count, 250))
        #expect(text.contains("\"status\":\"\(count) "))
    }
}
