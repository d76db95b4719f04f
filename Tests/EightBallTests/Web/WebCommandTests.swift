import Testing

@testable import eightball

@Suite("Commands of the page")
struct WebCommandTests {
    @Test("reads each command")
    func commands() {
        let commands: [(String, WebCommand)] = [
            (#"{"do":"role","role":"central"}"#, .role(isCentral: true)),
            (#"{"do":"role","role":"peripheral"}"#, .role(isCentral: false)),
            (#"{"do":"leave"}"#, .leaveRole), (#"{"do":"choose","ball":"a"}"#, .choose(ball: "a")),
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
        "refuses invalid commands",
        arguments: [
            "", "{", "[]", "null", "{}", #"{"do":"quit"}"#, #"{"do":"role"}"#, #"{"do":"role","role":"x"}"#,
            #"{"do":"ask","ball":"a"}"#, #"{"do":"ask","ball":1,"question":"?"}"#, #"{"do":"byHand"}"#,
            #"{"do":"answer","answer":1}"#, #"{"do":"answer","entry":1,"answer":20}"#,
            #"{"do":"answer","entry":1,"answer":-1}"#, #"{"do":"answer","entry":99999999999999999999}"#,
            #"{"do":"pair"}"#, #"{"do":"choose"}"#, #"{"do":"dance","ball":"a"}"#,
        ]
    )
    func senseless(text: String) {
        #expect(WebCommand(Array(text.utf8)) == nil)
    }
}
