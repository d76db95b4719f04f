// The two roles without the screen: keys go in, and what was said is printed.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import TerminalScreen
import Testing

@testable import eightball

@Suite("The roles of eightball on the whole screen")
struct ScreenPartsTests {
    /// Ends the process with 99 unless the keys of a text end a part with another status.
    @MainActor
    private static func press<Part: ScreenPart>(_ text: String, _ make: () -> Part) -> Never {
        let world = World(seed: 1)
        world.addDevice("device").run {
            let part = make()
            var parser = KeyParser()
            for key in parser.receive(text.utf8) + parser.flush() { part.receive(key) }
        }
        exit(99)
    }

    @Test(
        "ends a ball with q or Ctrl-D, and with no other key",
        arguments: [("q", 0), ("\u{4}", 0), ("\u{1B}", 99)] as [(String, Int32)]
    )
    func peripheralEnd(keys: String, status: Int32) async throws {
        await #expect(processExitsWith: .exitCode(status)) { @MainActor [keys] in
            ScreenPartsTests.press(keys) { PeripheralPart(texts: .english, name: "Crystal", onChange: {}) }
        }
    }

    @Test(
        "ends a central with Ctrl-D if nothing is written",
        arguments: [("\u{4}", 0), ("a\u{4}", 99), ("q", 99)] as [(String, Int32)]
    )
    func centralEnd(keys: String, status: Int32) async throws {
        await #expect(processExitsWith: .exitCode(status)) { @MainActor [keys] in
            ScreenPartsTests.press(keys) { CentralPart(texts: .english, onChange: {}) }
        }
    }

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

    @Test("waits a minute for an answer")
    func minute() async throws {
        let result = await #expect(processExitsWith: .exitCode(98), observing: .outputs) {
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
                "confirmed Snow?", "Snow? is there, but has not answered in time",
            ]
        )
    }
}
