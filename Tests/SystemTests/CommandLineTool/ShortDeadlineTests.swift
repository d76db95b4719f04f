// A limit of time that is put off for a moment alone, in virtual time; and a question that is asked when lines wait.

import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CommandLineTool

@Suite("A limit of time that is nearly over")
struct ShortDeadlineTests {
    @Test(
        "A limit of which less than ten milliseconds are left has ten, and one that has more has what is left",
        arguments: [
            (1_005, ["3008", "over", "3012", "3120", "3140"]), (1_125, ["3008", "3012", "3120", "over", "3140"]),
        ] as [(Int, [String])]
    )
    func least(end: Int, lines: [String]) async throws {
        let result = await #expect(processExitsWith: .exitCode(99), observing: [\.standardOutputContent]) {
            [end = end as Int] in
            let run = await MainActor.run { () -> SessionRun in
                let run = SessionRun()
                // Time is the world's from its first use on.
                _ = run.world.now
                let conversation = PairingConversation(serves: nil)
                let identifier = UUID(uuidString: "10000000-0000-0000-0000-000000000000") ?? UUID()
                func at(_ milliseconds: Int, _ body: @escaping @MainActor () -> Void) {
                    run.world.after(.milliseconds(milliseconds)) {
                        DispatchQueue.main.async { MainActor.assumeIsolated(body) }
                    }
                }
                at(1_000) { _ = Deadline(after: 2, pausingFor: conversation) { Console.print("over") } }
                at(end) { conversation.end(PairingPeer(identifier: identifier, name: "Anna"), .paired) }
                for time in [3_008, 3_012, 3_120, 3_140] { at(time) { Console.print("\(time)") } }
                return run
            }
            run.passMinute()
        }
        #expect(try #require(result).lines == lines)
    }

    @Test("A line that waits is the answer to a question as soon as that is asked, and the next one is not")
    func waitingLine() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(0),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) { @MainActor in
            var take: (@MainActor (String?) -> Void)?
            let reader = LineReader { take = $0 }
            for line in ["one", "two"] { take?(line) }
            reader.ask("Sure? ") { Console.print("answer \($0 ?? "end")") }
            Console.print("asked")
            reader.onLine = { Console.print("line \($0 ?? "end")") }
            // A question that is taken back behind its answer takes no line away.
            reader.takeBack("never mind")
            take?("three")
            exit(0)
        }
        let process = try #require(result)
        #expect(process.lines == ["answer one", "asked", "line two", "line three"])
        #expect(process.errorLines == ["Sure? ", "never mind"])
    }
}
