// The ball's page, and the SDK behind it.

import CommandLineTool
import Foundation
@_spi(Steps) @preconcurrency import ITCB
import TerminalScreen

/// Passes the page's answers to the SDK, and the SDK's events to the page.
@MainActor
final class PeripheralPart: ScreenPart {
    var uuid = UUID()

    private let texts: Texts
    private let onChange: () -> Void
    private(set) var page = PeripheralPage()
    private let sdk = ITCB_SDK.ball()
    /// The centrals whose questions are not answered yet.
    private var centrals: [String: any ITCB_Device_Central_Protocol] = [:]
    private var generator = SystemRandomNumberGenerator()

    var isAnimated: Bool { false }

    /// Becomes a ball.
    init(texts: Texts, name: String = EightBallPeripheralSession.defaultName, onChange: @escaping () -> Void) {
        self.texts = texts
        self.onChange = onChange
        sdk.localName = name
        _ = sdk.addObserver(self)
        Steps.observe(sdk) { [weak self] step in self?.note(step) }
    }

    func note(_ step: ITCB_SDK_Step) {
        switch step {
        case .stateChanged(let state):
            if state != .poweredOn {
                page.lostAll(words: LocalizableText(.rejectOffline))
                centrals = [:]
            }
        case .advertising(let name): page.advertises(as: name)
        case .subscribed(let central): page.subscribed(central, true)
        case .unsubscribed(let central): page.subscribed(central, false)
        case .questionReceived(let question, .busy): page.asked(nil, question, .refusedAsBusy)
        case .questionReceived(let question, .some): page.asked(nil, question, .refusedAsNoQuestion)
        default: return
        }
        onChange()
    }

    /// Leaves the role and closes its links: the observers must be removed, because the SDK retains them.
    func end() { sdk.removeObserver(self) }

    // MARK: Screen

    func receive(_ key: Key) {
        if let action = page.receive(key, answerCount: texts.answers.count) {
            perform(action)
        } else if key == .character("q") || key == .control("d") {
            Ending.succeed()
        }
    }

    /// Lets a person answer, or stops it.
    func setAnsweredByHand(_ isByHand: Bool) { perform(page.setAnsweredByHand(isByHand)) }

    /// Answers the open question, if it is still the same.
    func answer(entry number: Int, with answer: Int?) {
        if let action = page.answer(entry: number, with: answer) { perform(action) }
    }

    private func perform(_ action: PeripheralPage.Action) {
        switch action {
        case .setAnsweredByHand(let isByHand):
            sdk.answersByHand = isByHand
            // The open question is answered at random, like all that follow.
            guard !isByHand, let open = page.entries.last(where: { $0.result == .open }), let central = open.central
            else { return }
            answer(central, open.question, Int.random(in: 0..<texts.answers.count, using: &generator))
        case .answer(let central, let question, let number): answer(central, question, number)
        case .answerAtRandom(let central, let question):
            answer(central, question, Int.random(in: 0..<texts.answers.count, using: &generator))
        }
    }

    private func answer(_ central: String, _ question: String, _ number: Int) {
        guard let device = centrals[central] else { return }
        device.sendAnswer(ITCB_SDK.answerKey(number), toQuestion: question)
    }

    func tick() {}

    func draw(on canvas: inout Canvas) { page.draw(on: &canvas, texts) }
}

extension PeripheralPart: @preconcurrency ITCB_Observer_Peripheral_Protocol {
    func questionAskedByDevice(_ device: any ITCB_Device_Central_Protocol, question: String) {
        guard let uuid = device.uuid else { return }
        centrals[uuid] = device
        page.asked(uuid, question, .open)
        // If a central leaves without its answer, its question is dropped.
        if centrals.count > PeripheralPage.entryLimit {
            centrals = centrals.filter { page.hasOpenQuestion(of: $0.key) }
        }
        onChange()
    }

    func answerSentToDevice(_ device: any ITCB_Device_Central_Protocol, answer: String, toQuestion: String) {
        guard let uuid = device.uuid else { return }
        centrals[uuid] = nil
        page.answered(uuid, toQuestion, answer: answer)
        onChange()
    }

    func errorOccurred(_ error: ITCB_Errors, sdk: any ITCB_SDK_Protocol) {
        // The SDK does not say whose error it is: the centrals do.
        for (uuid, device) in centrals {
            guard let error = device.error else { continue }
            centrals[uuid] = nil
            page.failed(uuid, words: ErrorWords.text(for: error))
        }
        onChange()
    }
}
