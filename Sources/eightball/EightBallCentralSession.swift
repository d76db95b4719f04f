// `eightball central`: lists balls, and takes questions line by line. A line is handled once the one before it is done,
// so the lines of a script are answered in order; a question to a ball that has not been found yet waits for it.

import CommandLineTool
import Foundation
@_spi(Steps) @preconcurrency import ITCB

/// Lists balls as they come and go, and asks them.
@MainActor
final class EightBallCentralSession {
    /// The line in progress.
    private enum Activity {
        case nothing
        case waiting(ball: Int?, question: String, deadline: Deadline)
        case asking(any ITCB_Device_Peripheral_Protocol, question: String)
    }

    /// A ball that was found at some time; it keeps its number.
    private struct Ball {
        var name: String
        let uuid: String
        var device: (any ITCB_Device_Peripheral_Protocol)?
    }

    /// How long, in seconds, a question waits for its ball.
    private static let waitLimit: TimeInterval = 10
    /// How long, in seconds, an answer may take: a person may give it.
    static let answerTimeLimit: TimeInterval = 60

    /// The observer's identity.
    var uuid = UUID()

    private let lines: LineReader
    private let pairing: ProgramPairing
    private let output: OutputFormat
    private var sdk: ITCB_SDK_Central?
    private var balls: [Ball] = []
    private var chosen: Int?
    private var activity = Activity.nothing
    private var pending: [String] = []
    private var isAtEnd = false
    private var isTaking = false

    /// Creates the session.
    init(lines: LineReader, pairing: ProgramPairing, output: OutputFormat) {
        self.lines = lines
        self.pairing = pairing
        pairing.conversation.lines = lines
        self.output = output
    }

    /// Runs the session; never returns.
    func run() -> Never {
        start()
        Interrupts.runUntilExit()
    }

    /// Starts the session.
    func start() {
        let sdk = ITCB_SDK.central()
        self.sdk = sdk
        _ = sdk.addObserver(self)
        sdk.answerTimeLimit = Self.answerTimeLimit
        Steps.observe(sdk, pairing) { [output] step in
            output.report("central " + StepWords(step).text)
        }
        say("Looking for Magic 8-Balls; \"help\" lists the commands.")
        lines.onLine = { line in
            if let line { self.pending.append(line) } else { self.isAtEnd = true }
            self.takeLines()
        }
        takeLines()
    }

    // MARK: Lines

    private func takeLines() {
        guard !isTaking else { return }
        isTaking = true
        defer { isTaking = false }
        while case .nothing = activity {
            guard !pending.isEmpty else {
                guard isAtEnd else { return prompt() }
                Ending.succeed()
            }
            take(CentralLine(pending.removeFirst()))
        }
    }

    private func take(_ line: CentralLine) {
        switch line {
        case .empty:
            break
        case .ask(let ball, let question):
            ask(ball, question)
        case .use(let ball):
            use(ball)
        case .list:
            list()
        case .help:
            say(
                """
                  1 Will it rain?   ask ball 1
                  use 1             choose ball 1 for questions without a number
                  Will it rain?     ask the chosen ball, or the first one
                  list              list the balls
                  quit              quit (or end the input)
                """
            )
        case .quit:
            Ending.succeed()
        }
    }

    private func prompt() {
        if !output.isJSON { lines.prompt("> ") }
    }

    // MARK: Balls

    private func list() {
        let present = balls.indices.filter { balls[$0].device != nil }
        if present.isEmpty { say("No ball has been found yet.") }
        present.forEach { report("found", ball: $0 + 1, text: label($0 + 1)) }
    }

    private func label(_ ball: Int) -> String {
        balls.indices.contains(ball - 1) ? "[\(ball)] \(PrintableText.text(balls[ball - 1].name))" : "ball \(ball)"
    }

    private func number(of device: any ITCB_Device_Peripheral_Protocol) -> Int {
        (balls.firstIndex { $0.uuid == device.uuid } ?? 0) + 1
    }

    /// The ball that a line addresses, if it is present.
    private func device(_ ball: Int?) -> (any ITCB_Device_Peripheral_Protocol)? {
        if let ball = ball ?? chosen {
            return balls.indices.contains(ball - 1) ? balls[ball - 1].device : nil
        }
        return balls.lazy.compactMap(\.device).first
    }

    private func ask(_ ball: Int?, _ question: String) {
        if let device = device(ball) {
            activity = .asking(device, question: question)
            device.sendQuestion(question)
            return
        }
        let who = (ball ?? chosen).map(label) ?? "a ball"
        say("Waiting for \(who)...")
        let deadline = Deadline(after: Self.waitLimit) {
            self.fail(ball, question, key: "ITCB-SDK-REJECT-OFFLINE", text: "\(who) is not here.")
        }
        activity = .waiting(ball: ball, question: question, deadline: deadline)
    }

    /// Chooses a ball. Before the first ball is found, any number is accepted, so that a script can choose in advance.
    private func use(_ ball: Int) {
        guard ball > 0, balls.isEmpty || ball <= balls.count else {
            let text = "There is no ball \(ball); \"list\" lists those that were found."
            output.print("error", [("ball", .integer(ball)), ("text", .string(text))], line: text)
            return
        }
        chosen = ball
        say("Questions go to \(label(ball)).")
    }

    /// Marks the balls that the SDK has lost.
    private func noticeLosses() {
        guard let sdk else { return }
        for index in balls.indices where balls[index].device != nil {
            guard !sdk.devices.contains(where: { $0.uuid == balls[index].uuid }) else { continue }
            balls[index].device = nil
            report("lost", ball: index + 1, text: "\(label(index + 1)) went offline.")
        }
    }

    // MARK: Results

    private func fail(_ ball: Int?, _ question: String, key: String, text: String) {
        settle()
        output.print(
            "error",
            [
                ("ball", .integer(ball ?? 0)), ("question", .string(question)), ("error", .string(key)),
                ("text", .string(text)),
            ],
            line: text
        )
        takeLines()
    }

    /// Ends the question in progress.
    private func settle() {
        if case .waiting(_, _, let deadline) = activity { deadline.cancel() }
        activity = .nothing
    }

    /// Prints a line for a person; a program does not need it.
    private func say(_ text: String) {
        if !output.isJSON { output.write(text) }
    }

    private func report(_ event: String, ball: Int, text: String) {
        let device = balls[ball - 1]
        output.print(
            event,
            [("ball", .integer(ball)), ("device", .string(device.name)), ("uuid", .string(device.uuid))],
            line: text
        )
    }
}

// MARK: - Observer

extension EightBallCentralSession: @preconcurrency ITCB_Observer_Central_Protocol {
    func deviceDiscovered(_ device: any ITCB_Device_Peripheral_Protocol) {
        let uuid = device.uuid ?? ""
        if let index = balls.firstIndex(where: { $0.uuid == uuid }) {
            balls[index].name = device.name
            balls[index].device = device
        } else {
            balls.append(Ball(name: device.name, uuid: uuid, device: device))
        }
        let ball = number(of: device)
        report("found", ball: ball, text: "\(label(ball)) is here.")
        if case .waiting(let wanted, let question, _) = activity, self.device(wanted) != nil {
            settle()
            ask(wanted, question)
        }
    }

    func questionAskedOfDevice(_ device: any ITCB_Device_Peripheral_Protocol) {
        guard let question = device.question else { return }
        output.print(
            "asked",
            [
                ("ball", .integer(number(of: device))), ("device", .string(device.name)),
                ("question", .string(question)),
            ],
            line: nil
        )
    }

    func questionAnsweredByDevice(_ device: any ITCB_Device_Peripheral_Protocol) {
        guard case .asking(let asked, let question) = activity, asked.uuid == device.uuid, let key = device.answer
        else {
            return
        }
        settle()
        let ball = number(of: device)
        output.print(
            "answer",
            [("ball", .integer(ball))] + Answers.details(key, of: device.name, to: question),
            line: "\(label(ball)): \(Answers.words(for: key))"
        )
        takeLines()
    }

    func errorOccurred(_ error: ITCB_Errors, sdk: any ITCB_SDK_Protocol) {
        if case .asking(let asked, let question) = activity, let error = asked.error {
            let ball = number(of: asked)
            let words =
                self.sdk.map { ErrorWords.isSilence(error, of: asked, $0) } == true
                ? Texts.english(.rejectSilent) : ErrorWords.words(for: error, from: asked.name, pairing)
            let text = "\(label(ball)) \(words)."
            fail(ball, question, key: ErrorWords.key(for: error), text: text)
        } else {
            output.report("central: " + ErrorWords.words(for: error))
        }
        noticeLosses()
    }
}
