// The ball's centrals in each of their stages: who is busy, what a further question resets, what is lost with a
// subscription or with the adapter, and what a read gets after a notification.

import Fixtures
import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth
@testable @_spi(Steps) import ITCB

@Suite("The stages of a central, as the ball sees it")
struct BallStatesTests {
    private let testbed = Testbed()

    /// A central that no link is to, as a ball that a person answers for sees it.
    private func unlinked(_ ball: Ball) -> ITCB_SDK_Device_Central {
        ITCB_SDK_Device_Central(CBCentral(identifier: UUID(), lock: ObjectLock()), owner: ball.sdk)
    }

    private func answer() throws -> CBCharacteristic {
        try #require(ITCB_SDK_Peripheral._makeService().characteristics?.last)
    }

    private func waiting(_ device: ITCB_SDK_Device_Central) -> _ITCB_SDK_WaitingAnswer {
        _ITCB_SDK_WaitingAnswer(device: device, answer: "A", question: "Q?")
    }

    @Test("A central is busy while an answer of its own waits, or, subscribed, while its question is open")
    func busy() throws {
        let ball = self.testbed.ball("Crystal")
        ball.sdk.answersByHand = true
        let characteristic = try self.answer()
        let other = self.unlinked(ball)
        for isSubscribed in [false, true] {
            for isAsked in [false, true] {
                for isWaiting in [false, true] {
                    let device = self.unlinked(ball)
                    if isSubscribed { device._didSubscribe(to: characteristic) }
                    if isAsked { device._didAsk("Q?") }
                    ball.sdk._waitingAnswers = [self.waiting(isWaiting ? device : other)]
                    let words: Comment = "\(isSubscribed) \(isAsked) \(isWaiting)"
                    #expect(device._isBusy == (isWaiting || isSubscribed && isAsked), words)
                    #expect(device._hasWaitingAnswers == isWaiting, words)
                    #expect(device._hasOpenQuestion == isAsked && device._isSubscribed == isSubscribed, words)
                }
            }
        }
        // One that has its answer and did not fetch it is not.
        let device = self.unlinked(ball)
        ball.sdk._waitingAnswers = []
        device.sendAnswer("A", toQuestion: "Q?")
        #expect("\(device._stage)".hasPrefix("answered") && !device._isBusy && !device._hasOpenQuestion)
    }

    @Test("With a further question the error and the answer of the one before are gone")
    func furtherQuestion() throws {
        let ball = self.testbed.ball("Crystal")
        ball.sdk.answersByHand = true
        let device = self.unlinked(ball)
        device._didAsk("First?")
        device.sendAnswer("Yes.", toQuestion: "First?")
        device.error = ITCB_Errors.unknown(nil)
        #expect(device._readableAnswer == Data("Yes.".utf8))
        device._didAsk("Second?")
        #expect(device._readableAnswer.isEmpty && device.error == nil && device._hasOpenQuestion)
        #expect(ball.asked == ["First?", "Second?"])
        // A person who stops answering has the SDK answer the next one, and not the one that is open.
        ball.sdk.answersByHand = false
        #expect(device._readableAnswer.isEmpty)
        device._didAsk("Third?")
        #expect(String(decoding: device._readableAnswer, as: UTF8.self).hasPrefix("SLUG-ANSWER-"))
    }

    @Test("With a subscription an open question and waiting answers are lost, and those of others are not")
    func unsubscribed() throws {
        let characteristic = try self.answer()
        typealias Row = (stage: String, isWaiting: Bool, isLost: Bool)
        let rows: [Row] = [
            ("idle", false, false), ("idle", true, true), ("asked", false, true), ("asked", true, true),
            ("answered", false, false), ("answered", true, true),
        ]
        let ball = self.testbed.ball("Crystal")
        ball.sdk.answersByHand = true
        let other = self.unlinked(ball)
        for row in rows {
            let device = self.unlinked(ball)
            if row.stage == "answered" {
                device.sendAnswer("A", toQuestion: "Q?")
            } else {
                device._didSubscribe(to: characteristic)
            }
            if row.stage == "asked" { device._didAsk("Q?") }
            ball.sdk._waitingAnswers = [device, other, device].filter { $0 === other || row.isWaiting }
                .map { self.waiting($0) }
            ball.errors = []
            device._didUnsubscribe()
            let words: Comment = "\(row)"
            #expect(ball.errors == (row.isLost ? ["sendFailed.deviceOffline"] : []), words)
            #expect(ball.sdk._waitingAnswers.count == 1 && ball.sdk._waitingAnswers.first?.device === other, words)
            #expect(!device._isSubscribed && !device._hasOpenQuestion, words)
            #expect("\(device._stage)".hasPrefix(row.stage == "answered" ? "answered" : "idle"), words)
            // At the end nothing is owed, and nothing is reported a second time.
            device._end()
            device._didRead()
            #expect(ball.errors.count == (row.isLost ? 1 : 0) && ball.answered.isEmpty, words)
            #expect("\(device._stage)" == "idle")
        }
    }

    @Test("With the adapter an open question is lost, and reported once, before the adapter's own error")
    func adapterLost() {
        let (ball, central) = self.testbed.pair(answersByHand: true)
        central.subscribe()
        central.write("Who?")
        #expect(self.testbed.run { central.writes == ["ok"] })
        ball.adapter.setPowered(false)
        #expect(self.testbed.run { ball.errors.contains("coreBluetooth.nil") })
        #expect(ball.errors == ["sendFailed.deviceOffline", "coreBluetooth.nil"])
        #expect(ball.sdk._centrals.isEmpty && ball.sdk.central == nil)
    }

    @Test("Where all centrals that may be remembered are subscribed, one more ends the oldest of them")
    func allSubscribed() throws {
        let ball = self.testbed.ball("Crystal")
        ball.sdk.answersByHand = true
        let characteristic = try self.answer()
        func hear() -> ITCB_SDK_Device_Central {
            ball.sdk._device(for: CBCentral(identifier: UUID(), lock: ObjectLock()))
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

    @Test("A central that was notified of its answer reads the same one; the answer counts as sent once")
    func notifiedAndRead() {
        let (ball, central) = self.testbed.pair()
        central.subscribe()
        central.write("Will it?")
        #expect(self.testbed.run { central.notified.count == 1 })
        central.read()
        #expect(self.testbed.run { central.reads.count == 1 })
        #expect(central.reads == central.notified && central.reads[0].hasPrefix("SLUG-ANSWER-"))
        #expect(ball.answered == ["Will it? \(central.reads[0])"])
    }

    @Test("The value of the question's characteristic is the last question that was accepted")
    func questionValue() throws {
        let (ball, central) = self.testbed.pair()
        central.subscribe()
        #expect(self.testbed.run { central.isSubscribed })
        let service = try #require(ball.sdk._centrals.first?._subscribedChar?.service)
        let question = try #require(service.characteristics?[_static_ITCB_SDK_8BallService_Question_UUID.uuidString])
        #expect(question.value == nil)
        for text in ["First?", "no question", "Second?", "nor this"] {
            central.write(text)
            let count = central.writes.count + 1
            #expect(self.testbed.run { central.writes.count == count })
            let accepted = ["First?", "First?", "Second?", "Second?"]
            #expect(question.value == Data(accepted[count - 1].utf8))
        }
        #expect(central.writes == ["ok", "ATT14", "ok", "ATT14"])
    }

    @Test("A space in the transmit queue is for all centrals that waited for one")
    func spaceForAll() {
        let ball = self.testbed.ball("Crystal")
        let devices = (0..<3).map { _ in
            ball.sdk._device(for: CBCentral(identifier: UUID(), lock: ObjectLock()))
        }
        devices.forEach { $0._isOutOfRoom = true }
        ball.sdk._roomIsBack()
        #expect(devices.map(\._isOutOfRoom) == [false, false, false])
    }

    @Test("The SDK is made in the mode that is asked for")
    func modes() throws {
        let adapter = self.testbed.adapter()
        let central = try #require(adapter.run { ITCB_SDK.createInstance(isCentral: true) })
        let ball = try #require(adapter.run { ITCB_SDK.createInstance(isCentral: false) })
        #expect(central is ITCB_SDK_Central && ball is ITCB_SDK_Peripheral)
        #expect(central.error == nil && central.observers.isEmpty && ball.localName == "ERROR")
        self.testbed.run(.seconds(1))
        #expect(central.isCoreBluetoothPoweredOn && ball.isCoreBluetoothPoweredOn)
    }
}
