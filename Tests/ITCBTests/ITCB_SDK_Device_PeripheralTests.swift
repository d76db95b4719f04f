import CoreBluetooth
import Foundation
import NIOCore
import Testbed
import Testing

@testable @_spi(Steps) import ITCB

@Suite("A ball, as the central sees it")
struct ITCB_SDK_Device_PeripheralTests {
    private let testbed = Testbed()

    private func foreignBall() throws -> (ForeignBall, Asker, ITCB_SDK_Device_Peripheral) {
        let ball = ForeignBall("Strange", on: testbed.adapter())
        let central = testbed.central()
        #expect(testbed.run { central.found.count == 1 })
        return (ball, central, try #require(central.device("Strange")))
    }

    @Test("refuses a second question while one is pending")
    func busy() throws {
        let (ball, central) = testbed.meeting()
        central.found[0].sendQuestion("First?")
        central.found[0].sendQuestion("Second?")
        #expect(central.errors == ["sendFailed.deviceBusy"])
        #expect(testbed.run { central.answered.count == 1 })
        testbed.run(.seconds(5))
        #expect(central.asked == ["First?"])
        #expect(ball.asked == ["First?"])
        #expect(central.errors == ["sendFailed.deviceBusy"])
    }

    @Test("asks the next question inside the callback of an answer")
    func chain() throws {
        let ball = testbed.ball("Crystal")
        let central = testbed.central()
        central.onFound = { $0.sendQuestion("Question 0?") }
        central.onAnswer = { device in
            let count = central.answered.count
            if count < 10 { device.sendQuestion("Question \(count)?") }
        }
        #expect(testbed.run { central.answered.count == 10 })
        #expect(central.errors.isEmpty)
        #expect(ball.asked == (0..<10).map { "Question \($0)?" })
        #expect(ball.answered == central.answered)
    }

    @Test("sends questions of up to 512 octets, and refuses a longer one")
    func longQuestion() throws {
        let (ball, central) = testbed.meeting()
        for length in [18, 19, 20, 21, 22, 180, 244, 500, 511, 512] {
            let question = String(repeating: "x", count: length - 1) + "?"
            central.found[0].sendQuestion(question)
            #expect(testbed.run { ball.asked.last == question && central.asked.last == question }, "\(length)")
            #expect(testbed.run { central.answered.count == ball.answered.count })
        }
        #expect(central.errors.isEmpty)
        #expect(central.answered == ball.answered)
        let count = ball.asked.count
        central.found[0].sendQuestion(String(repeating: "x", count: 512) + "?")
        #expect(central.errors == ["sendFailed.coreBluetooth.peripheralError.ATT13"])
        central.found[0].sendQuestion("Short?")
        #expect(testbed.run { ball.asked.count == count + 1 && ball.asked.last == "Short?" })
    }

    @Test("reports a ball that confirms and never answers after the time limit, and asks it again", arguments: [2, 5])
    func noAnswer(seconds: Int64) throws {
        let (ball, central, device) = try foreignBall()
        #expect(central.sdk.answerTimeLimit == 2)
        central.sdk.answerTimeLimit = TimeInterval(seconds)
        ball.onWrite = { ball.manager.respond(to: $0, withResult: .success) }
        device.sendQuestion("Anybody?")
        testbed.run(.milliseconds(seconds * 1_000 - 1))
        #expect(central.asked == ["Anybody?"] && central.errors.isEmpty)
        testbed.run(.milliseconds(1))
        #expect(central.errors == ["sendFailed.deviceOffline"])
        ball.answer("SLUG-ANSWER-03")
        device.sendQuestion("Now?")
        testbed.run { central.answered == ["Now? SLUG-ANSWER-03"] }
        #expect(central.errors.count == 1)
    }

    @Test("starts the time limit of a question when the user becomes idle")
    func busyUser() throws {
        let (ball, central, device) = try foreignBall()
        ball.onWrite = { ball.manager.respond(to: $0, withResult: .success) }
        var busyUntil = testbed.loop.now + .seconds(20)
        central.sdk.userIdleTime = { max(0, Double((testbed.loop.now - busyUntil).nanoseconds) / 1e9) }
        device.sendQuestion("Anybody?")
        testbed.run(.milliseconds(21_900))
        #expect(central.errors.isEmpty)
        testbed.run(.milliseconds(200))
        #expect(central.errors == ["sendFailed.deviceOffline"])
        testbed.run(.seconds(1))
        busyUntil = .uptimeNanoseconds(0)
        central.sdk.userIdleTime = { nil }
        device.sendQuestion("Anybody?")
        testbed.run(.milliseconds(2100))
        #expect(central.errors.count == 2)
    }

    @Test("A10 reports a ball that changes its services before it answers, and asks it again")
    func changedServices() throws {
        let (ball, central, device) = try foreignBall()
        ball.onWrite = { ball.manager.respond(to: $0, withResult: .success) }
        device.sendQuestion("Anybody?")
        #expect(testbed.run { central.asked == ["Anybody?"] })
        ball.manager.remove(ball.service)
        ball.manager.add(ball.service)
        #expect(testbed.run { !central.errors.isEmpty })
        #expect(central.errors == ["sendFailed.peripheralError.nil"])
        ball.answer("SLUG-ANSWER-05")
        testbed.run(.seconds(1))
        device.sendQuestion("Now?")
        #expect(testbed.run { central.answered == ["Now? SLUG-ANSWER-05"] })
    }

    @Test("disconnects a ball that does not confirm two questions, and asks it on a new link")
    func noConfirmation() throws {
        let (ball, central, device) = try foreignBall()
        device.sendQuestion("Anybody?")
        testbed.run(.milliseconds(2100))
        #expect(central.errors == ["sendFailed.deviceOffline"])
        #expect(central.asked.isEmpty)
        // The bearer still waits for the first confirmation: the next question times out, and the connection is
        // cancelled.
        device.sendQuestion("And now?")
        testbed.run(.milliseconds(2100))
        #expect(central.errors == ["sendFailed.deviceOffline", "sendFailed.deviceOffline"])
        #expect(central.sdk.devices.isEmpty)
        // A new link has a new bearer.
        ball.answer("SLUG-ANSWER-04")
        #expect(testbed.run { central.found.count == 2 })
        central.found.last?.sendQuestion("And now?")
        #expect(testbed.run { central.answered == ["And now? SLUG-ANSWER-04"] })
    }

    @Test("disconnects a ball that does not confirm the end of its notifications, and finds it again")
    func stuckAfterTimeout() throws {
        let (ball, central, device) = try foreignBall()
        device.sendQuestion("Anybody?")
        testbed.run(.milliseconds(2100))
        #expect(central.ready == ["Strange"])
        testbed.run(.seconds(Int64(ITCB_SDK_Central._connectionTimeoutLengthInSeconds)))
        #expect(central.errors == ["sendFailed.deviceOffline", "coreBluetooth.deviceOffline"])
        #expect(testbed.run { central.found.count == 2 })
        #expect(central.ready == ["Strange"])
        #expect(ball.requests.count == 1)
    }

    @Test("ignores a late answer to an earlier question")
    func lateAnswer() throws {
        let (ball, central, device) = try foreignBall()
        var held: CBATTRequest?
        ball.onWrite = { held = $0 }
        device.sendQuestion("First?")
        testbed.run(.milliseconds(2100))
        #expect(central.errors == ["sendFailed.deviceOffline"])
        ball.answer("SLUG-ANSWER-02")
        // The next question is pending when the first one's confirmation and answer arrive.
        device.sendQuestion("Second?")
        testbed.run(.milliseconds(100))
        ball.manager.respond(to: try #require(held), withResult: .success)
        ball.notify(Data("SLUG-ANSWER-01".utf8))
        #expect(testbed.run { !central.answered.isEmpty })
        #expect(central.answered == ["Second? SLUG-ANSWER-02"])
        #expect(central.asked == ["Second?"])
    }

    @Test("keeps an answer that overtakes its confirmation, and ignores an empty one")
    func earlyAnswer() throws {
        let (ball, central, device) = try foreignBall()
        ball.onWrite = {
            for text in ["SLUG-ANSWER-09", ""] { ball.notify(Data(text.utf8)) }
            ball.manager.respond(to: $0, withResult: .success)
        }
        device.sendQuestion("Quick?")
        #expect(testbed.run { central.answered == ["Quick? SLUG-ANSWER-09"] })
        #expect(central.asked == ["Quick?"])
        #expect(central.errors.isEmpty)
    }

    @Test("reports an answer that is not text", arguments: [Data(), Data([0xC3, 0x28])])
    func badAnswer(data: Data) throws {
        let (ball, central, device) = try foreignBall()
        ball.answer(data)
        device.sendQuestion("Gibberish?")
        #expect(testbed.run { !central.errors.isEmpty })
        #expect(central.errors == ["sendFailed.peripheralError.nil"])
        #expect(central.answered.isEmpty)
        testbed.run(.seconds(5))
        #expect(central.errors.count == 1)
        #expect(central.steps.contains(.discoveredCharacteristics(count: 2)))
        #expect(central.steps.last == .setNotifications(isOn: false))
        ball.answer("SLUG-ANSWER-01")
        device.sendQuestion("Again?")
        #expect(testbed.run { central.answered == ["Again? SLUG-ANSWER-01"] })
        // A question that cannot be sent is not confused with the one before.
        device.sendQuestion(String(repeating: "?", count: _static_ITCB_SDK_MaximumValueLength + 1))
        #expect(device.question == nil)
    }

    @Test(
        "reports why the ball refused a question",
        arguments: [
            (CBATTError.Code.unlikelyError, "sendFailed.coreBluetooth.questionPlease"),
            (.insufficientResources, "sendFailed.coreBluetooth.deviceBusy"),
            (.invalidPdu, "sendFailed.coreBluetooth.peripheralError.ATT4"),
            (.writeNotPermitted, "sendFailed.coreBluetooth.peripheralError.ATT3"),
        ]
    )
    func refusals(code: CBATTError.Code, expected: String) throws {
        let (ball, central, device) = try foreignBall()
        ball.onWrite = { ball.manager.respond(to: $0, withResult: code) }
        device.sendQuestion("Really?")
        #expect(testbed.run { !central.errors.isEmpty })
        #expect(central.errors == [expected])
        testbed.run(.seconds(3))
        #expect(central.errors.count == 1)
    }

    @Test("reports an error of the write that is not an ATT error")
    func brokenWrite() throws {
        let (ball, central, device) = try foreignBall()
        device.sendQuestion("Lost?")
        #expect(testbed.run { ball.requests.count == 1 })
        let question = try #require(device._questionCharacteristic)
        let answer = try #require(device._answerCharacteristic)
        let error = CBError(.connectionTimeout)
        device.peripheral(device._peripheral, didUpdateNotificationStateFor: question, error: error)
        device.peripheral(device._peripheral, didUpdateValueFor: question, error: error)
        device.peripheral(device._peripheral, didWriteValueFor: answer, error: error)
        #expect(central.errors.isEmpty)
        device.peripheral(device._peripheral, didWriteValueFor: question, error: error)
        #expect(central.errors == ["sendFailed.unknown.CB6"])
        testbed.run(.seconds(5))
        #expect(central.errors.count == 1)
    }

    @Test("reports a rejection to the local observers only")
    func rejection() throws {
        let (ball, central) = testbed.meeting()
        central.found[0].rejectConnectionBecause(.deviceBusy)
        try #require(central.device("Crystal")).rejectConnectionBecause()
        #expect(central.errors == ["coreBluetooth.deviceBusy", "coreBluetooth.unknown.nil"])
        testbed.run(.seconds(1))
        #expect(ball.errors.isEmpty)
        #expect(central.ready == ["Crystal"])
    }

    @Test("identifies a device by itself")
    func identity() {
        let balls = (1...2).map { testbed.ball("Ball \($0)") }
        let central = testbed.central()
        #expect(testbed.run { central.found.count == balls.count })
        #expect(central.found[0].amIThisDevice(central.found[0]))
        #expect(!central.found[0].amIThisDevice(central.found[1]))
        #expect(!central.found[0].amIThisDevice(OtherDevice(uuid: central.found[0].uuid, name: "Strange")))
    }

    @Test("drops an early answer if an observer cancels the connection when the question is confirmed")
    func cancelledAtTheConfirmation() throws {
        final class Canceller: ITCB_Observer_Central_Protocol {
            var uuid = UUID()
            func errorOccurred(_ error: ITCB_Errors, sdk: any ITCB_SDK_Protocol) {}
            func deviceDiscovered(_ device: any ITCB_Device_Peripheral_Protocol) {}
            func questionAskedOfDevice(_ device: any ITCB_Device_Peripheral_Protocol) {
                guard let device = device as? ITCB_SDK_Device_Peripheral else { return }
                device.owner?._cancelConnection(device, because: .unknown(nil))
            }
            func questionAnsweredByDevice(_ device: any ITCB_Device_Peripheral_Protocol) {}
        }
        let (ball, central, device) = try foreignBall()
        let canceller = Canceller()
        central.sdk.addObserver(canceller)
        ball.onWrite = {
            ball.notify(Data("SLUG-ANSWER-09".utf8))
            ball.manager.respond(to: $0, withResult: .success)
        }
        device.sendQuestion("Quick?")
        testbed.run { central.asked == ["Quick?"] }
        testbed.run(.seconds(3))
        #expect(device.answer == nil && central.answers.isEmpty)
        #expect(central.errors == ["unknown.nil"])
    }

    /// A device of another SDK.
    private struct OtherDevice: ITCB_Device_Protocol {
        let uuid: String?
        let name: String
        let error: ITCB_Errors! = nil

        func amIThisDevice(_ device: any ITCB_Device_Protocol) -> Bool { false }

        func rejectConnectionBecause(_ reason: ITCB_RejectionReason!) {}
    }
}
