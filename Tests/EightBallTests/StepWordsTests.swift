import BluetoothHost
import CoreBluetooth
import Foundation
import Testing

@testable import CommandLineTool
@testable @_spi(Steps) import ITCB
@testable import eightball

@Suite("The words for steps")
struct StepWordsTests {
    @Test(
        "has a key, a chapter and words for each step",
        arguments: [
            (.stateChanged(.poweredOn), .powerOn, "state", "Bluetooth is powered on"),
            (.stateChanged(.resetting), .powerOn, "state", "Bluetooth is resetting"),
            (
                .serviceAdded, .powerOn, "serviceAdded",
                "publishes the 8-ball service: a question to write, an answer to be notified"
            ),
            (.advertising(name: "A\u{1B}"), .powerOn, "advertising", "advertises the service as \"A\u{FFFD}\""),
            (.scanning, .finding, "scanning", "scans for peripherals with the 8-ball service"),
            (
                .discovered(name: "A", rssi: -60, isOffered: true), .finding, "discovered",
                "discovers \"A\", RSSI -60 dBm"
            ),
            (
                .discovered(name: nil, rssi: -61, isOffered: false), .finding, "discovered",
                "discovers a ball without a name, RSSI -61 dBm (not offered)"
            ),
            (.connecting(name: "A"), .finding, "connecting", "connects to \"A\""),
            (.connected(name: "A"), .finding, "connected", "is connected to \"A\""),
            (.connectionFailed(name: "A"), .finding, "connectionFailed", "could not connect to \"A\""),
            (.lost(name: "A"), .finding, "lost", "has lost \"A\""),
            (.signalRead(uuid: "A", rssi: -40), .finding, "signalRead", "measures -40 dBm from A"),
            (.discoveringServices, .exploring, "discoveringServices", "discovers the services"),
            (.discoveredServices(count: 1), .exploring, "discoveredServices", "has discovered 1 service"),
            (.discoveringCharacteristics, .exploring, "discoveringCharacteristics", "discovers the characteristics"),
            (
                .discoveredCharacteristics(count: 2), .exploring, "discoveredCharacteristics",
                "has discovered 2 characteristics"
            ),
            (.ready(name: "A"), .exploring, "ready", "can ask \"A\""),
            (.sendingQuestion("R?"), .asking, "sendingQuestion", "is given the question \"R?\""),
            (
                .settingNotifications(isOn: true), .asking, "settingNotifications",
                "switches the answer's notifications on"
            ),
            (.setNotifications(isOn: false), .asking, "setNotifications", "hears that the notifications are off"),
            (.subscribed(central: "A"), .asking, "subscribed", "has a subscriber"),
            (.unsubscribed(central: "A"), .asking, "unsubscribed", "has lost a subscriber"),
            (.writingQuestion("R?"), .asking, "writingQuestion", "writes the question \"R?\", with response"),
            (
                .questionReceived("R?", refusal: nil), .asking, "questionReceived",
                "receives the question \"R?\" and confirms it"
            ),
            (
                .questionReceived("R", refusal: .noQuestion), .asking, "questionReceived",
                "receives the question \"R\" and refuses it"
            ),
            (.questionConfirmed("R?"), .asking, "questionConfirmed", "has the confirmation of the question"),
            (.questionRefused("R?"), .asking, "questionRefused", "has a refusal of the question"),
            (.answerWaiting("Y"), .asking, "answerWaiting", "waits until it can notify the answer Y"),
            (.answerSent("Y\u{7}"), .asking, "answerSent", "notifies the answer Y\u{FFFD}"),
            (.answerReceived("Y"), .asking, "answerReceived", "has the notification with the answer Y"),
        ] as [(ITCB_SDK_Step, StepWords.Chapter, String, String)]
    )
    func words(step: ITCB_SDK_Step, chapter: StepWords.Chapter, key: String, text: String) {
        let words = StepWords(step)
        #expect(words.chapter == chapter && words.key == key && words.text == text)
    }

    @Test("has words in German")
    func german() {
        #expect(StepWords(.connected(name: "A"), .german).text == "ist mit \"A\" verbunden")
        #expect(StepWords(.discoveredServices(count: 2), .german).text == "hat 2 Dienste gefunden")
        #expect(Texts.german(StepWords.Chapter.asking.heading) == "Eine Frage und ihre Antwort")
    }

    @Test("begins a chapter once, even if one of its steps comes late")
    func headings() {
        var headings = ChapterHeadings()
        let chapters: [StepWords.Chapter] = [.powerOn, .powerOn, .finding, .powerOn, .finding, .asking, .exploring]
        let shown = chapters.map { headings.heading(before: $0) }
        #expect(
            shown == [
                StepWords.Chapter.powerOn.heading, nil, StepWords.Chapter.finding.heading, nil, nil,
                StepWords.Chapter.asking.heading, nil,
            ]
        )
    }

    private static func agent() -> TerminalPairingAgent {
        // The output about the pairing is dropped.
        TerminalPairingAgent(.keyboardAndDisplay, serves: OutputFormat(isJSON: false, isVerbose: false) { _ in })
    }

    @Test("answers questions of a pairing from the session's lines")
    @MainActor
    func lines() throws {
        let output = OutputFormat(isJSON: false, isVerbose: false) { _ in }
        let (first, second) = (LineReader { _ in }, LineReader { _ in })
        let asking = ProgramPairing(Self.agent(), try RadioOptions.parse([]))
        let session = EightBallCentralSession(lines: first, pairing: asking, output: output)
        #expect(asking.conversation.lines === first)
        let choosing = ProgramPairing(Self.agent(), try RadioOptions.parse([]))
        let chooser = Chooser(lines: second, pairing: choosing, output: output)
        #expect(choosing.conversation.lines === second)
        withExtendedLifetime((session, chooser)) {}
    }

    @Test("passes the steps and the idle time of the user between SDK and session")
    @MainActor
    func idleTime() throws {
        let agent = Self.agent()
        let sdk = ITCB_SDK()
        Steps.observe(sdk) { _ in }
        let isAsked = sdk.userIdleTime != nil
        #expect(!isAsked, "without a pairing")
        var steps: [ITCB_SDK_Step] = []
        Steps.observe(sdk, ProgramPairing(agent, try RadioOptions.parse([]))) { steps.append($0) }
        guard let idleTime = sdk.userIdleTime else {
            Issue.record("nobody says how long the user is idle")
            return
        }
        #expect(idleTime() == nil)
        let peer = PairingPeer(identifier: UUID(), name: "Anna")
        let code = try #require(Passkey(42))
        agent.conversation.begin(PairingPrompt(.displayPasskey(code), of: peer) { _ in })
        #expect(idleTime() == 0)
        agent.conversation.end(peer, .paired)
        #expect((idleTime() ?? -1) >= 0)
        sdk._note(.scanning)
        sdk._note(.ready(name: "Anna"))
        #expect(steps == [.scanning, .ready(name: "Anna")])
    }
}
