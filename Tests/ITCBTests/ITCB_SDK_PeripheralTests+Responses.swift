import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth
@testable @_spi(Steps) import ITCB

@Suite("Responses of the ball to requests")
struct BallResponsesTests {
    private static var question: CBUUID { _static_ITCB_SDK_8BallService_Question_UUID }
    private static var answer: CBUUID { _static_ITCB_SDK_8BallService_Answer_UUID }

    private let testbed = Testbed()
    private let central = CBCentral.unlinked()

    /// A ball that is answered by hand, and a manager that records its responses.
    private func ball() -> (Ball, NotedResponses) {
        let ball = self.testbed.ball("Crystal")
        ball.sdk.answersByHand = true
        let responses = self.testbed.adapter().run { NotedResponses(delegate: nil, queue: nil) }
        ball.steps = []
        return (ball, responses)
    }

    @Test("answers a read of the answer from its offset on")
    func reading() {
        let (ball, responses) = self.ball()
        func read(_ uuid: CBUUID, _ offset: Int) -> String {
            let request = self.central.request(uuid, offset)
            ball.sdk.peripheralManager(responses, didReceiveRead: request)
            return request.value.map { String(decoding: $0, as: UTF8.self) } ?? "none"
        }
        #expect(read(Self.answer, 0) == "" && responses.take() == [.success])
        #expect(read(Self.answer, 1) == "none" && responses.take() == [.invalidOffset])
        #expect(ball.sdk._centrals.isEmpty && ball.sdk.central == nil)
        let device = ball.sdk._device(for: self.central)
        device._didAsk("Rain?")
        #expect(read(Self.answer, 0) == "" && responses.take() == [.success] && ball.answered.isEmpty)
        device.sendAnswer("Yes.", toQuestion: "Rain?")
        #expect(read(Self.question, 0) == "none" && responses.take() == [.readNotPermitted])
        #expect(read(Self.answer, 5) == "none" && responses.take() == [.invalidOffset])
        #expect(ball.answered.isEmpty)
        #expect(read(Self.answer, 2) == "s." && responses.take() == [.success])
        #expect(ball.answered == ["Rain? Yes."])
        #expect(read(Self.answer, 4) == "" && responses.take() == [.success])
        #expect(read(Self.answer, 0) == "Yes." && responses.take() == [.success])
        #expect(ball.answered.count == 1 && ball.errors.isEmpty)
    }

    @Test("refuses a write that is not a question once, and does not remember its central")
    func refusals() {
        let (ball, responses) = self.ball()
        typealias Row = (parts: [(uuid: CBUUID, offset: Int, value: Data?)], result: CBATTError.Code, text: String)
        let rows: [Row] = [
            ([(Self.answer, 0, Data("Rain?".utf8))], .writeNotPermitted, ""),
            (
                [(Self.question, 0, Data("Rain".utf8)), (Self.answer, 4, Data("?".utf8))],
                .writeNotPermitted, ""
            ),
            ([(Self.question, 1, Data("Rain?".utf8))], .invalidOffset, ""),
            (
                [(Self.question, 0, Data("Rain".utf8)), (Self.question, 5, Data("?".utf8))],
                .invalidOffset, ""
            ),
            ([(Self.question, 0, Data(repeating: 0x3F, count: 513))], .invalidAttributeValueLength, ""),
            ([(Self.question, 0, Data([0xC3, 0x28, 0x3F]))], .invalidPdu, ""),
            ([(Self.question, 0, Data("Rain".utf8))], .unlikelyError, "Rain"),
            ([(Self.question, 0, Data("?Rain".utf8))], .unlikelyError, "?Rain"),
            ([(Self.question, 0, Data("Rain? ".utf8))], .unlikelyError, "Rain? "),
            ([(Self.question, 0, nil)], .unlikelyError, ""),
        ]
        for row in rows {
            let requests = row.parts.map { self.central.request($0.uuid, $0.offset, $0.value) }
            ball.sdk.peripheralManager(responses, didReceiveWrite: requests)
            #expect(responses.take() == [row.result], "\(row.parts)")
            #expect(
                ball.steps.last == .questionReceived(row.text, refusal: ITCB_SDK_Refusal(row.result)),
                "\(row.parts)"
            )
        }
        #expect(ball.steps.count == rows.count && ball.asked.isEmpty && ball.sdk._centrals.isEmpty)
        ball.sdk.peripheralManager(responses, didReceiveWrite: [])
        #expect(responses.take().isEmpty && ball.steps.count == rows.count)
    }

    @Test("confirms a question in parts once before it tells the observers")
    func confirmed() {
        let (ball, responses) = self.ball()
        var before: [[CBATTError.Code]] = []
        ball.onAsked = { _, _ in before.append(responses.results) }
        let parts = [
            self.central.request(Self.question, 0, Data("Will it ".utf8)),
            self.central.request(Self.question, 8, Data("rain?".utf8)),
        ]
        ball.sdk.peripheralManager(responses, didReceiveWrite: parts)
        #expect(before == [[.success]] && responses.take() == [.success])
        #expect(ball.asked == ["Will it rain?"] && ball.steps == [.questionReceived("Will it rain?", refusal: nil)])
        #expect(parts[0].characteristic.value == Data("Will it rain?".utf8))
        #expect(ball.sdk._centrals.map(\._hasOpenQuestion) == [true])
        let next = self.central.request(Self.question, 0, Data("Sun?".utf8))
        ball.sdk.peripheralManager(responses, didReceiveWrite: [next])
        #expect(responses.take() == [.insufficientResources] && ball.asked.count == 1)
        #expect(ball.steps.last == .questionReceived("Sun?", refusal: .busy) && next.characteristic.value == nil)
    }
}
