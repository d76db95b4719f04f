import CommandLineTool
import Testing

@testable import BlueEarCommand

@Suite("Options of blueear")
struct MessengerCommandTests {
    @Test(
        "accepts messages of different keys, names and secrets",
        arguments: [
            ["peripheral", "--name", "Anna"], ["central", "--stay"], ["central", "--read"],
            ["central", "--message", "a=1", "--message", "b=1"],
            ["central", "--restore", "home"], ["central", "--timeout", "86400"], ["lock", "--secret", "sesame"],
            ["key", "--secret", "sesame", "--restore", "home"],
        ]
    )
    func taken(arguments: [String]) {
        #expect(throws: Never.self) { try MessengerCommand.parseAsRoot(arguments) }
    }

    @Test(
        "refuses empty and repeated values, and options that exclude each other",
        arguments: [
            (["peripheral", "--name", ""], "The name is empty."),
            (["central", "--stay", "--read"], "Use --read or --stay, not both."),
            (["central", "--message", "a"], "\"a\" is not KEY=VALUE."),
            (["central", "--message", "a=1", "--message", "a=2"], "The key \"a\" is given twice."),
            (["central", "--restore", ""], "The identifier to restore is empty."),
            (["central", "--timeout", "0"], "The timeout must be more than 0"),
            (["lock", "--secret", ""], "The secret is empty."), (["key", "--secret", ""], "The secret is empty."),
        ] as [([String], String)]
    )
    func refused(arguments: [String], reason: String) {
        #expect {
            try MessengerCommand.parseAsRoot(arguments)
        } throws: { error in
            return MessengerCommand.message(for: error).contains(reason)
        }
    }

    @Test("refuses a message that is too long")
    func longMessage() throws {
        let fits = try MessageOptions.parse(["--message", "a=" + String(repeating: "x", count: 1_000)])
        #expect(try fits.message()?["a"]?.count == 1_000)
        let long = try MessageOptions.parse(["--message", "a=" + String(repeating: "x", count: 20_000_000)])
        #expect(throws: Failure.self) { try long.message() }
        #expect(try MessageOptions.parse([]).message() == nil)
    }

    @Test("ends the key of a pair at the first =, and refuses a pair without a key")
    func pairs() throws {
        #expect(
            MessagePair("a=b=c")?.value == "b=c" && MessagePair("a=")?.value == ""
                && MessagePair(" a = b ")?.key == " a "
        )
        for text in ["", "=", "a", "=a"] { #expect(MessagePair(text) == nil, "\(text)") }
        let message = try MessageOptions.parse(["--message", "a=1", "--message", "b=2"]).message()
        #expect(message == ["a": "1", "b": "2"])
    }

    @Test("passes on the options of a central and of a lock")
    func options() throws {
        for (flags, stays, reads) in [([], false, false), (["--stay"], true, false), (["--read"], false, true)] {
            let central = try #require(
                try MessengerCommand.parseAsRoot(["central", "--device", "x", "--timeout", "5"] + flags)
                    as? MessengerCommand.Central
            )
            #expect(central.device == "x" && central.timeout == 5 && central.stay == stays && central.read == reads)
        }
        let arguments = ["lock", "--secret", "a", "--name", "Door", "--restore", "b"]
        let lock = try #require(try MessengerCommand.parseAsRoot(arguments) as? MessengerCommand.Lock)
        #expect(lock.name == "Door" && lock.secret.secret == "a" && lock.restoration.restore == "b")
    }
}
