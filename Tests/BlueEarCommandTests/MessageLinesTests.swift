import CommandLineTool
import Testing

@testable import BlueEarCommand

@Suite("The lines that blueear reads")
struct MessageLinesTests {
    @Test("takes a line for a message or the end, and gives lines to pairings")
    @MainActor
    func lines() throws {
        var take: (@MainActor (String?) -> Void)?
        let reader = LineReader { take = $0 }
        let conversation = TerminalPairingAgent(.keyboardAndDisplay).conversation
        var inputs: [String] = []
        let lines = MessageLines(reader, conversation) { input in
            switch input {
            case .message(let message): inputs.append("\(message)")
            case .quit: inputs.append("quit")
            case .end: inputs.append("end")
            }
        }
        #expect(conversation.lines === reader)
        for line in ["a=b", " c = d=e ", "", "   ", "f=", " QUIT ", "exit", "q", nil] as [String?] { take?(line) }
        #expect(
            inputs == [
                #"["a": "b"]"#, #"["c ": " d=e"]"#, #"["f": ""]"#, "quit", "quit", "quit", "end",
            ]
        )
        withExtendedLifetime(lines) {}
    }
}
