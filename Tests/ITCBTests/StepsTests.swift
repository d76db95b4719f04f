import Foundation
import Testbed
import Testing

@testable @_spi(Steps) import ITCB

@Suite("The steps of the SDK")
struct StepsTests {
    private let testbed = Testbed()

    /// Steps as lines, without identifiers, which differ in every run. States are numbers: their description depends on
    /// the conformances that are linked.
    private func lines(_ steps: [ITCB_SDK_Step]) -> [String] {
        steps.map {
            if case .stateChanged(let state) = $0 { return "stateChanged(\(state.rawValue))" }
            return "\($0)".replacing(#/[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}/#, with: "…")
        }
    }

    @Test("notes a refused question, an answered one and the end of the ball")
    func conversation() {
        let (ball, central) = self.testbed.meeting()
        central.found[0].sendQuestion("no question")
        #expect(self.testbed.run { central.errors.count == 1 })
        self.testbed.run(.seconds(1))
        central.found[0].sendQuestion("Rain?")
        #expect(self.testbed.run { central.answered.count == 1 })
        self.testbed.run(.seconds(1))
        ball.adapter.setPowered(false)
        self.testbed.run(.seconds(3))
        #expect(
            lines(central.steps) == [
                "stateChanged(5)", "scanning",
                #"discovered(name: Optional("Crystal"), rssi: -45, isOffered: true)"#,
                #"connecting(name: "Crystal")"#, #"connected(name: "Crystal")"#, "discoveringServices",
                "discoveredServices(count: 1)", "discoveringCharacteristics", "discoveredCharacteristics(count: 2)",
                #"ready(name: "Crystal")"#, #"sendingQuestion("no question")"#, "settingNotifications(isOn: true)",
                "setNotifications(isOn: true)", #"writingQuestion("no question")"#,
                #"questionRefused("no question")"#, #"sendingQuestion("Rain?")"#, #"writingQuestion("Rain?")"#,
                #"questionConfirmed("Rain?")"#, #"answerReceived("SLUG-ANSWER-15")"#,
                "settingNotifications(isOn: false)", "setNotifications(isOn: false)", "scanning",
                #"lost(name: "Crystal")"#,
            ]
        )
        #expect(
            lines(ball.steps) == [
                "stateChanged(5)", "serviceAdded",
                #"advertising(name: "Crystal")"#, #"subscribed(central: "…")"#,
                #"questionReceived("no question", refusal: Optional(ITCB.ITCB_SDK_Refusal.noQuestion))"#,
                #"questionReceived("Rain?", refusal: nil)"#, #"answerSent("SLUG-ANSWER-15")"#,
                #"unsubscribed(central: "…")"#, "stateChanged(4)",
            ]
        )
    }
}
