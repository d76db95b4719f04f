import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth
@testable @_spi(Steps) import ITCB

@Suite("A central, as the ball sees it")
struct ITCB_SDK_Device_CentralTests {
    private let testbed = Testbed()

    /// A question in parts that a ball must assemble.
    private func question(_ parts: [(offset: Int, value: Data?)]) -> String {
        let central = CBCentral.unlinked()
        return ITCB_SDK_Peripheral._question(
            in: parts.map { central.request(_static_ITCB_SDK_8BallService_Question_UUID, $0.offset, $0.value) }
        ).text
    }

    @Test("reports a central that unsubscribes before it is answered, and lets it ask again")
    func unsubscribedBeforeTheAnswer() {
        let (ball, central) = self.testbed.pair(answersByHand: true)
        central.subscribe()
        central.write("Who?")
        #expect(self.testbed.run { central.writes == ["ok"] })
        #expect(ball.sdk._centrals.map(\._hasOpenQuestion) == [true])
        central.subscribe(false)
        #expect(self.testbed.run { !ball.errors.isEmpty })
        #expect(ball.errors == ["sendFailed.deviceOffline"])
        #expect(ball.sdk._centrals.map(\._hasOpenQuestion) == [false])
        central.write("And now?")
        #expect(self.testbed.run { central.writes == ["ok", "ok"] })
    }

    @Test("answers questions by hand one at a time")
    func onePersonOneQuestion() throws {
        let (ball, central) = self.testbed.pair(answersByHand: true)
        let other = ForeignCentral(on: self.testbed.adapter())
        #expect(self.testbed.run { other.isReady })
        central.subscribe()
        other.subscribe()
        central.write("Mine?")
        #expect(self.testbed.run { central.writes == ["ok"] })
        other.write("And mine?")
        central.write("And more?")
        #expect(self.testbed.run { other.writes.count == 1 && central.writes.count == 2 })
        #expect(other.writes == ["ATT17"] && central.writes == ["ok", "ATT17"])
        let device = try #require(ball.sdk._centrals.first { $0._hasOpenQuestion })
        device.sendAnswer("Yes.", toQuestion: "Mine?")
        other.write("And mine?")
        #expect(self.testbed.run { other.writes.count == 2 })
        #expect(other.writes == ["ATT17", "ok"])
    }

    @Test("accepts questions of other centrals before an answer is fetched")
    func questionsThatDoNotWait() {
        let (ball, central) = self.testbed.pair()
        let other = ForeignCentral(on: self.testbed.adapter())
        #expect(self.testbed.run { other.isReady })
        central.write("Mine?")
        other.write("And mine?")
        central.write("And more?")
        #expect(self.testbed.run { other.writes == ["ok"] && central.writes == ["ok", "ok"] })
        #expect(ball.asked == ["Mine?", "And mine?", "And more?"])
    }

    @Test("sends an answer of 512 octets to a reader, and refuses a longer one", arguments: [512, 513])
    func readAnswer(length: Int) {
        let (ball, central) = self.testbed.pair()
        let answer = String(repeating: "x", count: length)
        ball.onAsked = { $0.sendAnswer(answer, toQuestion: $1) }
        central.write("Long?")
        central.read()
        #expect(self.testbed.run { central.reads.count == 1 })
        #expect(central.reads == [length == 512 ? answer : ""])
        #expect(ball.errors == (length == 512 ? [] : ["sendFailed.peripheralError.ATT13"]))
        #expect(ball.answered.count == (length == 512 ? 1 : 0))
    }

    @Test("notifies an answer of one update, and refuses a longer one", arguments: [0, 1])
    func notifiedAnswer(excess: Int) throws {
        let ball = self.testbed.ball("Crystal")
        let central = ForeignCentral(on: self.testbed.adapter(mtu: 50))
        self.testbed.run { central.isReady }
        central.subscribe()
        self.testbed.run { central.isSubscribed }
        let answer = String(repeating: "x", count: 47 + excess)
        ball.onAsked = { $0.sendAnswer(answer, toQuestion: $1) }
        central.write("Long?")
        #expect(self.testbed.run { central.writes == ["ok"] })
        self.testbed.run(.seconds(1))
        #expect(central.notified == (excess == 0 ? [answer] : []))
        #expect(ball.errors == (excess == 0 ? [] : ["sendFailed.peripheralError.ATT13"]))
        #expect(ball.answered.count == (excess == 0 ? 1 : 0))
    }

    @Test("hides the answer to an earlier question")
    func noEarlierAnswer() throws {
        let (ball, central) = self.testbed.pair()
        central.write("First?")
        central.read()
        #expect(self.testbed.run { central.reads.count == 1 })
        ball.sdk.answersByHand = true
        central.write("Second?")
        central.read()
        #expect(self.testbed.run { central.reads.count == 2 })
        #expect(central.reads[1] == "")
    }

    @Test("forgets the oldest central that is not subscribed beyond the limit")
    func maximumCentrals() throws {
        let ball = self.testbed.ball("Crystal")
        let limit = ITCB_SDK_Peripheral._maximumCentrals
        let first = ball.sdk._device(for: .unlinked())
        first._didSubscribe(to: try #require(ITCB_SDK_Peripheral._makeService().characteristics?.last))
        let second = ball.sdk._device(for: .unlinked())
        for _ in 2..<limit { _ = ball.sdk._device(for: .unlinked()) }
        #expect(ball.sdk._centrals.count == limit && ball.sdk._centrals.contains { $0 === second })
        let last = ball.sdk._device(for: .unlinked())
        #expect(ball.sdk._centrals.count == limit)
        #expect(ball.sdk._centrals.first === first && ball.sdk._centrals.last === last)
        #expect(!ball.sdk._centrals.contains { $0 === second })
        #expect(ball.sdk._device(for: first._central) === first)
        #expect(ball.sdk._centrals.last === first && ball.sdk._centrals.count == limit)
        #expect(ball.sdk.central as? ITCB_SDK_Device_Central === first)
    }

    @Test("overwrites what an earlier part of a question wrote at the same offset")
    func replacedPart() {
        let parts: [(offset: Int, value: Data?)] = [
            (0, Data("Will it?".utf8)), (5, Data("he".utf8)), (7, nil), (7, Data("? Or she?".utf8)),
        ]
        #expect(self.question(parts) == "Will he? Or she?")
    }

    @Test("accepts other questions when a person stops answering with one open")
    func openQuestion() {
        let (ball, central) = self.testbed.pair(answersByHand: true)
        let other = ForeignCentral(on: self.testbed.adapter())
        #expect(self.testbed.run { other.isReady })
        central.subscribe()
        central.write("Mine?")
        #expect(self.testbed.run { central.writes == ["ok"] })
        ball.sdk.answersByHand = false
        #expect(ball.sdk._centrals.contains { $0._hasOpenQuestion })
        other.subscribe()
        other.write("And mine?")
        #expect(self.testbed.run { other.writes.count == 1 })
        #expect(other.writes == ["ok"] && ball.asked == ["Mine?", "And mine?"])
        #expect(self.testbed.run { other.notified.count == 1 })
        #expect(central.notified.isEmpty && ball.errors.isEmpty)
    }

    @Test("lets a central read the answer that it was notified of, and reports it once")
    func notifiedAndRead() {
        let (ball, central) = self.testbed.pair()
        central.subscribe()
        central.write("Will it?")
        #expect(self.testbed.run { central.notified.count == 1 })
        for count in 1...2 {
            central.read()
            self.testbed.run { central.reads.count == count }
        }
        #expect(central.reads == central.notified + central.notified && central.reads[0].hasPrefix("SLUG-ANSWER-"))
        #expect(ball.answered == ["Will it? \(central.reads[0])"])
    }

    @Test("ends the oldest subscribed central if all are subscribed")
    func allSubscribed() throws {
        let ball = self.testbed.ball("Crystal")
        ball.sdk.answersByHand = true
        let characteristic = try #require(ITCB_SDK_Peripheral._makeService().characteristics?.last)
        func hear() -> ITCB_SDK_Device_Central {
            ball.sdk._device(for: .unlinked())
        }
        let devices = (0..<ITCB_SDK_Peripheral._maximumCentrals).map { _ in hear() }
        devices.forEach { $0._didSubscribe(to: characteristic) }
        devices[0]._didAsk("Q?")
        #expect(ball.sdk._centrals.count == devices.count && ball.errors.isEmpty)
        let last = hear()
        #expect(ball.sdk._centrals.count == devices.count)
        #expect(ball.sdk._centrals.first === devices[1] && ball.sdk._centrals.last === last)
        #expect(ball.errors == ["sendFailed.deviceOffline"])
        #expect(!devices[0]._isSubscribed && !devices[0]._hasOpenQuestion && devices[1]._isSubscribed)
    }
}
