// The ball's side: what a central can do to it, and what it gets.

import BluetoothAir
import BluetoothHost
import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth
@testable @_spi(Steps) import ITCB

@Suite("The ball")
struct ITCB_SDK_PeripheralTests {
    private func testbedWithForeignCentral(settings: AirSettings = .instant) -> (Testbed, Ball, ForeignCentral) {
        let testbed = Testbed(settings: settings)
        let ball = testbed.ball("Crystal")
        let central = ForeignCentral(on: testbed.adapter())
        #expect(testbed.run { central.isReady })
        return (testbed, ball, central)
    }

    @Test("A question that is not UTF-8 gets an ATT error")
    func notUTF8() {
        let (testbed, ball, central) = testbedWithForeignCentral()
        central.write(Data([0xC3, 0x28, 0x3F]))
        #expect(testbed.run { !central.writes.isEmpty })
        #expect(central.writes == ["ATT4"])
        #expect(ball.asked.isEmpty)
    }

    @Test("A question without a question mark gets the error for it", arguments: ["", "no", "?no", "no? "])
    func noQuestionMark(question: String) {
        let (testbed, ball, central) = testbedWithForeignCentral()
        central.write(question)
        #expect(testbed.run { !central.writes.isEmpty })
        #expect(central.writes == ["ATT14"])
        #expect(ball.asked.isEmpty)
    }

    @Test("A question as prepared writes gets its answer")
    func preparedWrites() {
        let (testbed, ball, central) = testbedWithForeignCentral()
        central.subscribe()
        let question = String(repeating: "é", count: 250) + "?"
        central.write(question)
        #expect(testbed.run { central.notified.count == 1 })
        #expect(central.writes == ["ok"])
        #expect(ball.asked == [question])
    }

    @Test("A question as prepared writes gets an ATT error where it is none")
    func preparedRefusal() {
        let (testbed, ball, central) = testbedWithForeignCentral()
        central.subscribe()
        central.write(String(repeating: "x", count: 500))
        #expect(testbed.run { !central.writes.isEmpty })
        #expect(central.writes == ["ATT14"])
        #expect(ball.asked.isEmpty)
    }

    @Test("A question that is too long for an attribute gets an ATT error")
    func tooLong() {
        let (testbed, ball, central) = testbedWithForeignCentral()
        central.write(String(repeating: "x", count: 600) + "?")
        #expect(testbed.run { !central.writes.isEmpty })
        #expect(central.writes.first?.hasPrefix("ATT") == true, "\(central.writes)")
        #expect(ball.asked.isEmpty)
    }

    @Test("Who asks without having subscribed gets the answer when subscribing")
    func lateSubscription() {
        let (testbed, ball, central) = testbedWithForeignCentral()
        central.write("Subscribed?")
        #expect(testbed.run { central.writes == ["ok"] })
        #expect(ball.asked == ["Subscribed?"])
        testbed.run(.seconds(1))
        #expect(ball.answered.isEmpty)
        central.subscribe()
        #expect(testbed.run { central.notified.count == 1 })
        #expect(ball.answered == ["Subscribed? \(central.notified[0])"])
        #expect(ball.errors.isEmpty)
    }

    @Test("Who asks without having subscribed gets the answer when reading; before the first question it is empty")
    func reading() {
        let (testbed, ball, central) = testbedWithForeignCentral()
        central.read()
        #expect(testbed.run { central.reads == [""] })
        central.write("Read?")
        central.read()
        #expect(testbed.run { central.reads.count == 2 })
        #expect(ball.answered == ["Read? \(central.reads[1])"])
        #expect(central.reads[1].hasPrefix("SLUG-ANSWER-"))
        #expect(ball.errors.isEmpty)
    }

    @Test("An observer that answers by itself is not answered over")
    func ownAnswer() {
        let (testbed, ball, central) = testbedWithForeignCentral()
        ball.onAsked = { $0.sendAnswer("SLUG-ANSWER-19", toQuestion: $1) }
        central.subscribe()
        central.write("Mine?")
        #expect(testbed.run { !central.notified.isEmpty })
        testbed.run(.seconds(1))
        #expect(central.notified == ["SLUG-ANSWER-19"])
        #expect(ball.answered == ["Mine? SLUG-ANSWER-19"])
    }

    @Test("An answer that would be cut short is refused, not cut")
    func longAnswer() {
        let (testbed, ball, central) = testbedWithForeignCentral()
        ball.onAsked = { $0.sendAnswer(String(repeating: "x", count: 600), toQuestion: $1) }
        central.subscribe()
        central.write("Long?")
        #expect(testbed.run { !ball.errors.isEmpty })
        #expect(ball.errors == ["sendFailed.peripheralError.ATT13"])
        testbed.run(.seconds(1))
        #expect(central.notified.isEmpty)
    }

    @Test("Answers wait for space in the transmit queue; none is lost, none overtakes another")
    func backPressure() {
        let (testbed, ball, central) = testbedWithForeignCentral(settings: .realistic)
        let answers = (0..<120).map { "SLUG-ANSWER-\($0)" }
        ball.onAsked = { device, question in answers.forEach { device.sendAnswer($0, toQuestion: question) } }
        central.subscribe()
        central.write("All of them?")
        #expect(testbed.run { central.notified.count == 120 })
        #expect(central.notified == answers)
        #expect(ball.answered == answers.map { "All of them? \($0)" })
        #expect(ball.errors.isEmpty)
        let hasWaited = ball.steps.contains { if case .answerWaiting = $0 { true } else { false } }
        #expect(hasWaited)
    }

    /// Lets a ball answer a question again and again, faster than the air can carry it, until the flag is lowered.
    private func flood(_ ball: Ball) -> () -> Void {
        var device: (any ITCB_Device_Central_Protocol)?
        var count = 0
        ball.onAsked = { asking, question in
            device = asking
            for _ in 0..<500 {
                asking.sendAnswer("SLUG-ANSWER-\(count)", toQuestion: question)
                count += 1
            }
        }
        ball.onStep = { step in
            guard case .answerSent = step, let device else { return }
            device.sendAnswer("SLUG-ANSWER-\(count)", toQuestion: "Flood?")
            count += 1
        }
        return { device = nil }
    }

    @Test("Too many answers are refused as busy, and so are questions meanwhile")
    func overflow() {
        let (testbed, ball, central) = testbedWithForeignCentral(settings: .realistic)
        let stop = flood(ball)
        central.subscribe()
        central.write("Flood?")
        central.write("More?")
        #expect(testbed.run { central.writes.count == 2 })
        #expect(central.writes == ["ok", "ATT17"])
        #expect(ball.asked == ["Flood?"])
        #expect(!ball.errors.isEmpty)
        #expect(ball.errors.allSatisfy { $0 == "sendFailed.deviceBusy" })
        #expect(ball.sdk._waitingAnswers.count <= ITCB_SDK_Peripheral._maximumWaitingAnswers)
        // What was taken is delivered, in its order, and then there is space again.
        stop()
        ball.onAsked = nil
        #expect(testbed.run { ball.sdk._waitingAnswers.isEmpty && central.notified.count == ball.answered.count })
        #expect(ball.answered == central.notified.map { "Flood? \($0)" })
        central.write("Now?")
        #expect(testbed.run { central.writes.count == 3 })
        #expect(central.writes.last == "ok")
    }

    /// Lets a ball answer the first central that asks, so that a number of its answers wait all the time.
    private func keepWaiting(_ count: Int, at ball: Ball) {
        var device: (any ITCB_Device_Central_Protocol)?
        func fill() {
            while let device, ball.sdk._waitingAnswers.count < count {
                device.sendAnswer("SLUG-ANSWER-00", toQuestion: "Fill?")
            }
        }
        ball.onAsked = { asking, _ in
            guard device == nil else { return }
            device = asking
            fill()
        }
        ball.onStep = { step in
            if case .answerSent = step { fill() }
        }
    }

    @Test("D3: a central whose answers wait is refused, and another one is not while there is room")
    func busyCentral() {
        let (testbed, ball, central) = testbedWithForeignCentral(settings: .realistic)
        let other = ForeignCentral(on: testbed.adapter())
        #expect(testbed.run { other.isReady })
        keepWaiting(ITCB_SDK_Peripheral._maximumWaitingAnswers - 1, at: ball)
        central.subscribe()
        central.write("Fill?")
        central.write("More?")
        #expect(testbed.run { central.writes.count == 2 })
        #expect(central.writes == ["ok", "ATT17"])
        #expect(ball.sdk._waitingAnswers.count == ITCB_SDK_Peripheral._maximumWaitingAnswers - 1)
        other.write("And I?")
        #expect(testbed.run { other.writes.count == 1 })
        #expect(other.writes == ["ok"])
        #expect(ball.asked == ["Fill?", "And I?"])
        #expect(ball.errors.isEmpty)
    }

    @Test("D4: a central that nothing waits for is refused, too, while as many answers wait as may")
    func fullQueue() {
        let (testbed, ball, central) = testbedWithForeignCentral(settings: .realistic)
        let other = ForeignCentral(on: testbed.adapter())
        #expect(testbed.run { other.isReady })
        keepWaiting(ITCB_SDK_Peripheral._maximumWaitingAnswers, at: ball)
        central.subscribe()
        central.write("Fill?")
        #expect(testbed.run { central.writes == ["ok"] })
        #expect(ball.sdk._waitingAnswers.count == ITCB_SDK_Peripheral._maximumWaitingAnswers)
        other.write("And I?")
        #expect(testbed.run { other.writes.count == 1 })
        #expect(other.writes == ["ATT17"])
        #expect(ball.asked == ["Fill?"])
        #expect(ball.errors.isEmpty)
    }

    @Test("A central that unsubscribes is not notified, and asks again as if it were new")
    func unsubscribe() {
        let (testbed, ball, central) = testbedWithForeignCentral()
        central.subscribe()
        central.write("One?")
        #expect(testbed.run { central.notified.count == 1 })
        central.subscribe(false)
        #expect(testbed.run { !central.isSubscribed })
        #expect(ball.steps.contains { if case .unsubscribed = $0 { true } else { false } })
        central.write("Two?")
        #expect(testbed.run { central.writes.count == 2 })
        testbed.run(.seconds(1))
        #expect(central.notified.count == 1)
        central.subscribe()
        #expect(testbed.run { central.notified.count == 2 })
        #expect(ball.answered.count == 2)
        #expect(ball.errors.isEmpty)
    }

    @Test("A central that leaves while answers wait for it is reported")
    func leaving() {
        let (testbed, ball, central) = testbedWithForeignCentral(settings: .realistic)
        let stop = flood(ball)
        central.subscribe()
        central.write("Bye?")
        #expect(testbed.run { central.writes.count == 1 })
        #expect(!ball.sdk._waitingAnswers.isEmpty)
        ball.errors.removeAll()
        if let peripheral = central.peripheral { central.manager.cancelPeripheralConnection(peripheral) }
        #expect(testbed.run { ball.sdk._waitingAnswers.isEmpty })
        stop()
        #expect(ball.errors == ["sendFailed.deviceOffline"])
        // The next one is served.
        let asker = testbed.central()
        ball.onAsked = nil
        asker.onFound = { $0.sendQuestion("And I?") }
        #expect(testbed.run { asker.answered.count == 1 })
    }

    @Test("All twenty answers come, and nothing else")
    func twentyAnswers() {
        let testbed = Testbed()
        let ball = testbed.ball("Crystal")
        var seen: Set<String> = []
        for _ in 0..<1000 { seen.insert(ball.sdk._randomAnswer()) }
        #expect(seen == Set((0..<20).map { "SLUG-ANSWER-" + ($0 < 10 ? "0\($0)" : "\($0)") }))
    }

    // MARK: Offsets

    @Test("A central may read its answer from any octet up to its end, and gets an ATT error behind that")
    func readFromOffset() throws {
        let testbed = Testbed()
        let ball = testbed.ball("Crystal")
        ball.onAsked = { $0.sendAnswer("Yes, indeed.", toQuestion: $1) }
        let central = BareCentral(in: testbed)
        let link = try central.connect()
        let handles = try central.valueHandles(of: _static_ITCB_SDK_8BallServiceUUID.value, on: link)
        try #require(handles.count == 2)
        _ = try central.perform(WriteValue(ByteBuffer(string: "Will it?"), to: handles[0]), on: link).get()
        func read(from offset: Int) throws -> String {
            String(buffer: try central.perform(ReadValue(handles[1], from: offset), on: link).get())
        }
        #expect(try read(from: 0) == "Yes, indeed.")
        #expect(try read(from: 5) == "indeed.")
        #expect(try read(from: 12) == "")
        #expect(throws: GATTError.att(.invalidOffset, handle: handles[1])) { try read(from: 13) }
    }

    @Test("The pieces of a question meet, or the whole gets an ATT error")
    func pieces() throws {
        let testbed = Testbed()
        let ball = testbed.ball("Crystal")
        let central = BareCentral(in: testbed)
        let link = try central.connect()
        let handle = try #require(
            try central.valueHandles(of: _static_ITCB_SDK_8BallServiceUUID.value, on: link).first
        )
        func write(_ pieces: [(offset: Int, text: String)]) throws {
            let pieces = pieces.map { (offset: $0.offset, value: ByteBuffer(string: $0.text)) }
            try central.perform(WriteInPieces(handle, pieces), on: link).get()
        }
        #expect(throws: GATTError.att(.invalidOffset, handle: handle)) { try write([(0, "Will"), (5, " it?")]) }
        #expect(throws: GATTError.att(.invalidOffset, handle: handle)) { try write([(1, "Will it?")]) }
        #expect(ball.asked.isEmpty)
        try write([(0, "Will"), (4, " it?")])
        #expect(ball.asked == ["Will it?"])
    }
}
