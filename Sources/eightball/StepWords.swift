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
        var heading: TextKey {
            switch self {
            case .powerOn: .chapterPowerOn
            case .finding: .chapterFinding
            case .exploring: .chapterExploring
            case .asking: .chapterAsking
            }
        }
    }

    /// The chapter.
    let chapter: Chapter
    /// The step's name for programs.
    let key: String
    /// What happened.
    let text: String

    /// The words for a step, in a language.
    init(_ step: ITCB_SDK_Step, _ texts: Texts = .english) {
        let quoted = PrintableText.quoted
        let plain = { (text: String) in PrintableText.text(text) }
        let (chapter, key, text): (Chapter, String, String) =
            switch step {
            case .stateChanged(.poweredOn): (.powerOn, "state", texts(.stepPoweredOn))
            case .stateChanged(let state): (.powerOn, "state", texts(.stepState, StateText.text(state)))
            case .serviceAdded: (.powerOn, "serviceAdded", texts(.stepService))
            case .advertising(let name): (.powerOn, "advertising", texts(.stepAdvertising, quoted(name)))

            case .scanning: (.finding, "scanning", texts(.stepScanning))
            case .discovered(let name, let rssi, let isOffered):
                (
                    .finding, "discovered",
                    texts(
                        isOffered ? .stepDiscovered : .stepNotOffered,
                        name.map(quoted) ?? texts(.stepNameless),
                        String(rssi)
                    )
                )
            case .connecting(let name): (.finding, "connecting", texts(.stepConnecting, quoted(name)))
            case .connected(let name): (.finding, "connected", texts(.stepConnected, quoted(name)))
            case .connectionFailed(let name): (.finding, "connectionFailed", texts(.stepConnectionFailed, quoted(name)))
            case .lost(let name): (.finding, "lost", texts(.stepLost, quoted(name)))
            case .signalRead(let uuid, let rssi): (.finding, "signalRead", texts(.stepSignal, String(rssi), uuid))

            case .discoveringServices: (.exploring, "discoveringServices", texts(.stepDiscoveringServices))
            case .discoveredServices(let count):
                (.exploring, "discoveredServices", texts.count(count, .stepService1, .stepServices))
            case .discoveringCharacteristics:
                (.exploring, "discoveringCharacteristics", texts(.stepDiscoveringCharacteristics))
            case .discoveredCharacteristics(let count):
                (
                    .exploring, "discoveredCharacteristics",
                    texts.count(count, .stepCharacteristic1, .stepCharacteristics)
                )
            case .ready(let name): (.exploring, "ready", texts(.stepReady, quoted(name)))

            case .sendingQuestion(let question): (.asking, "sendingQuestion", texts(.stepSending, quoted(question)))
            case .settingNotifications(let isOn):
                (.asking, "settingNotifications", texts(isOn ? .stepSwitchesOn : .stepSwitchesOff))
            case .setNotifications(let isOn): (.asking, "setNotifications", texts(isOn ? .stepHearsOn : .stepHearsOff))
            case .subscribed: (.asking, "subscribed", texts(.stepSubscribed))
            case .unsubscribed: (.asking, "unsubscribed", texts(.stepUnsubscribed))
            case .writingQuestion(let question): (.asking, "writingQuestion", texts(.stepWriting, quoted(question)))
            case .questionReceived(let question, let refusal):
                (.asking, "questionReceived", texts(refusal == nil ? .stepConfirms : .stepRefuses, quoted(question)))
            case .questionConfirmed: (.asking, "questionConfirmed", texts(.stepConfirmed))
            case .questionRefused: (.asking, "questionRefused", texts(.stepRefused))
            case .answerWaiting(let answer): (.asking, "answerWaiting", texts(.stepWaiting, plain(answer)))
            case .answerSent(let answer): (.asking, "answerSent", texts(.stepSent, plain(answer)))
            case .answerReceived(let answer): (.asking, "answerReceived", texts(.stepReceived, plain(answer)))
            }
        self.chapter = chapter
        self.key = key
        self.text = text
    }

    /// The step in a trace.
    func entry(of device: String) -> TimelineEntry { TimelineEntry(.sdk, of: device, layer: "ITCB", text) }
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
            if case .stateChanged(.unsupported) = step { Ending.failAsSaid() }
        }
    }
}
