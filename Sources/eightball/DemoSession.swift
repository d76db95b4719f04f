// `eightball demo`: both roles in one process, each on its own virtual controller, on a private air. Every line is
// printed when the SDK takes the step or receives its event; none is scripted.

import CommandLineTool
import CoreBluetooth
import Foundation
@_spi(Steps) @preconcurrency import ITCB

/// Shows the life of one question and ends the program.
@MainActor
final class DemoSession {
    /// How long, in seconds, the demonstration may take.
    private static let timeout: TimeInterval = 10

    /// The observer's identity.
    var uuid = UUID()

    private let question: String
    private let captureFile: String?
    private let output: OutputFormat
    private let texts: Texts
    private let start = Timeline.current.map { Date(timeIntervalSince1970: Double($0.start) / 1_000_000) } ?? Date()
    private let makeAdapter: (BluetoothAdapter.Configuration) -> BluetoothAdapter
    private var ball: (any ITCB_SDK_Protocol)?
    private var central: (any ITCB_SDK_Protocol)?
    private var asked: (any ITCB_Device_Peripheral_Protocol)?
    private var deadline: Deadline?
    private var chapters = ChapterHeadings()

    /// Creates the session; by default its two adapters are on a private air.
    init(
        question: String,
        captureFile: String?,
        output: OutputFormat,
        texts: Texts = .english,
        makeAdapter: ((BluetoothAdapter.Configuration) -> BluetoothAdapter)? = nil
    ) {
        self.makeAdapter = makeAdapter ?? Self.onPrivateAir()
        self.question = question
        self.captureFile = captureFile
        self.output = output
        self.texts = texts
    }

    private static func onPrivateAir() -> (BluetoothAdapter.Configuration) -> BluetoothAdapter {
        let air = PrivateAir()
        return { air.makeAdapter(configuration: $0) }
    }

    /// Runs the session; never returns.
    func run() -> Never {
        begin()
        Interrupts.runUntilExit()
    }

    /// Starts the session.
    func begin() {
        if !output.isJSON { Console.print(texts(.demoIntroduction)) }
        ball = make(isCentral: false)
        ball?.localName = "Crystal"
        _ = ball?.addObserver(self)
        deadline = Deadline(after: Self.timeout) { [texts] in
            Ending.fail(Failure(texts(.demoSilent, SecondsText.text(Self.timeout))))
        }
    }

    /// Creates one of the two sides, on its own adapter.
    private func make(isCentral: Bool) -> any ITCB_SDK_Protocol {
        var configuration = BluetoothAdapter.Configuration(captureFile: captureFile)
        configuration.observer = Timeline.current.map { TimelineObserver($0, device: isCentral ? "central" : "ball") }
        let adapter = makeAdapter(configuration)
        let sdk: ITCB_SDK = adapter.run { isCentral ? ITCB_SDK.central() : ITCB_SDK.ball() }
        Steps.observe(sdk, isTraced: false) { [weak self] step in
            self?.show(step, as: isCentral ? "central" : "ball")
            if case .advertising = step { self?.startCentral() }
        }
        return sdk
    }

    /// The ball is advertising: starts the central.
    private func startCentral() {
        guard central == nil else { return }
        central = make(isCentral: true)
        _ = central?.addObserver(self)
    }

    private func show(_ step: ITCB_SDK_Step, as who: String) {
        let words = StepWords(step, texts)
        let milliseconds = Date().timeIntervalSince(start) * 1000
        if let heading = chapters.heading(before: words.chapter).map({ texts($0) }) {
            if !output.isJSON { Console.print("\n\(heading)") }
            Timeline.current?.add(TimelineEntry(.heading, of: who, layer: "", heading), isPrinted: true)
        }
        Timeline.current?.add(words.entry(of: who), isPrinted: true)
        let time = String(format: "%8.2f ms", milliseconds)
        output.print(
            "step",
            [
                ("milliseconds", .number((milliseconds * 1000).rounded() / 1000)), ("who", .string(who)),
                ("step", .string(words.key)), ("text", .string(words.text)),
            ],
            line: "\(time)  \(texts(who == "ball" ? .demoBall : .demoCentral))  \(words.text)",
            isTraced: false
        )
    }
}

/// The chapters whose headings are printed, each above its first step.
struct ChapterHeadings {
    private var last: StepWords.Chapter?

    /// The heading of a chapter, if the step is its first one.
    ///
    /// Both sides work at the same time: a late step of an earlier chapter does not repeat its heading.
    mutating func heading(before chapter: StepWords.Chapter) -> TextKey? {
        guard chapter.rawValue > last?.rawValue ?? -1 else { return nil }
        last = chapter
        return chapter.heading
    }
}

extension DemoSession: @preconcurrency ITCB_Observer_Central_Protocol {
    func deviceDiscovered(_ device: any ITCB_Device_Peripheral_Protocol) {
        guard asked == nil else { return }
        asked = device
        device.sendQuestion(question)
    }

    func questionAskedOfDevice(_ device: any ITCB_Device_Peripheral_Protocol) {}

    func questionAnsweredByDevice(_ device: any ITCB_Device_Peripheral_Protocol) {
        guard let key = device.answer else { return }
        let words = Answers.words(for: key, texts)
        Timeline.current?.add(TimelineEntry(.app, of: "central", layer: "app", "\(question) \(words)"), isPrinted: true)
        output.print(
            "answer",
            Answers.details(key, of: device.name, to: question),
            line: "\n" + texts(.demoAnswer, PrintableText.text(question), words),
            isTraced: false
        )
        Ending.succeed()
    }

    func errorOccurred(_ error: ITCB_Errors, sdk: any ITCB_SDK_Protocol) {
        let who = asked.map { PrintableText.quoted($0.name) } ?? texts(.demoTheBall)
        Ending.fail(Failure("\(who) \(ErrorWords.words(for: error, texts))"))
    }
}
