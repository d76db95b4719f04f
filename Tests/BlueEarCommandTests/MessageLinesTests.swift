import CommandLineTool
import Fixtures
import Foundation
import Testing

@testable import BlueEarCommand

@Suite("The lines of blueear")
struct MessageLinesTests {
    @Test("A line is a message of one pair, the request to end, or nothing; a pairing is answered from the same lines")
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

    @Test("Pairs of a message, and messages of several")
    func pairs() throws {
        for text in ["", "=", "a", "a=", "=a", "a=b", "a=b=c", " a = b ", "é=☂", "a\n=b"] {
            RunRecord.note("\(text) \(MessagePair(text).map { "\($0.key):\($0.value)" } ?? "none")")
        }
        #expect(MessagePair("a=b=c")?.value == "b=c" && MessagePair("=a") == nil && MessagePair("a=")?.value == "")
        let message = try MessageOptions.parse(["--message", "a=1", "--message", "b=2"]).message()
        #expect(message == ["a": "1", "b": "2"])
        let parsed = try #require(
            try Messenger.parseAsRoot(["central", "--device", "x", "--timeout", "5"]) as? Messenger.Central
        )
        #expect(parsed.device == "x" && parsed.timeout == 5 && !parsed.stay && !parsed.read)
        let peripheral = try #require(try Messenger.parseAsRoot(["peripheral"]) as? Messenger.Peripheral)
        #expect(peripheral.name == "Peripheral - iOS")
    }

    @Test("What is not said is a lock named Lock, one exchange, no limit and nothing to take up")
    func defaults() throws {
        let lock = try #require(try Messenger.parseAsRoot(["lock", "--secret", "a"]) as? Messenger.Lock)
        #expect(lock.name == "Lock" && lock.secret.secret == "a" && lock.restoration.restore == nil)
        let named = try #require(
            try Messenger.parseAsRoot(["lock", "--secret", "a", "--name", "Door", "--restore", "b"]) as? Messenger.Lock
        )
        #expect(named.name == "Door" && named.restoration.restore == "b")
        let central = try #require(try Messenger.parseAsRoot(["central"]) as? Messenger.Central)
        #expect(!central.stay && !central.read && central.device == nil && central.timeout == nil)
        #expect(central.message.pairs.isEmpty && central.restoration.restore == nil)
        for (flag, stays) in [("--stay", true), ("--read", false)] {
            let parsed = try #require(try Messenger.parseAsRoot(["central", flag]) as? Messenger.Central)
            #expect(parsed.stay == stays && parsed.read != stays)
        }
    }
}
