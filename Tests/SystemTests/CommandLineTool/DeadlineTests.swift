// Limits of time, in virtual time: when they are over, and how they wait for a user who is busy with a pairing.

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
        let run = SessionRun()
        let conversation = PairingConversation(serves: nil)
        private var deadlines: [Deadline] = []

        init() {
            // Time is the world's from its first use on.
            _ = run.world.now
            conversation.lines = LineReader { _ in }
        }

        func at(_ milliseconds: Int, _ body: @escaping @MainActor () -> Void) {
            run.world.after(.milliseconds(milliseconds)) {
                DispatchQueue.main.async { MainActor.assumeIsolated(body) }
            }
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
            at(milliseconds) { [self] in
                let idle = conversation.idleTime.map { String(format: "%.1f", $0) } ?? "-"
                Console.print("\(milliseconds) idle \(idle)")
            }
        }

        private static func peer(_ number: Int) -> PairingPeer {
            let text = "\(number)0000000-0000-0000-0000-000000000000"
            return PairingPeer(identifier: UUID(uuidString: text) ?? UUID(), name: "Anna \(number)")
        }
    }

    @Test("It is over after its time, unless it is called off; nobody has to keep it")
    func plain() async throws {
        let result = await #expect(processExitsWith: .exitCode(99), observing: [\.standardOutputContent]) {
            let run = await MainActor.run { () -> SessionRun in
                let stage = Stage()
                stage.at(1000) {
                    stage.limit("without a conversation", 2, isPaused: false)
                    stage.limit("without a pairing", 3)
                    stage.limit("called off", 1)
                    stage.cancel()
                    _ = Deadline(after: 4) { Console.print("kept by nobody") }
                }
                for milliseconds in [1990, 2990, 3010, 3990, 4010, 4990, 5010] { stage.mark(milliseconds) }
                return stage.run
            }
            run.passMinute()
        }
        #expect(
            try #require(result).lines == [
                "1990 idle -", "2990 idle -", "without a conversation", "3010 idle -", "3990 idle -",
                "without a pairing", "4010 idle -", "4990 idle -", "kept by nobody", "5010 idle -",
            ]
        )
    }

    @Test("While the user is busy with a pairing it does not pass, and begins anew behind the last one")
    func paused() async throws {
        let result = await #expect(processExitsWith: .exitCode(99), observing: [\.standardOutputContent]) {
            let run = await MainActor.run { () -> SessionRun in
                let stage = Stage()
                stage.at(1000) {
                    stage.limit("paused", 2)
                    stage.limit("not paused", 2, isPaused: false)
                }
                stage.at(2000) { stage.begin(1) }
                stage.at(2500) { stage.begin(2) }
                stage.at(4000) { stage.end(1) }
                stage.at(6000) { stage.end(2, .failed("it was refused")) }
                // Long after a pairing the time is whole.
                stage.at(20_000) { stage.limit("later", 2) }
                for milliseconds in [1500, 2100, 3010, 4500, 6500, 7900, 8100, 21_900, 22_100] {
                    stage.mark(milliseconds)
                }
                return stage.run
            }
            run.passMinute()
        }
        #expect(
            try #require(result).lines == [
                "1500 idle -", "2100 idle 0.0", "not paused", "3010 idle 0.0", "4500 idle 0.0", "6500 idle 0.5",
                "7900 idle 1.9", "paused", "8100 idle 2.1", "21900 idle 15.9", "later", "22100 idle 16.1",
            ]
        )
    }

    @Test("The pairing that failed last is known until one succeeds, and each end is told")
    func ends() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { @MainActor in
            let stage = Stage()
            stage.conversation.onEnd = { peer, outcome in Console.print("\(peer.name ?? "-") \(outcome)") }
            @MainActor func tell() {
                let failure = stage.conversation.lastFailure
                Console.print("\(failure?.peer.name ?? "-") \(failure?.reason ?? "-")")
            }
            stage.begin(1)
            tell()
            stage.begin(2)
            stage.end(1, .failed("it was refused"))
            tell()
            stage.end(2, .failed("it was late"))
            tell()
            // Also the end of one that nobody has seen begin.
            stage.end(3)
            tell()
            exit(0)
        }
        #expect(
            try #require(result).lines == [
                "- -", "Anna 1 failed(\"it was refused\")", "Anna 1 it was refused",
                "Anna 2 failed(\"it was late\")", "Anna 2 it was late", "Anna 3 paired", "- -",
            ]
        )
    }
}
