// The steps of a conversation in words, for the demonstration and for `--verbose`.

import CommandLineTool
import Foundation
@_spi(Steps) @preconcurrency import ITCB

/// A step, ready to be printed.
struct StepWords {
    /// The chapter of the story that the step belongs to.
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
    /// The step's name, for programs.
    let key: String
    /// What happened.
    let text: String

    /// Puts a step into words, in a language.
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

    /// The step as an entry of a trace.
    func entry(of device: String) -> TimelineEntry { TimelineEntry(.sdk, of: device, layer: "ITCB", text) }
}

extension ITCB_SDK {
    /// Creates the SDK of a central; ends the program if the system cannot be one.
    static func central() -> ITCB_SDK_Central {
        guard let sdk = createInstance(isCentral: true) as? ITCB_SDK_Central else {
            Ending.fail(Failure("this system cannot be a central"))
        }
        return sdk
    }

    /// Creates the SDK of a ball; ends the program if the system cannot be one.
    static func ball() -> ITCB_SDK_Peripheral {
        guard let sdk = createInstance(isCentral: false) as? ITCB_SDK_Peripheral else {
            Ending.fail(Failure("this system cannot be a peripheral; ask instead: eightball central"))
        }
        return sdk
    }
}

/// Passes the steps of an SDK to a session.
@MainActor
enum Steps {
    /// Calls `body` with each step, when it happens; ends the program if there is no adapter and never will be.
    ///
    /// - Parameters:
    ///   - sdk: The SDK.
    ///   - pairing: While its user is busy, questions do not time out.
    ///   - isTraced: Whether this process's trace records the steps, as those of its device.
    ///   - body: The function to call.
    static func observe(
        _ sdk: ITCB_SDK,
        _ pairing: ProgramPairing? = nil,
        isTraced: Bool = true,
        _ body: @escaping @MainActor (ITCB_SDK_Step) -> Void
    ) {
        if let conversation = pairing?.conversation {
            sdk.userIdleTime = { MainActor.assumeIsolated { conversation.idleTime } }
        }
        sdk.stepObserver = { step in
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
