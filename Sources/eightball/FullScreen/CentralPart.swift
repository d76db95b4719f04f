// The central's page, and the SDK behind it.

import CommandLineTool
import Foundation
@_spi(Steps) @preconcurrency import ITCB
import TerminalScreen

/// Passes the page's questions to the SDK, and the SDK's events to the page.
@MainActor
final class CentralPart: ScreenPart {
    var uuid = UUID()

    /// The number of ticks between two measurements of the signals.
    private static let signalTicks = 20

    private let texts: Texts
    private let onChange: () -> Void
    var page = CentralPage()
    private var ticks = 0
    let sdk = ITCB_SDK.central()
    /// The discovered signal strength of each ball, by name, until it can be asked.
    private var heard: [String: Int] = [:]

    var isAnimated: Bool { page.isAnimated }

    /// Starts to look for balls.
    init(texts: Texts, onChange: @escaping () -> Void) {
        self.texts = texts
        self.onChange = onChange
        sdk.answerTimeLimit = EightBallCentralSession.answerTimeLimit
        _ = sdk.addObserver(self)
        Steps.observe(sdk) { [weak self] step in self?.note(step) }
    }

    func note(_ step: ITCB_SDK_Step) {
        switch step {
        case .stateChanged(let state): page.bluetoothChanged(isOn: state == .poweredOn)
        case .discovered(let name?, let rssi, isOffered: true):
            // The limit is for names that never lead to a ball.
            if heard.count >= 256 { heard.removeAll() }
            heard[name] = rssi
        case .signalRead(let uuid, let rssi): page.measured(uuid, strength: rssi)
        case .lost, .connectionFailed: noticeLosses()
        default: return
        }
        onChange()
    }

    /// Marks the balls that the SDK has lost.
    private func noticeLosses() {
        let present = Set(sdk.devices.compactMap(\.uuid))
        for ball in page.balls where !present.contains(ball.identifier) { page.lost(ball.identifier) }
    }

    /// Leaves the role and closes its links: the observers must be removed, because the SDK retains them.
    func end() { sdk.removeObserver(self) }

    // MARK: Screen

    func receive(_ key: Key) {
        guard let action = page.receive(key) else {
            if key == .control("d"), page.editor.text.isEmpty { Ending.succeed() }
            return
        }
        perform(action)
    }

    /// Chooses a ball.
    func choose(_ ball: String) { page.choose(ball) }

    /// Asks a ball; returns why it did not.
    func ask(_ ball: String, _ question: String) -> TextKey? {
        guard let action = page.ask(ball, question) else { return page.hint }
        perform(action)
        return nil
    }

    private func perform(_ action: CentralPage.Action) {
        switch action {
        case .ask(let ball, let question):
            guard let device = sdk.devices.first(where: { $0.uuid == ball }) else {
                page.failed(ball, words: LocalizableText(.rejectOffline))
                return noticeLosses()
            }
            device.sendQuestion(question)
        }
    }

    func tick() {
        ticks += 1
        let count = page.balls.count
        page.tick()
        // Without the last ball, no animation runs.
        if page.balls.count != count { onChange() }
        if ticks.isMultiple(of: Self.signalTicks) { sdk.readSignals() }
    }

    func draw(on canvas: inout Canvas) { page.draw(on: &canvas, texts) }
}

extension CentralPart: @preconcurrency ITCB_Observer_Central_Protocol {
    func deviceDiscovered(_ device: any ITCB_Device_Peripheral_Protocol) {
        guard let uuid = device.uuid else { return }
        page.found(uuid, name: device.name, strength: heard.removeValue(forKey: device.name))
        onChange()
    }

    func questionAskedOfDevice(_ device: any ITCB_Device_Peripheral_Protocol) {
        guard let uuid = device.uuid, let question = device.question else { return }
        page.confirmed(uuid, question: question)
        onChange()
    }

    func questionAnsweredByDevice(_ device: any ITCB_Device_Peripheral_Protocol) {
        guard let uuid = device.uuid, let answer = device.answer else { return }
        page.answered(uuid, answer: answer)
        onChange()
    }

    func errorOccurred(_ error: ITCB_Errors, sdk: any ITCB_SDK_Protocol) {
        // The SDK does not say whose error it is: the balls do.
        for case let device in self.sdk.devices {
            guard let uuid = device.uuid, let error = device.error else { continue }
            let isSilence = ErrorWords.isSilence(error, of: device, sdk)
            page.failed(uuid, words: isSilence ? LocalizableText(.rejectSilent) : ErrorWords.text(for: error))
        }
        for uuid in page.openConversations where !self.sdk.devices.contains(where: { $0.uuid == uuid }) {
            page.failed(uuid, words: LocalizableText(.rejectOffline))
        }
        noticeLosses()
        onChange()
    }
}
