// The two roles without the screen: keys and steps go in, and the page is printed.

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
    /// A part that gets keys at times, in seconds, and prints each page that differs from the one before.
    @MainActor
    private static func part<Part: ScreenPart>(
        on name: String,
        in run: inout SessionRun,
        keys: [(seconds: Double, text: String)] = [],
        _ summary: @escaping @MainActor (Part) -> String,
        _ make: @MainActor (@escaping @MainActor @Sendable () -> Void) -> Part
    ) {
        let world = run.world
        let device = world.addDevice(name)
        run.start(on: device) {
            let shown = Shown<Part>()
            let show: @MainActor @Sendable () -> Void = {
                guard let part = shown.part else { return }
                let page = summary(part)
                guard page != shown.page else { return }
                shown.page = page
                Console.print(page)
            }
            let part = make(show)
            shown.part = part
            shown.ticks = Ticks {
                part.tick()
                if part.isAnimated { show() }
            }
            for (seconds, text) in keys {
                world.onMain(after: .seconds(seconds)) {
                    var parser = KeyParser()
                    for key in parser.receive(text.utf8) { device.run { part.receive(key) } }
                    show()
                }
            }
            return shown
        }
    }

    @MainActor
    private final class Shown<Part> {
        var part: Part?
        var page = ""
        var ticks: Ticks?
    }

    @MainActor
    private static func central(_ part: CentralPart) -> String {
        let balls = part.page.balls.map { ball in
            let said =
                switch ball.conversation {
                case .none: ""
                case .asking(let question): " asking \(question)"
                case .confirmed(let question): " confirmed \(question)"
                case .answered(let question, _): " answered \(question)"
                case .failed(let question, let words): " failed \(question) \(Texts.english(words))"
                }
            return "\(ball.name) \(ball.strength.map(String.init) ?? "?")\(ball.lossTime == nil ? "" : " gone")\(said)"
        }
        return (balls + [part.page.editor.text]).joined(separator: "|")
    }

    private static func nothing(_ part: CentralPart) -> String { "" }

    private static func silence(_ part: PeripheralPart) -> String { "" }

    @MainActor
    private static func peripheral(_ part: PeripheralPart) -> String {
        let entries = part.page.entries.map { entry in
            let result =
                switch entry.result {
                case .open: "open"
                case .answered(let key): Texts.english.answer(key)
                case .refusedAsBusy: "busy"
                case .refusedAsNoQuestion: "no question"
                case .failed(let words): Texts.english(words)
                }
            return "\(entry.question) \(result)"
        }
        let hand = part.page.isAnsweredByHand ? "by hand" : "at random"
        return ([part.page.advertisedName ?? "-", "\(part.page.subscribers.count) \(hand)"] + entries)
            .joined(separator: "|")
    }

    // MARK: The end

    @Test(
        "ends a ball with q or Ctrl-D, and with no other key",
        arguments: [("q", 0), ("\u{4}", 0), ("\u{1B}", 99)] as [(String, Int32)]
    )
    func peripheralEnd(keys: String, status: Int32) async throws {
        await #expect(processExitsWith: .exitCode(status)) { [keys] in
            var run = SessionRun()
            await ScreenPartsTests.part(on: "ball", in: &run, keys: [(1, keys)], ScreenPartsTests.peripheral) {
                PeripheralPart(texts: .english, name: "Crystal", onChange: $0)
            }
            run.passMinute()
        }
    }

    @Test(
        "ends a central with Ctrl-D if nothing is written",
        arguments: [("\u{4}", 0), ("a\u{4}", 99), ("q", 99)] as [(String, Int32)]
    )
    func centralEnd(keys: String, status: Int32) async throws {
        await #expect(processExitsWith: .exitCode(status)) { [keys] in
            var run = SessionRun()
            await ScreenPartsTests.part(on: "asker", in: &run, keys: [(1, keys)], ScreenPartsTests.central) {
                CentralPart(texts: .english, onChange: $0)
            }
            run.passMinute()
        }
    }

    // MARK: The central

    @Test("fails the question of a ball that goes")
    func lostQuestion() async throws {
        let result = await #expect(processExitsWith: .exitCode(99), observing: .outputs) {
            var run = SessionRun()
            await ScreenPartsTests.part(on: "ball", in: &run, keys: [(1, "h")], ScreenPartsTests.silence) {
                PeripheralPart(texts: .english, name: "Crystal", onChange: $0)
            }
            await ScreenPartsTests.part(on: "asker", in: &run, keys: [(10, "Rain?\r")], ScreenPartsTests.central) {
                CentralPart(texts: .english, onChange: $0)
            }
            let ball = run.world["ball"]
            run.world.after(.seconds(14)) { ball?.isPowered = false }
            for seconds in [9, 13, 40] { run.mark("- \(seconds)", at: Double(seconds)) }
            run.passMinute()
        }
        let process = try #require(result)
        #expect(process.errorLines.isEmpty)
        #expect(
            process.lines == [
                "Crystal -45|", "- 9", "Crystal -45 asking Rain?|", "Crystal -45 confirmed Rain?|", "- 13",
                "Crystal -45 gone confirmed Rain?|", "Crystal -45 gone failed Rain? went offline|", "", "- 40",
            ]
        )
    }

    // MARK: The ball

    @Test("keeps a question open by hand, answers it at random, and fails it without Bluetooth")
    func byHand() async throws {
        let result = await #expect(processExitsWith: .exitCode(99), observing: .outputs) {
            var run = SessionRun()
            await ScreenPartsTests.part(
                on: "ball",
                in: &run,
                keys: [(1, "h"), (12, "\u{1B}[B\r"), (16, "h"), (22, "h"), (24, "r"), (28, "h"), (30.5, "h")],
                ScreenPartsTests.peripheral
            ) {
                PeripheralPart(texts: .english, name: "Crystal", onChange: $0)
            }
            await ScreenPartsTests.part(
                on: "asker",
                in: &run,
                keys: [(10, "One?\r"), (14, "Two?\r"), (23, "Three?\r"), (29, "Four?\r"), (31.5, "Five?\r")],
                ScreenPartsTests.nothing
            ) {
                CentralPart(texts: .english, onChange: $0)
            }
            let ball = run.world["ball"]
            run.world.after(.seconds(32)) { ball?.isPowered = false }
            for seconds in [9, 13, 15, 20, 25, 31] { run.mark("- \(seconds)", at: Double(seconds)) }
            run.passMinute()
        }
        let process = try #require(result)
        #expect(process.errorLines.isEmpty)
        // What was answered at random may be any of the twenty.
        let answers = Set(Texts.english.answers)
        let lines = process.lines.map { line in
            line.split(separator: "|", omittingEmptySubsequences: false).map { part in
                guard let end = part.firstIndex(of: "?"), !part.hasPrefix("One?") else { return String(part) }
                let answer = String(part[part.index(end, offsetBy: 2)...])
                return part[...end] + " " + (answers.contains(answer) ? "answered" : answer)
            }.joined(separator: "|")
        }
        let one = "|One? It is decidedly so."
        let two = one + "|Two? answered"
        let three = two + "|Three? answered"
        let four = three + "|Four? answered"
        #expect(
            lines == [
                "-|0 at random", "Crystal|0 at random", "Crystal|0 by hand", "- 9", "Crystal|1 by hand",
                "Crystal|1 by hand|One? open", "Crystal|1 by hand" + one, "Crystal|0 by hand" + one, "- 13",
                "Crystal|1 by hand" + one, "Crystal|1 by hand\(one)|Two? open", "- 15", "Crystal|1 at random" + two,
                "Crystal|0 at random" + two, "- 20", "Crystal|0 by hand" + two, "Crystal|1 by hand" + two,
                "Crystal|1 by hand\(two)|Three? open", "Crystal|1 by hand" + three, "Crystal|0 by hand" + three, "- 25",
                "Crystal|0 at random" + three, "Crystal|1 at random" + three, "Crystal|1 at random\(three)|Four? open",
                "Crystal|1 at random" + four, "Crystal|0 at random" + four,
                "Crystal|0 by hand" + four, "- 31", "Crystal|1 by hand" + four, "Crystal|1 by hand\(four)|Five? open",
                "-|0 by hand\(four)|Five? went offline",
            ]
        )
    }

    // MARK: The time for an answer

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
                "confirmed Snow?", "Snow? went offline",
            ]
        )
    }
}
