import Testing

@testable import eightball

@Suite("The lines of the central")
struct CentralLineTests {
    @Test(
        "takes a line as a command if it is one, else as a question",
        arguments: [
            ("", .empty), ("   ", .empty), ("list", .list), (" LIST ", .list), ("\tlist\n", .list), ("help", .help),
            ("?", .help), ("quit", .quit), ("exit", .quit), ("q", .quit), ("use 3", .use(ball: 3)),
            ("use  3", .ask(ball: nil, question: "use  3")), ("use x", .ask(ball: nil, question: "use x")),
            ("1 Will it rain?", .ask(ball: 1, question: "Will it rain?")),
            ("  12   Will it rain?  ", .ask(ball: 12, question: "Will it rain?")),
            ("-1 Rain?", .ask(ball: -1, question: "Rain?")),
            ("Will it rain?", .ask(ball: nil, question: "Will it rain?")),
            ("quit smoking?", .ask(ball: nil, question: "quit smoking?")),
            ("list my sins?", .ask(ball: nil, question: "list my sins?")),
            ("help me?", .ask(ball: nil, question: "help me?")), ("? or not?", .ask(ball: nil, question: "? or not?")),
            ("2", .ask(ball: nil, question: "2")),
            ("99999999999999999999 x", .ask(ball: nil, question: "99999999999999999999 x")),
        ] as [(String, CentralLine)]
    )
    func lines(text: String, line: CentralLine) {
        #expect(CentralLine(text) == line)
    }
}
