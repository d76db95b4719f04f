// The line that is edited below a program's output, behind an answer and before anything else is asked: keys edit the
// line again, which has its text and its history. The test is a process of its own, with a pseudo-terminal in place of
// standard input and output.

import Foundation
import SessionTestbed
import Testing

@testable import TerminalScreen

@Suite("A line behind an answer")
struct LineBehindAnswerTests {
    @Test("Keys behind an answer edit the line that was being written, without a prompt, and with its history")
    func keys() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { @MainActor in
            let session = try PromptedLine(history: ["old"])
            session.line.open()
            session.line.ask("> ")
            await session.type("x", 3)
            session.line.ask(question: "Code: ")
            await session.type("1\r", 4)
            await session.type("y", 1)
            await session.type("\u{1B}[A", 1)
            await session.type("\r", 2)
            exit(0)
        }
        #expect(
            try #require(result).lines == [
                #"shown("")"#, shownLine("> ", ""), shownLine("> ", "x"), shownLine("Code: ", ""),
                shownLine("Code: ", "1"), #"finished("Code: 1")"#, "line 1", shownLine("", "xy"),
                shownLine("", "old"), #"finished("old")"#, "line old",
            ]
        )
    }
}
