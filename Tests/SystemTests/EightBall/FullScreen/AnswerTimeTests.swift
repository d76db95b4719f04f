// How long the central on the whole screen waits for a person at the ball: a minute, behind which the question has
// failed and another one can be asked.

import CommandLineTool
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import eightball

@Suite("The time for an answer on the whole screen")
struct AnswerTimeTests {
    /// The two roles, at devices of a world.
    @MainActor
    private final class Parts {
        private(set) var run = SessionRun()
        private let ball: Device
        private let asker: Device
        private var central: CentralPart?
        private var peripheral: PeripheralPart?

        init() {
            ball = run.world.addDevice("ball")
            asker = run.world.addDevice("asker")
            run.start(on: ball) {
                let part = PeripheralPart(texts: .english, name: "Crystal", onChange: {})
                part.setAnsweredByHand(true)
                peripheral = part
                return part
            }
            run.start(on: asker) {
                let part = CentralPart(texts: .english, onChange: {})
                central = part
                return part
            }
        }

        func at(_ seconds: Double, _ body: @escaping @MainActor (Parts) -> Void) {
            run.world.onMain(after: .seconds(seconds)) { body(self) }
        }

        /// Asks the ball that was found first, and prints why it was not asked.
        func ask(_ question: String) {
            guard let central, let ball = central.page.balls.first else { return Console.print("no ball") }
            let hint = asker.run { central.ask(ball.identifier, question) }
            Console.print("\(question) \(hint?.rawValue ?? "is asked")")
        }

        /// Gives the open question an answer.
        func answer(entry number: Int) { ball.run { _ = peripheral?.answer(entry: number, with: 0) } }

        /// Prints what has been said.
        func show() {
            guard let ball = central?.page.balls.first else { return Console.print("no ball") }
            switch ball.conversation {
            case .none: Console.print("none")
            case .asking(let question): Console.print("asking \(question)")
            case .confirmed(let question): Console.print("confirmed \(question)")
            case .answered(let question, let answer): Console.print("\(question) \(Texts.english.answer(answer))")
            case .failed(let question, let words): Console.print("\(question) \(Texts.english(words))")
            }
        }
    }

    @Test("A person may answer for a minute")
    func minute() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(98),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            let run = await MainActor.run {
                let parts = Parts()
                parts.at(9) { $0.ask("Rain?") }
                parts.at(11) { $0.show() }
                parts.at(60) { $0.ask("Sun?") }
                parts.at(67) { $0.answer(entry: 0) }
                parts.at(68.5) { $0.show() }
                parts.at(80) { $0.ask("Snow?") }
                parts.at(139.9) { $0.show() }
                parts.at(140.1) { $0.show() }
                return parts.run
            }
            run.world.advance(by: .seconds(150))
            exit(98)
        }
        let process = try #require(result)
        #expect(process.errorLines.isEmpty)
        #expect(
            process.lines == [
                "Rain? is asked", "confirmed Rain?", "Sun? stillAnswering", "Rain? It is certain.", "Snow? is asked",
                "confirmed Snow?", "Snow? went offline",
            ]
        )
    }
}
