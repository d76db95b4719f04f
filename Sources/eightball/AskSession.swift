// `eightball ask`: one question, one answer.

import CommandLineTool
import CoreBluetooth
import Foundation
@_spi(Steps) @preconcurrency import ITCB

/// Finds a ball, asks it, prints the answer and ends the program.
@MainActor
final class AskSession: @preconcurrency ITCB_Observer_Central_Protocol {
    var uuid = UUID()

    private let question: String
    private let wanted: String?
    private let timeout: TimeInterval
    private let pairing: ProgramPairing
    private let output: OutputFormat
    private let texts: Texts
    private var sdk: ITCB_SDK_Central?
    private var deadline: Deadline?
    private var progress: ProgressLine?
    private var asked: (any ITCB_Device_Peripheral_Protocol)?

    // For the message at the end of the time limit.
    private var state = CBManagerState.unknown
    private var others: [String] = []
    private var outOfWindow: (name: String, rssi: Int)?
    private var lost: String?
    /// The ball that was lost last, whether it is the wanted one or not.
    private var lostLast: String?
    private var met: (name: String, count: Int)?

    /// Creates the session.
    init(
        question: String,
        device: String?,
        timeout: TimeInterval,
        pairing: ProgramPairing,
        output: OutputFormat,
        texts: Texts = .english
    ) {
        self.question = question
        self.wanted = device
        self.timeout = timeout
        self.pairing = pairing
        self.output = output
        self.texts = texts
    }

    /// Runs the session; never returns.
    func run() -> Never {
        start()
        Interrupts.runUntilExit()
    }

    /// Starts to look for a ball; the answer or the time limit ends the program.
    func start() {
        let sdk = ITCB_SDK.central()
        self.sdk = sdk
        _ = sdk.addObserver(self)
        // A person may give the answer; the deadline below comes first.
        sdk.answerTimeLimit = timeout
        Steps.observe(sdk, pairing) { self.follow($0) }
        let label = wanted.map { texts(.waitForNamed, [PrintableText.quoted($0)]) } ?? texts(.waitForBall)
        progress = .begin(label, total: timeout)
        deadline = Deadline(after: timeout, pausingFor: pairing.conversation) { self.timeOut() }
    }

    func follow(_ step: ITCB_SDK_Step) {
        output.report("central " + StepWords(step).text)
        switch step {
        case .stateChanged(let state): self.state = state
        case .discovered(let name?, let rssi, isOffered: false):
            if isWanted(name) { outOfWindow = (name, rssi) }
        case .lost(let name), .connectionFailed(let name):
            lostLast = name
            if isWanted(name) { lost = name }
        case .connected(let name):
            if isWanted(name) { met = (name, (met?.count ?? 0) + 1) }
        default:
            break
        }
    }

    private func isWanted(_ name: String) -> Bool { wanted.map { DeviceName.matches(name, $0) } ?? true }

    /// Ends the program at the time limit.
    func timeOut() -> Never {
        // If the adapter could not be opened, that has been reported already.
        guard let lateness else { Ending.failAsSaid() }
        Ending.fail(lateness)
    }

    /// Why there was no answer in time, as far as is known; `nil` if that has been reported.
    var lateness: Failure? {
        let time = SecondsText.text(timeout)
        if let asked { return late(.lateAnswer, PrintableText.quoted(asked.name), time) }
        guard state == .poweredOn else {
            return state == .poweredOff ? nil : late(.lateBluetooth, time, StateText.text(state))
        }
        if let outOfWindow {
            let window = ITCB_SDK.offeredSignals
            return late(
                .lateFar,
                time,
                PrintableText.quoted(outOfWindow.name),
                String(outOfWindow.rssi),
                String(window.lowerBound),
                String(window.upperBound)
            )
        }
        if let lost { return late(.lateLost, PrintableText.quoted(lost), time) }
        if let met {
            let key = met.count == 1 ? TextKey.lateIncompleteOnce : .lateIncomplete
            return late(key, time, PrintableText.quoted(met.name), String(met.count))
        }
        guard let wanted = wanted.map(PrintableText.quoted) else { return late(.lateNone, time) }
        guard !others.isEmpty else { return late(.lateNoneNamed, wanted, time) }
        return late(.lateOther, wanted, time, others.map(PrintableText.quoted).joined(separator: ", "))
    }

    private func late(_ key: TextKey, _ values: String...) -> Failure { Failure(texts(key, values)) }

    // MARK: Observer

    func deviceDiscovered(_ device: any ITCB_Device_Peripheral_Protocol) {
        guard asked == nil else { return }
        guard isWanted(device.name) else {
            others.append(device.name)
            return
        }
        asked = device
        progress?.wait(texts(.waitForAnswer, [PrintableText.quoted(device.name)]))
        device.sendQuestion(question)
    }

    func questionAskedOfDevice(_ device: any ITCB_Device_Peripheral_Protocol) {}

    func questionAnsweredByDevice(_ device: any ITCB_Device_Peripheral_Protocol) {
        guard let answer = device.answer else { return }
        let words = Answers.words(for: answer, texts)
        output.print("answer", Answers.details(answer, of: device.name, to: question), line: words)
        Ending.succeed()
    }

    func errorOccurred(_ error: ITCB_Errors, sdk: any ITCB_SDK_Protocol) {
        if let asked, let error = asked.error, ErrorWords.isSilence(error, of: asked, sdk) { timeOut() }
        if let failure = failure(of: error) { Ending.fail(failure) }
    }

    /// The failure with which an error ends the search; `nil` if the search continues.
    func failure(of error: ITCB_Errors) -> Failure? {
        // Errors of other balls do not end the search.
        if let asked, let error = asked.error { return failure(asked.name, error) }
        // If one of the devices has lost its keys, continuing the search does not help.
        if case .coreBluetooth(let inner as CBError) = error, inner.code == .peerRemovedPairingInformation,
            let lostLast, isWanted(lostLast)
        {
            return failure(lostLast, error)
        }
        return nil
    }

    private func failure(_ name: String, _ error: any Error) -> Failure {
        Failure("\(PrintableText.quoted(name)) \(ErrorWords.words(for: error, from: name, pairing, texts))")
    }
}
