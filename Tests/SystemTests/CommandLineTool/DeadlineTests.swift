// Time limits, in virtual time.

import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import BluetoothHost
@testable import CommandLineTool

@Suite("A time limit")
struct DeadlineTests {
    /// Time limits that report their end, and a conversation whose pairings begin and end at set times.
    @MainActor
    private final class Stage {
        private let run: SessionRun
        let conversation = PairingConversation(serves: nil)
        private var deadlines: [Deadline] = []

        init(_ run: SessionRun) {
            self.run = run
            conversation.lines = LineReader { _ in }
        }

        func limit(_ name: String, _ seconds: Double, isPaused: Bool = true) {
            deadlines.append(
                Deadline(after: seconds, pausingFor: isPaused ? conversation : nil) { Console.print(name) }
            )
        }

        func cancel() { deadlines.last?.cancel() }

        func begin(_ number: Int) {
            let question = PairingQuestion.consent(.init(model: nil, replacesBond: false))
            conversation.begin(PairingPrompt(question, of: Self.peer(number)) { _ in })
        }

        func end(_ number: Int, _ outcome: PairingOutcome = .paired) { conversation.end(Self.peer(number), outcome) }

        /// Prints the time, and how long the user has been idle.
        func mark(_ milliseconds: Int) {
            run.at(milliseconds) { [self] in
                let idle = conversation.idleTime.map { String(format: "%.1f", $0) } ?? "-"
                Console.print("\(milliseconds) idle \(idle)")
            }
        }

        private static func peer(_ number: Int) -> PairingPeer {
            let text = "\(number)0000000-0000-0000-0000-000000000000"
            return PairingPeer(identifier: UUID(uuidString: text) ?? UUID(), name: "Anna \(number)")
        }
    }

    @Test("ends after its time unless it is cancelled, pauses during pairings, and restarts after the last one")
    func times() async throws {
        let process = try await #require(processExitsWith: .exitCode(99), observing: .outputs) { @MainActor in
            let run = SessionRun()
            _ = run.world.now
            let stage = Stage(run)
            run.at(1000) {
                stage.limit("without a conversation", 2, isPaused: false)
                stage.limit("without a pairing", 3)
                stage.limit("called off", 1)
                stage.cancel()
                _ = Deadline(after: 4) { Console.print("kept by nobody") }
            }
            run.at(6000) {
                stage.limit("paused", 2)
                stage.limit("not paused", 2, isPaused: false)
            }
            run.at(7000) { stage.begin(1) }
            run.at(7500) { stage.begin(2) }
            run.at(9000) { stage.end(1) }
            run.at(11_000) { stage.end(2, .failed("it was refused")) }
            // Long after a pairing, the full time applies.
            run.at(20_000) { stage.limit("later", 2) }
            // It waits for the remaining time, but at least ten milliseconds.
            run.at(30_000) { stage.limit("least", 2) }
            run.at(30_005) { stage.end(1) }
            for time in [
                2990, 3010, 3990, 4010, 4990, 5010, 7100, 8010, 9500, 12_900, 13_100, 21_900, 22_100, 32_008, 32_012,
            ] {
                stage.mark(time)
            }
            run.passMinute()
        }
        #expect(
            process.lines == [
                "2990 idle -", "without a conversation", "3010 idle -", "3990 idle -", "without a pairing",
                "4010 idle -", "4990 idle -", "kept by nobody", "5010 idle -", "7100 idle 0.0", "not paused",
                "8010 idle 0.0", "9500 idle 0.0", "12900 idle 1.9", "paused", "13100 idle 2.1", "21900 idle 10.9",
                "later", "22100 idle 11.1", "32008 idle 2.0", "least", "32012 idle 2.0",
            ]
        )
    }

    /// Reports its deallocation.
    private final class Held: Sendable {
        deinit { Console.print("released") }
    }

    @Test("releases its closure once it was called or cancelled")
    func released() async throws {
        let result = try await #require(processExitsWith: .exitCode(99), observing: [\.standardOutputContent]) {
            try await SessionRun.minute { run in
                run.at(1_000) {
                    let held = Held()
                    _ = Deadline(after: 2) { withExtendedLifetime(held) { Console.print("over") } }
                }
                run.at(10_000) {
                    let held = Held()
                    let deadline = Deadline(after: 60) { withExtendedLifetime(held) { Console.print("never") } }
                    deadline.cancel()
                }
                for time in [2_000, 4_000, 9_000, 11_000] { run.at(time) { Console.print("\(time)") } }
            }
        }
        let lines = result.lines
        #expect(lines == ["2000", "over", "released", "4000", "9000", "released", "11000"], "\(lines)")
    }
}
