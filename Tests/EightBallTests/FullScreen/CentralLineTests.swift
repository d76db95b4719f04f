import Testing

@testable import eightball

@Suite("The central's lines")
struct CentralLineTests {
    @Test("A line is a command where it is one, else a question")
    func parse() {
        #expect(CentralLine("") == .empty)
        #expect(CentralLine("   ") == .empty)
        #expect(CentralLine("list") == .list)
        #expect(CentralLine(" LIST ") == .list)
        #expect(CentralLine("help") == .help)
        #expect(CentralLine("quit") == .quit)
        #expect(CentralLine("exit") == .quit)
        #expect(CentralLine("q") == .quit)
        #expect(CentralLine("use 3") == .use(ball: 3))
        #expect(CentralLine("1 Will it rain?") == .ask(ball: 1, question: "Will it rain?"))
        #expect(CentralLine("  12   Will it rain?  ") == .ask(ball: 12, question: "Will it rain?"))
        #expect(CentralLine("Will it rain?") == .ask(ball: nil, question: "Will it rain?"))
        #expect(CentralLine("quit smoking?") == .ask(ball: nil, question: "quit smoking?"))
        #expect(CentralLine("use it?") == .ask(ball: nil, question: "use it?"))
        #expect(CentralLine("list my sins?") == .ask(ball: nil, question: "list my sins?"))
        #expect(CentralLine("help me?") == .ask(ball: nil, question: "help me?"))
        #expect(CentralLine("? or not?") == .ask(ball: nil, question: "? or not?"))
        #expect(CentralLine("2") == .ask(ball: nil, question: "2"))
    }
}
