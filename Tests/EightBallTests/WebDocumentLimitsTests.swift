// What a browser is sent: how much of it at most, and the words of each state.

import CommandLineTool
import Fixtures
import Foundation
import Testing

@testable import eightball

@Suite("The document of a web page")
struct WebDocumentLimitsTests {
    private func text(_ role: WebDocument.Role) -> String {
        WebDocument(role: role, pairing: nil, notice: nil).json(.english).text
    }

    private func count(_ part: String, in text: String) -> Int { text.components(separatedBy: part).count - 1 }

    @Test("It has the newest fifty questions, with their numbers", arguments: [49, 50, 51, 201])
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

    @Test("It has the first 250 balls", arguments: [249, 250, 251])
    func balls(count: Int) {
        var page = CentralPage()
        for number in 0..<count { page.found("\(number)", name: "Ball \(number)", strength: -50) }
        let text = text(.central(page))
        #expect(self.count("\"id\":", in: text) == min(count, 250))
        #expect(text.contains("\"status\":\"\(count) "))
    }

    @Test("Without a role it has none, and no page")
    func none() {
        #expect(text(.none) == #"{"role":null,"status":"","notice":null,"pairing":null}"#)
    }
}
