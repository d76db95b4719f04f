// A ball at the edges of its work by hand and of its adapter: an open question when a person stops answering, and
// answers that wait when the adapter goes away.

import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth
@testable @_spi(Steps) import ITCB

@Suite("A ball that is no longer answered by hand, or has no adapter")
struct BallHandsTests {
    private let testbed = Testbed()

    @Test("A question that is still open keeps nobody from asking when the SDK answers again")
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

    @Test("Answers that wait when the adapter goes away are dropped, and are no errors of their own")
    func waitingAnswers() throws {
        let ball = self.testbed.ball("Crystal")
        ball.sdk.answersByHand = true
        let answer = try #require(ITCB_SDK_Peripheral._makeService().characteristics?.last)
        let devices = (0..<2).map { _ in
            ball.sdk._device(for: CBCentral(identifier: UUID(), lock: ObjectLock()))
        }
        for device in devices { device._didSubscribe(to: answer) }
        ball.sdk._waitingAnswers = devices.map {
            _ITCB_SDK_WaitingAnswer(device: $0, answer: "A", question: "Q?")
        }
        ball.sdk._loseAllCentrals()
        #expect(ball.errors.isEmpty && ball.sdk._waitingAnswers.isEmpty)
        #expect(ball.sdk._centrals.isEmpty && ball.sdk.central == nil)
        #expect(devices.map(\._isSubscribed) == [false, false])
    }
}
