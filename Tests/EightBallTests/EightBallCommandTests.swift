import CommandLineTool
import Testing

@testable import eightball

@Suite("Options of eightball")
struct EightBallTests {
    private static let token = "0123456789abcdef"

    @Test(
        "accepts values within the limits",
        arguments: [
            ["web", "--port", "0"], ["web", "--port", "65535"], ["web", "--token", token], ["ask", "Rain?"],
            ["ask", "Rain?", "--device", "Crystal", "--timeout", "86400"], ["peripheral", "--name", "Crystal"],
            ["demo", "--question", "Rain?"], ["demo", "--capture", "a"],
        ]
    )
    func taken(arguments: [String]) {
        #expect(throws: Never.self) { try EightBallCommand.parseAsRoot(arguments) }
    }

    @Test(
        "refuses values outside of the limits, and options that exclude each other",
        arguments: [
            (["web", "--port=-1"], "A port is from 1 to 65535, or 0 for any free one."),
            (["web", "--port", "65536"], "A port is from 1 to 65535, or 0 for any free one."),
            (["web", "--token", String(token.dropLast())], "A token has 16 to 128 characters"),
            (["ask", "Rain?", "--device", ""], "The device is empty."),
            (["ask", "Rain?", "--timeout", "0"], "The timeout must be more than 0"),
            (["peripheral", "--name", ""], "The name is empty"),
            (["demo", "--adapter", "air"], "The demo runs on a private air"),
            (["demo", "--identity", "alice"], "The demo runs on a private air"),
            (["demo", "--distance", "1"], "The demo runs on a private air"),
            (["demo", "--position", "1,1"], "The demo runs on a private air"),
        ] as [([String], String)]
    )
    func refused(arguments: [String], reason: String) {
        #expect {
            try EightBallCommand.parseAsRoot(arguments)
        } throws: { error in
            return EightBallCommand.message(for: error).contains(reason)
        }
    }

    @Test("refuses to ask what does not end with a question mark", arguments: ["Rain", "", "Rain? ", "?!"])
    func noQuestion(question: String) {
        #expect {
            var command = try EightBallCommand.parseAsRoot(["ask", question])
            try command.run()
        } throws: { error in
            (error as? Failure)?.line
                == "a question must end with \"?\", for example: eightball ask \"Will it rain today?\""
        }
    }
}
