// A central, as the ball sees it: who is busy, what is lost with a subscription, and at which limits.

import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth
@testable @_spi(Steps) import ITCB

@Suite("A central, as the ball sees it")
struct ITCB_SDK_Device_CentralTests {
    private let testbed = Testbed()

    /// A central that no link is to.
    private func unlinkedCentral() -> CBCentral { CBCentral(identifier: UUID(), lock: ObjectLock()) }

    /// A question in parts that a ball is to put together.
    private func question(
        _ parts: [(offset: Int, value: Data?)],
        to uuid: CBUUID = _static_ITCB_SDK_8BallService_Question_UUID
    ) -> Result<String, ITCB_SDK_Peripheral._Refusal> {
        let characteristic = CBMutableCharacteristic(
            type: uuid,
            properties: .write,
            value: nil,
            permissions: .writeable
        )
        let central = self.unlinkedCentral()
        return ITCB_SDK_Peripheral._question(
            in: parts.map {
                CBATTRequest(
                    transaction: .unawaited,
                    central: central,
                    characteristic: characteristic,
                    offset: $0.offset,
                    value: $0.value
                )
            }
        )
    }

    @Test("A central that unsubscribes before a person has answered is reported, and can ask again")
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

    @Test("A person answers one question at a time: another central is refused until then")
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

    @Test("Without a person a question does not wait for that of another central, answered and not fetched yet")
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

    @Test("An answer that is read may have 512 octets, and one more is refused", arguments: [512, 513])
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

    @Test("An answer that is notified may be as long as one update, and one octet more is refused", arguments: [0, 1])
    func notifiedAnswer(excess: Int) throws {
        let (ball, central) = self.testbed.pair()
        central.subscribe()
        #expect(self.testbed.run { central.isSubscribed })
        let device = try #require(ball.sdk._centrals.first)
        device._central.lock.withLock { device._central.mtu = 50 }
        let answer = String(repeating: "x", count: 47 + excess)
        ball.onAsked = { $0.sendAnswer(answer, toQuestion: $1) }
        central.write("Long?")
        #expect(self.testbed.run { central.writes == ["ok"] })
        self.testbed.run(.seconds(1))
        #expect(central.notified == (excess == 0 ? [answer] : []))
        #expect(ball.errors == (excess == 0 ? [] : ["sendFailed.peripheralError.ATT13"]))
        #expect(ball.answered.count == (excess == 0 ? 1 : 0))
    }

    @Test("An answer is reported as sent when it is read, once")
    func readTwice() {
        let (ball, central) = self.testbed.pair()
        central.write("Read?")
        central.read()
        #expect(self.testbed.run { central.reads.count == 1 })
        central.read()
        #expect(self.testbed.run { central.reads.count == 2 })
        #expect(central.reads[0] == central.reads[1])
        #expect(ball.answered.count == 1)
    }

    @Test("What an earlier question was answered is not read for a later one that a person has not answered yet")
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

    @Test("An answer for a central that is subscribed no more is dropped, and those behind it are sent")
    func droppedAnswer() throws {
        let (ball, central) = self.testbed.pair()
        central.subscribe()
        #expect(self.testbed.run { central.isSubscribed })
        let subscribed = try #require(ball.sdk._centrals.first)
        let unlinked = ITCB_SDK_Device_Central(self.unlinkedCentral(), owner: ball.sdk)
        ball.sdk._waitingAnswers = [unlinked, subscribed].map {
            _ITCB_SDK_WaitingAnswer(device: $0, answer: "Yes.", question: "Will it?")
        }
        ball.sdk._roomIsBack()
        #expect(ball.sdk._waitingAnswers.isEmpty)
        #expect(self.testbed.run { central.notified == ["Yes."] })
        #expect(ball.answered == ["Will it? Yes."])
    }

    @Test("As many centrals are remembered as may; one more removes the oldest that is not subscribed")
    func maximumCentrals() throws {
        let ball = self.testbed.ball("Crystal")
        let limit = ITCB_SDK_Peripheral._maximumCentrals
        let first = ball.sdk._device(for: self.unlinkedCentral())
        first._didSubscribe(to: try #require(ITCB_SDK_Peripheral._makeService().characteristics?.last))
        let second = ball.sdk._device(for: self.unlinkedCentral())
        for _ in 2..<limit { _ = ball.sdk._device(for: self.unlinkedCentral()) }
        #expect(ball.sdk._centrals.count == limit && ball.sdk._centrals.contains { $0 === second })
        let last = ball.sdk._device(for: self.unlinkedCentral())
        #expect(ball.sdk._centrals.count == limit)
        #expect(ball.sdk._centrals.first === first && ball.sdk._centrals.last === last)
        #expect(!ball.sdk._centrals.contains { $0 === second })
        // One that is known is heard again: nobody has to go.
        #expect(ball.sdk._device(for: first._central) === first)
        #expect(ball.sdk._centrals.last === first && ball.sdk._centrals.count == limit)
        #expect(ball.sdk.central as? ITCB_SDK_Device_Central === first)
    }

    @Test("A question may have 512 octets, and one more is refused for its length", arguments: [512, 513])
    func questionLength(length: Int) {
        let data = Data(String(repeating: "x", count: length - 1).utf8) + Data("?".utf8)
        let result = self.question([(0, data)])
        #expect((try? result.get())?.utf8.count == (length == 512 ? 512 : nil))
        if case .failure(let refusal) = result { #expect(refusal.code == .invalidAttributeValueLength) }
    }

    @Test("A later part of a question replaces what an earlier one wrote in its place")
    func replacedPart() throws {
        let parts: [(offset: Int, value: Data?)] = [
            (0, Data("Will it?".utf8)), (5, Data("he".utf8)), (7, nil), (7, Data("? Or she?".utf8)),
        ]
        #expect(try self.question(parts).get() == "Will he? Or she?")
    }

    @Test("A write to another characteristic is no question")
    func anotherCharacteristic() {
        let result = self.question([(0, Data("Will it?".utf8))], to: _static_ITCB_SDK_8BallService_Answer_UUID)
        guard case .failure(let refusal) = result else {
            Issue.record("it was taken for a question")
            return
        }
        #expect(refusal.code == .writeNotPermitted && refusal.question == "")
    }

    @Test("The limits that the documentation names")
    func limits() {
        #expect(ITCB_SDK_Peripheral._maximumWaitingAnswers == 64 && ITCB_SDK_Peripheral._maximumCentrals == 128)
        #expect(_static_ITCB_SDK_MaximumValueLength == 512)
        #expect(ITCB_SDK_Central._connectionTimeoutLengthInSeconds == 10)
        #expect(ITCB_SDK_Central._retryDelayInSeconds == 1 && ITCB_SDK_Central._rescanIntervalInSeconds == 5)
    }
}
