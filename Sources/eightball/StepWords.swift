// The steps of a conversation in words: for the demonstration and for `--verbose`.

import CommandLineTool
import Foundation
@_spi(Steps) @preconcurrency import ITCB

/// A step, ready to be printed.
struct StepWords {
    /// The chapter of the story to which the step belongs.
    enum Chapter: Int {
        case powerOn
        case finding
        case exploring
        case asking

        /// The chapter's heading.
        var heading: String {
            switch self {
            case .powerOn: "Power on"
            case .finding: "The central finds the ball"
            case .exploring: "The central explores the ball"
            case .asking: "A question, and its answer"
            }
        }
    }

    /// The chapter.
    let chapter: Chapter
    /// The step's name for programs.
    let key: String
    /// What happened.
    let text: String

    /// The words for a step.
    init(_ step: ITCB_SDK_Step) {
        switch step {
        case .stateChanged(let isPoweredOn, let state):
            self.init(.powerOn, "state", isPoweredOn ? "Bluetooth is powered on" : "Bluetooth is \(state)")
        case .serviceAdded:
            self.init(
                .powerOn,
                "serviceAdded",
                "publishes the 8-ball service: a question to write, an answer to be notified"
            )
        case .advertising(let name):
            self.init(.powerOn, "advertising", "advertises the service as \(PrintableText.quoted(name))")

        case .scanning:
            self.init(.finding, "scanning", "scans for peripherals with the 8-ball service")
        case .discovered(let name, let rssi, let isOffered):
            let who = name.map(PrintableText.quoted) ?? "a ball without a name"
            let verdict = isOffered ? "" : " (not offered)"
            self.init(.finding, "discovered", "discovers \(who), RSSI \(rssi) dBm\(verdict)")
        case .connecting(let name):
            self.init(.finding, "connecting", "connects to \(PrintableText.quoted(name))")
        case .connected(let name):
            self.init(.finding, "connected", "is connected to \(PrintableText.quoted(name))")
        case .connectionFailed(let name):
            self.init(.finding, "connectionFailed", "could not connect to \(PrintableText.quoted(name))")
        case .lost(let name):
            self.init(.finding, "lost", "has lost \(PrintableText.quoted(name))")
        case .signalRead(let uuid, let rssi):
            self.init(.finding, "signalRead", "measures \(rssi) dBm from \(uuid)")

        case .discoveringServices:
            self.init(.exploring, "discoveringServices", "discovers the services")
        case .discoveredServices(let count):
            self.init(.exploring, "discoveredServices", "has discovered \(Self.count(count, "service"))")
        case .discoveringCharacteristics:
            self.init(.exploring, "discoveringCharacteristics", "discovers the characteristics")
        case .discoveredCharacteristics(let count):
            self.init(.exploring, "discoveredCharacteristics", "has discovered \(Self.count(count, "characteristic"))")
        case .ready(let name):
            self.init(.exploring, "ready", "can ask \(PrintableText.quoted(name))")

        case .sendingQuestion(let question):
            self.init(.asking, "sendingQuestion", "is given the question \(PrintableText.quoted(question))")
        case .settingNotifications(let isOn):
            self.init(.asking, "settingNotifications", "switches the answer's notifications \(isOn ? "on" : "off")")
        case .setNotifications(let isOn):
            self.init(.asking, "setNotifications", "hears that the notifications are \(isOn ? "on" : "off")")
        case .subscribed:
            self.init(.asking, "subscribed", "has a subscriber")
        case .unsubscribed:
            self.init(.asking, "unsubscribed", "has lost a subscriber")
        case .writingQuestion(let question):
            let text = PrintableText.quoted(question)
            self.init(.asking, "writingQuestion", "writes the question \(text), with response")
        case .questionReceived(let question, let isAccepted):
            let verdict = isAccepted ? "confirms it" : "refuses it"
            let text = PrintableText.quoted(question)
            self.init(.asking, "questionReceived", "receives the question \(text) and \(verdict)")
        case .questionConfirmed:
            self.init(.asking, "questionConfirmed", "has the confirmation of the question")
        case .questionRefused:
            self.init(.asking, "questionRefused", "has a refusal of the question")
        case .answerWaiting(let answer):
            self.init(.asking, "answerWaiting", "waits until it can notify the answer \(PrintableText.text(answer))")
        case .answerSent(let answer):
            self.init(.asking, "answerSent", "notifies the answer \(PrintableText.text(answer))")
        case .answerReceived(let answer):
            self.init(.asking, "answerReceived", "has the notification with the answer \(PrintableText.text(answer))")
        }
    }

    private init(_ chapter: Chapter, _ key: String, _ text: String) {
        self.chapter = chapter
        self.key = key
        self.text = text
    }

    /// The step in a trace.
    func entry(of device: String) -> TimelineEntry { TimelineEntry(.sdk, of: device, layer: "ITCB", text) }

    private static func count(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }
}

/// Passes the steps of an SDK to a session.
@MainActor
enum Steps {
    /// Calls `body` with each step, when it happens; ends the program where there is no adapter and never will be.
    ///
    /// - Parameters:
    ///   - sdk: The SDK.
    ///   - pairing: Whom the user may be busy with, while a question does not time out.
    ///   - isTraced: Whether the steps are those of the device that this process is, in its trace.
    ///   - body: What is called.
    static func observe(
        _ sdk: any ITCB_SDK_Protocol,
        _ pairing: ProgramPairing? = nil,
        isTraced: Bool = true,
        _ body: @escaping @MainActor (ITCB_SDK_Step) -> Void
    ) {
        if let conversation = pairing?.conversation {
            (sdk as? ITCB_SDK)?.userIdleTime = { MainActor.assumeIsolated { conversation.idleTime } }
        }
        (sdk as? ITCB_SDK)?.stepObserver = { step in
            // The SDK lives on the main thread, and so does its observer.
            MainActor.assumeIsolated {
                if isTraced, let timeline = Timeline.current {
                    timeline.add(StepWords(step).entry(of: timeline.device))
                }
                body(step)
            }
            if case .stateChanged(_, state: "unsupported") = step { Ending.failAsSaid() }
        }
    }
}
