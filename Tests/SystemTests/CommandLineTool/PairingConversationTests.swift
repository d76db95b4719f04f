import CoreBluetooth
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import BluetoothHost
@testable import CommandLineTool

@Suite("The conversation of a pairing")
struct PairingConversationTests {
    /// A conversation that reads the lines of its test.
    @MainActor
    private final class Talk {
        let conversation: PairingConversation
        private var take: (@MainActor (String?) -> Void)?

        init(serves: OutputFormat? = nil) {
            conversation = PairingConversation(serves: serves)
            conversation.lines = LineReader { self.take = $0 }
        }

        func type(_ line: String?) { take?(line) }

        func begin(_ question: PairingQuestion, _ peer: PairingPeer) {
            let name = peer.name ?? "?"
            conversation.begin(PairingPrompt(question, of: peer) { Console.print("\(name) \($0)") })
        }
    }

    private static func peer(_ digit: Int, _ name: String?) -> PairingPeer {
        PairingPeer(identifier: UUID(uuidString: "\(digit)0000000-0000-0000-0000-000000000000") ?? UUID(), name: name)
    }

    private static var consent: PairingQuestion { .consent(.init(model: nil, replacesBond: false)) }
    private static var again: PairingQuestion { .consent(.init(model: nil, replacesBond: true)) }
    private static var code: Passkey { get throws { try #require(Passkey(42)) } }

    @Test("takes a line for one answer: yes, else no, and six digits for a code")
    func answers() async throws {
        let process = try await #require(processExitsWith: .success, observing: .outputs) { @MainActor in
            let talk = Talk()
            let anna = PairingConversationTests.peer(1, "Anna")
            for (question, lines) in [
                (PairingConversationTests.consent, ["y", "YES", " yes ", "n", "No", "", "yesterday"]),
                (.compareNumbers(try PairingConversationTests.code), ["Yes", "no"]),
                (PairingConversationTests.again, ["y"]),
                (.enterPasskey, ["123456", " 000001 ", "12345", "1234567", "12345x", "", "12345/", "12345:"]),
            ] as [(PairingQuestion, [String])] {
                for line in lines {
                    talk.begin(question, anna)
                    talk.type(line)
                }
            }
            exit(0)
        }
        let consents = [true, true, true, false, false, false, false]
        #expect(
            process.lines == consents.map { "Anna consent(\($0))" } + [
                "Anna numbersMatch(true)", "Anna numbersMatch(false)", "Anna consent(true)",
                "Anna passkey(Optional(123456))", "Anna passkey(Optional(000001))",
            ] + Array(repeating: "Anna passkey(nil)", count: 6)
        )
        let questions = process.errorLines
        #expect(questions.count == 18)
        #expect(questions[0] == "Pair with \"Anna\" (y/n)? ")
        #expect(questions[7] == "Does \"Anna\" show 000042, too (y/n)? ")
        #expect(
            questions[9] == "\"Anna\" wants to pair again and replace the existing keys. Is that right (y/n)? "
        )
        #expect(questions[10] == "Six digits that \"Anna\" shows: ")
    }

    @Test("asks one question at a time, and none of a pairing that has ended")
    func order() async throws {
        let process = try await #require(processExitsWith: .success, observing: .outputs) { @MainActor in
            let talk = Talk()
            let (anna, bert, carl) = (
                PairingConversationTests.peer(1, "Anna"), PairingConversationTests.peer(2, "Bert"),
                PairingConversationTests.peer(3, "Carl")
            )
            for peer in [anna, bert, carl, carl] { talk.begin(PairingConversationTests.consent, peer) }
            // The question of another pairing stays.
            talk.conversation.end(bert, .paired)
            Console.report("-")
            talk.type("y")
            Console.report("-")
            talk.conversation.end(carl, .failed("it was refused"))
            talk.type("y")
            Console.report("idle \(talk.conversation.idleTime == 0)")
            talk.conversation.end(anna, .paired)
            Console.report("idle \(talk.conversation.idleTime == 0)")
            talk.begin(PairingConversationTests.consent, bert)
            talk.type("n")
            exit(0)
        }
        #expect(process.lines == ["Anna consent(true)", "Bert consent(true)"])
        #expect(
            process.errorLines == [
                "Pair with \"Anna\" (y/n)? ", "-", "Pair with \"Carl\" (y/n)? ", "-",
                "(no answer is needed: it was refused)", "idle true", "idle false",
                "Pair with \"Bert\" (y/n)? ",
            ]
        )
    }

    @Test(
        "prints codes and ends of pairings if the program serves, else only the code",
        arguments: [nil, false, true]
    )
    func served(isJSON: Bool?) async throws {
        let process = try await #require(processExitsWith: .success, observing: .outputs) { @MainActor [isJSON] in
            let talk = Talk(serves: isJSON.map { OutputFormat(isJSON: $0, isVerbose: false) })
            let (anna, other) = (PairingConversationTests.peer(1, "Anna"), PairingConversationTests.peer(2, nil))
            talk.begin(.displayPasskey(try PairingConversationTests.code), anna)
            talk.conversation.end(anna, .paired)
            talk.begin(.compareNumbers(try PairingConversationTests.code), other)
            talk.conversation.end(other, .failed("it was refused"))
            exit(0)
        }
        let (printed, reported) = (process.lines, process.errorLines)
        let identifier = "20000000-0000-0000-0000-000000000000"
        let question = "Does \(identifier) show 000042, too (y/n)? "
        let takenBack = "(no answer is needed: it was refused)"
        switch isJSON {
        case nil:
            #expect(printed.isEmpty)
            #expect(reported == ["Enter 000042 at \"Anna\".", question, takenBack])
        case false:
            #expect(
                printed == ["Code for \"Anna\": 000042", "Paired with \"Anna\".", "Code for \(identifier): 000042"]
            )
            #expect(reported.prefix(2) == [question, takenBack])
            #expect(reported.count == 3 && reported.last?.hasSuffix("it was refused (\(identifier))") == true)
        case true:
            let anna = "\"device\":\"Anna\",\"identifier\":\"10000000-0000-0000-0000-000000000000\""
            let other = "\"device\":null,\"identifier\":\"\(identifier)\""
            #expect(
                printed == [
                    "{\"event\":\"code\",\(anna),\"code\":\"000042\"}", "{\"event\":\"paired\",\(anna)}",
                    "{\"event\":\"code\",\(other),\"code\":\"000042\"}",
                    "{\"event\":\"pairingFailed\",\(other),\"error\":\"it was refused\"}",
                ]
            )
            #expect(reported == [question, takenBack])
        }
    }

    @Test("asks again after a slip at a terminal, and takes an empty line and the end of input as no")
    func terminal() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
            @MainActor in
            let place = try TestTerminal(at: [STDIN_FILENO, STDERR_FILENO], isPlain: true)
            let conversation = PairingConversation(serves: nil)
            for (question, lines) in [
                (PairingConversationTests.consent, "perhaps\n Y\n"), (PairingConversationTests.consent, "\n"),
                (.enterPasskey, "12345\n123456\n"),
                (.enterPasskey, "\n"), (.compareNumbers(try PairingConversationTests.code), "1\nn\n"),
                (.enterPasskey, "\u{4}"),
            ] as [(PairingQuestion, String)] {
                await withCheckedContinuation { continuation in
                    conversation.begin(
                        PairingPrompt(question, of: PairingConversationTests.peer(1, "Anna")) {
                            Console.print("\($0)")
                            continuation.resume()
                        }
                    )
                    // Input before a question is discarded if another one was withdrawn.
                    place.type(lines)
                }
            }
            // Withdrawing a question begins a new row, and the unfinished line is no part of the next one.
            let anna = PairingConversationTests.peer(1, "Anna")
            conversation.begin(
                PairingPrompt(PairingConversationTests.consent, of: anna) { Console.print("late \($0)") }
            )
            conversation.end(anna, .failed("it was refused"))
            conversation.begin(PairingPrompt(.displayPasskey(try PairingConversationTests.code), of: anna) { _ in })
            Console.prompt(place.text())
            exit(0)
        }
        let text = String(decoding: result.standardOutputContent, as: UTF8.self)
        #expect(
            text == """
                consent(true)
                consent(false)
                passkey(Optional(123456))
                passkey(nil)
                numbersMatch(false)
                passkey(nil)
                Pair with "Anna" (y/n)? Please answer y or n.
                Pair with "Anna" (y/n)? Pair with "Anna" (y/n)? \
                Six digits that "Anna" shows: That is not six digits; an empty line gives up.
                Six digits that "Anna" shows: Six digits that "Anna" shows: \
                Does "Anna" show 000042, too (y/n)? Please answer y or n.
                Does "Anna" show 000042, too (y/n)? Six digits that "Anna" shows: 
                Pair with "Anna" (y/n)? 
                (no answer is needed: it was refused)
                Enter 000042 at "Anna".

                """
        )
    }
}
