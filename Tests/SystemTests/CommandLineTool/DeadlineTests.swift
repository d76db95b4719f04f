// Limits of time, in virtual time.

import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import BluetoothHost
@testable import CommandLineTool

@Suite("A limit of time")
struct DeadlineTests {
    /// Limits that tell when they are over, and a conversation whose pairings begin and end at times.
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
            let question = PairingQuestion.consent(.init(model: nil, isBonding: true, replacesBond: false))
            conversation.begin(PairingPrompt(question, of: Self.peer(number)) { _ in })
        }

        func end(_ number: Int, _ outcome: PairingOutcome = .paired) { conversation.end(Self.peer(number), outcome) }

        /// Prints when it is, and how long the user is idle.
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

    @Test("ends after its time, unless it is called off")
    func plain() async throws {
        let result = await #expect(processExitsWith: .exitCode(99), observing: [\.standardOutputContent]) {
            try await SessionRun.minute { run in
                let stage = Stage(run)
                run.at(1000) {
                    stage.limit("without a conversation", 2, isPaused: false)
                    stage.limit("without a pairing", 3)
                    stage.limit("called off", 1)
                    stage.cancel()
                    _ = Deadline(after: 4) { Console.print("kept by nobody") }
                }
                for milliseconds in [1990, 2990, 3010, 3990, 4010, 4990, 5010] { stage.mark(milliseconds) }
            }
        }
        #expect(
            try #require(result).lines == [
                "1990 idle -", "2990 idle -", "without a conversation", "3010 idle -", "3990 idle -",
                "without a pairing", "4010 idle -", "4990 idle -", "kept by nobody", "5010 idle -",
            ]
        )
    }

    @Test("stops during pairings, and begins anew after the last one")
    func paused() async throws {
        let result = await #expect(processExitsWith: .exitCode(99), observing: [\.standardOutputContent]) {
            try await SessionRun.minute { run in
                let stage = Stage(run)
                run.at(1000) {
                    stage.limit("paused", 2)
                    stage.limit("not paused", 2, isPaused: false)
                }
                run.at(2000) { stage.begin(1) }
                run.at(2500) { stage.begin(2) }
                run.at(4000) { stage.end(1) }
                run.at(6000) { stage.end(2, .failed("it was refused")) }
                // Long after a pairing the time is whole.
                run.at(20_000) { stage.limit("later", 2) }
                for milliseconds in [1500, 2100, 3010, 4500, 6500, 7900, 8100, 21_900, 22_100] {
                    stage.mark(milliseconds)
                }
            }
        }
        #expect(
            try #require(result).lines == [
                "1500 idle -", "2100 idle 0.0", "not paused", "3010 idle 0.0", "4500 idle 0.0", "6500 idle 0.5",
                "7900 idle 1.9", "paused", "8100 idle 2.1", "21900 idle 15.9", "later", "22100 idle 16.1",
            ]
        )
    }

    @Test(
        "waits for what is left, and for ten milliseconds at least",
        arguments: [
            (1_005, ["3008", "over", "3012", "3120", "3140"]), (1_125, ["3008", "3012", "3120", "over", "3140"]),
        ] as [(Int, [String])]
    )
    func least(end: Int, lines: [String]) async throws {
        let result = await #expect(processExitsWith: .exitCode(99), observing: [\.standardOutputContent]) {
            [end = end as Int] in
            try await SessionRun.minute { run in
                let conversation = PairingConversation(serves: nil)
                let identifier = UUID(uuidString: "10000000-0000-0000-0000-000000000000") ?? UUID()
                run.at(1_000) { _ = Deadline(after: 2, pausingFor: conversation) { Console.print("over") } }
                run.at(end) { conversation.end(PairingPeer(identifier: identifier, name: "Anna"), .paired) }
                for time in [3_008, 3_012, 3_120, 3_140] { run.at(time) { Console.print("\(time)") } }
            }
        }
        #expect(try #require(result).lines == lines)
    }

    /// Tells when nobody holds it any more.
    private final class Held: Sendable {
        deinit { Console.print("released") }
    }

    @Test("releases its closure once it was called or called off")
    func released() async throws {
        let result = await #expect(processExitsWith: .exitCode(99), observing: [\.standardOutputContent]) {
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
        let lines = try #require(result).lines
        #expect(lines == ["2000", "over", "released", "4000", "9000", "released", "11000"], "\(lines)")
    }
}
