// The conversation as the central leads it: with balls that are slow, strange or gone.

import CoreBluetooth
import Foundation
import NIOCore
import Testbed
import Testing

@testable @_spi(Steps) import ITCB

@Suite("A ball, as the central sees it")
struct ITCB_SDK_Device_PeripheralTests {
    private func testbedWithForeignBall() throws -> (Testbed, ForeignBall, Asker, ITCB_SDK_Device_Peripheral) {
        let testbed = Testbed()
        let ball = ForeignBall("Strange", on: testbed.adapter())
        let central = testbed.central()
        #expect(testbed.run { central.found.count == 1 })
        return (testbed, ball, central, try #require(central.device("Strange")))
    }

    @Test("A question without a question mark is refused by the ball, over the air")
    func noQuestionMark() throws {
        let testbed = Testbed()
        let ball = testbed.ball("Crystal")
        let central = testbed.central()
        #expect(testbed.run { central.found.count == 1 })
        central.found[0].sendQuestion("no question mark")
        #expect(testbed.run { !central.errors.isEmpty })
        #expect(central.errors == ["sendFailed.coreBluetooth.questionPlease"])
        #expect(words(central.found[0].error) == "sendFailed.coreBluetooth.questionPlease")
        #expect(ball.asked.isEmpty)
        #expect(ball.steps.contains(.questionReceived("no question mark", isAccepted: false)))
        // The ball is as good as before.
        central.found[0].sendQuestion("Better?")
        #expect(testbed.run { central.answered.count == 1 })
        #expect(central.asked == ["Better?"])
        #expect(central.found[0].error == nil)
    }

    @Test("A second question while one is pending is refused as busy; the first is answered")
    func busy() throws {
        let testbed = Testbed()
        let ball = testbed.ball("Crystal")
        let central = testbed.central()
        #expect(testbed.run { central.found.count == 1 })
        central.found[0].sendQuestion("First?")
        central.found[0].sendQuestion("Second?")
        #expect(central.errors == ["sendFailed.deviceBusy"])
        #expect(testbed.run { central.answered.count == 1 })
        testbed.run(.seconds(5))
        #expect(central.asked == ["First?"])
        #expect(ball.asked == ["First?"])
        #expect(central.errors == ["sendFailed.deviceBusy"])
    }

    @Test("Questions can be asked from inside the callback of the answer before")
    func chain() throws {
        let testbed = Testbed()
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

    @Test("A long question goes as prepared writes, and is answered")
    func longQuestion() throws {
        let testbed = Testbed()
        let ball = testbed.ball("Crystal")
        let central = testbed.central()
        #expect(testbed.run { central.found.count == 1 })
        for length in [18, 19, 20, 21, 22, 180, 244, 500, 511, 512] {
            let question = String(repeating: "x", count: length - 1) + "?"
            central.found[0].sendQuestion(question)
            #expect(testbed.run { ball.asked.last == question && central.asked.last == question }, "\(length)")
            #expect(testbed.run { central.answered.count == ball.answered.count })
        }
        #expect(central.errors.isEmpty)
        #expect(central.answered == ball.answered)
    }

    @Test("A question that no attribute can hold is refused at once")
    func tooLong() throws {
        let testbed = Testbed()
        let ball = testbed.ball("Crystal")
        let central = testbed.central()
        #expect(testbed.run { central.found.count == 1 })
        central.found[0].sendQuestion(String(repeating: "x", count: 512) + "?")
        #expect(central.errors == ["sendFailed.coreBluetooth.peripheralError.ATT13"])
        central.found[0].sendQuestion("Short?")
        #expect(testbed.run { central.answered.count == 1 })
        #expect(ball.asked == ["Short?"])
    }

    @Test("A ball that confirms and never answers is offline after two seconds, and can be asked again")
    func noAnswer() throws {
        let (testbed, ball, central, device) = try testbedWithForeignBall()
        ball.onWrite = { ball.manager.respond(to: $0, withResult: .success) }
        device.sendQuestion("Anybody?")
        #expect(testbed.run { central.asked == ["Anybody?"] })
        testbed.run(.milliseconds(1900))
        #expect(central.errors.isEmpty)
        testbed.run(.milliseconds(200))
        #expect(central.errors == ["sendFailed.deviceOffline"])
        ball.onWrite = {
            ball.manager.respond(to: $0, withResult: .success)
            ball.notify(Data("SLUG-ANSWER-03".utf8))
        }
        device.sendQuestion("Now?")
        #expect(testbed.run { central.answered == ["Now? SLUG-ANSWER-03"] })
        #expect(central.errors.count == 1)
    }

    @Test("A question has its two seconds once the user is idle, such as after the code of a pairing was entered")
    func busyUser() throws {
        let (testbed, ball, central, device) = try testbedWithForeignBall()
        ball.onWrite = { ball.manager.respond(to: $0, withResult: .success) }
        var busyUntil = testbed.loop.now + .seconds(20)
        central.sdk.userIdleTime = { max(0, Double((testbed.loop.now - busyUntil).nanoseconds) / 1e9) }
        device.sendQuestion("Anybody?")
        testbed.run(.milliseconds(21_900))
        #expect(central.errors.isEmpty)
        testbed.run(.milliseconds(200))
        #expect(central.errors == ["sendFailed.deviceOffline"])
        // The user was never busy.
        testbed.run(.seconds(1))
        busyUntil = .uptimeNanoseconds(0)
        central.sdk.userIdleTime = { nil }
        device.sendQuestion("Anybody?")
        testbed.run(.milliseconds(2100))
        #expect(central.errors.count == 2)
    }

    @Test("A10 A ball that changes its services before it answers had a problem, and can be asked again")
    func changedServices() throws {
        let (testbed, ball, central, device) = try testbedWithForeignBall()
        ball.onWrite = { ball.manager.respond(to: $0, withResult: .success) }
        device.sendQuestion("Anybody?")
        #expect(testbed.run { central.asked == ["Anybody?"] })
        ball.manager.remove(ball.service)
        ball.manager.add(ball.service)
        #expect(testbed.run { !central.errors.isEmpty })
        #expect(central.errors == ["sendFailed.peripheralError.nil"])
        ball.onWrite = {
            ball.manager.respond(to: $0, withResult: .success)
            ball.notify(Data("SLUG-ANSWER-05".utf8))
        }
        testbed.run(.seconds(1))
        device.sendQuestion("Now?")
        #expect(testbed.run { central.answered == ["Now? SLUG-ANSWER-05"] })
    }

    @Test("A ball that does not even confirm is offline after two seconds")
    func noConfirmation() throws {
        let (testbed, ball, central, device) = try testbedWithForeignBall()
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
        ball.onWrite = {
            ball.manager.respond(to: $0, withResult: .success)
            ball.notify(Data("SLUG-ANSWER-04".utf8))
        }
        #expect(testbed.run { central.found.count == 2 })
        central.found.last?.sendQuestion("And now?")
        #expect(testbed.run { central.answered == ["And now? SLUG-ANSWER-04"] })
    }

    @Test("A ball that does not confirm the end of its notifications is disconnected, and found again")
    func stuckAfterTimeout() throws {
        let (testbed, ball, central, device) = try testbedWithForeignBall()
        device.sendQuestion("Anybody?")
        testbed.run(.milliseconds(2100))
        #expect(central.ready == ["Strange"])
        testbed.run(.seconds(Int64(ITCB_SDK_Central._connectionTimeoutLengthInSeconds)))
        #expect(central.errors == ["sendFailed.deviceOffline", "coreBluetooth.deviceOffline"])
        #expect(testbed.run { central.found.count == 2 })
        #expect(central.ready == ["Strange"])
        #expect(ball.requests.count == 1)
    }

    @Test("A late answer is not taken for the answer to the next question")
    func lateAnswer() throws {
        let (testbed, ball, central, device) = try testbedWithForeignBall()
        var held: CBATTRequest?
        ball.onWrite = { held = $0 }
        device.sendQuestion("First?")
        testbed.run(.milliseconds(2100))
        #expect(central.errors == ["sendFailed.deviceOffline"])
        ball.onWrite = {
            ball.manager.respond(to: $0, withResult: .success)
            ball.notify(Data("SLUG-ANSWER-02".utf8))
        }
        // The next question is under way when the first one's confirmation and answer come in.
        device.sendQuestion("Second?")
        testbed.run(.milliseconds(100))
        ball.manager.respond(to: try #require(held), withResult: .success)
        ball.notify(Data("SLUG-ANSWER-01".utf8))
        #expect(testbed.run { !central.answered.isEmpty })
        #expect(central.answered == ["Second? SLUG-ANSWER-02"])
        #expect(central.asked == ["Second?"])
    }

    @Test("An answer that overtakes its confirmation is kept for it, and an empty one is none")
    func earlyAnswer() throws {
        let (testbed, ball, central, device) = try testbedWithForeignBall()
        ball.onWrite = {
            for text in ["SLUG-ANSWER-09", ""] { ball.notify(Data(text.utf8)) }
            ball.manager.respond(to: $0, withResult: .success)
        }
        device.sendQuestion("Quick?")
        #expect(testbed.run { central.answered == ["Quick? SLUG-ANSWER-09"] })
        #expect(central.asked == ["Quick?"])
        #expect(central.errors.isEmpty)
    }

    @Test("An answer that is no text is an error, not silence", arguments: [Data(), Data([0xC3, 0x28])])
    func badAnswer(data: Data) throws {
        let (testbed, ball, central, device) = try testbedWithForeignBall()
        ball.onWrite = {
            ball.manager.respond(to: $0, withResult: .success)
            ball.notify(data)
        }
        device.sendQuestion("Gibberish?")
        #expect(testbed.run { !central.errors.isEmpty })
        #expect(central.errors == ["sendFailed.peripheralError.nil"])
        #expect(central.answered.isEmpty)
        // That is all: nothing is awaited any more, and the ball can be asked again.
        testbed.run(.seconds(5))
        #expect(central.errors.count == 1)
        #expect(central.steps.contains(.discoveredCharacteristics(count: 2)))
        #expect(central.steps.last == .setNotifications(isOn: false))
        ball.onWrite = {
            ball.manager.respond(to: $0, withResult: .success)
            ball.notify(Data("SLUG-ANSWER-01".utf8))
        }
        device.sendQuestion("Again?")
        #expect(testbed.run { central.answered == ["Again? SLUG-ANSWER-01"] })
        // A question that cannot be sent is not taken for the one before.
        device.sendQuestion(String(repeating: "?", count: _static_ITCB_SDK_MaximumValueLength + 1))
        #expect(device.question == nil)
    }

    @Test("Notifications without a pending question are ignored")
    func unasked() throws {
        let (testbed, ball, central, device) = try testbedWithForeignBall()
        ball.onWrite = {
            ball.manager.respond(to: $0, withResult: .success)
            ball.notify(Data("SLUG-ANSWER-01".utf8))
            ball.notify(Data("SLUG-ANSWER-02".utf8))
        }
        device.sendQuestion("Once?")
        #expect(testbed.run { central.answered.count == 1 })
        testbed.run(.seconds(3))
        #expect(central.answered == ["Once? SLUG-ANSWER-01"])
        #expect(central.errors.isEmpty)
    }

    @Test(
        "The error of a ball's refusal is reported",
        arguments: [
            (CBATTError.Code.unlikelyError, "sendFailed.coreBluetooth.questionPlease"),
            (.insufficientResources, "sendFailed.coreBluetooth.deviceBusy"),
            (.invalidPdu, "sendFailed.coreBluetooth.peripheralError.ATT4"),
            (.writeNotPermitted, "sendFailed.coreBluetooth.peripheralError.ATT3"),
        ]
    )
    func refusals(code: CBATTError.Code, expected: String) throws {
        let (testbed, ball, central, device) = try testbedWithForeignBall()
        ball.onWrite = { ball.manager.respond(to: $0, withResult: code) }
        device.sendQuestion("Really?")
        #expect(testbed.run { !central.errors.isEmpty })
        #expect(central.errors == [expected])
        testbed.run(.seconds(3))
        #expect(central.errors.count == 1)
    }

    @Test("An error of the write that is no ATT error is reported, and the ball can be asked again")
    func brokenWrite() throws {
        let (testbed, ball, central, device) = try testbedWithForeignBall()
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
        #expect(central.errors == ["sendFailed.unknown.CB6"] && device._timeoutTimer == nil)
        if case .idle = device._stage {} else { Issue.record("\(device._stage)") }
    }

    @Test("A ball without the service is disconnected and reported, and examined again later")
    func noService() {
        let testbed = Testbed()
        let ball = ForeignBall("Empty", on: testbed.adapter(), hasService: false)
        let central = testbed.central()
        #expect(testbed.run { !central.errors.isEmpty })
        #expect(central.errors == ["coreBluetooth.peripheralError.nil"])
        #expect(central.found.isEmpty)
        #expect(central.sdk.devices.isEmpty)
        ball.manager.add(ball.service)
        #expect(testbed.run { central.found.count == 1 })
    }

    @Test("A ball that lacks one of the two characteristics is disconnected and reported", arguments: [0, 1])
    func oneCharacteristic(kept: Int) throws {
        let testbed = Testbed()
        let ball = ForeignBall("Half", on: testbed.adapter(), hasService: false)
        testbed.run { ball.manager.state == .poweredOn }
        ball.service.characteristics = [try #require(ball.service.characteristics)[kept]]
        ball.manager.add(ball.service)
        let central = testbed.central()
        #expect(testbed.run { !central.errors.isEmpty })
        #expect(central.errors == ["coreBluetooth.peripheralError.nil"])
        #expect(central.steps.contains(.discoveredCharacteristics(count: 1)))
        #expect(central.found.isEmpty && central.sdk.devices.isEmpty)
        // The link has ended: the ball can be found by others, and is tried again later.
        let tries = central.steps.count { $0 == .connecting(name: "Half") }
        #expect(testbed.run { central.steps.count { $0 == .connecting(name: "Half") } > tries })
    }

    @Test("A connection that is not established within the limit is cancelled and reported")
    func connectionTimeout() {
        let testbed = Testbed()
        let ball = testbed.ball("Crystal")
        let central = testbed.central()
        central.onStep = { step in
            guard case .connecting = step else { return }
            ball.adapter.setPowered(false)
        }
        #expect(testbed.run { central.sdk.devices.count == 1 })
        testbed.run(.seconds(Int64(ITCB_SDK_Central._connectionTimeoutLengthInSeconds) + 1))
        #expect(central.sdk.devices.isEmpty)
        #expect(central.errors == ["coreBluetooth.deviceOffline"])
        central.onStep = nil
        ball.adapter.setPowered(true)
        #expect(testbed.run { central.found.count == 1 })
    }

    @Test("A connection that fails is reported, and tried again")
    func failToConnect() throws {
        let testbed = Testbed()
        let ball = testbed.ball("Crystal")
        let central = testbed.central()
        testbed.run { central.sdk.devices.count == 1 }
        let device = try #require(central.sdk.devices.first as? ITCB_SDK_Device_Peripheral)
        let error = CBError(.connectionFailed)
        central.sdk.centralManager(
            central.sdk.centralManagerInstance,
            didFailToConnect: device._peripheral,
            error: error
        )
        #expect(central.errors == ["coreBluetooth.CB10"])
        #expect(central.steps.contains(.connectionFailed(name: "Crystal")))
        #expect(central.sdk.devices.isEmpty)
        #expect(testbed.run { central.ready == ["Crystal"] })
        #expect(ball.errors.isEmpty)
    }

    @Test("A rejection is reported to the local observers alone")
    func rejection() throws {
        let testbed = Testbed()
        let ball = testbed.ball("Crystal")
        let central = testbed.central()
        #expect(testbed.run { central.found.count == 1 })
        central.found[0].rejectConnectionBecause(.deviceBusy)
        try #require(central.device("Crystal")).rejectConnectionBecause()
        #expect(central.errors == ["coreBluetooth.deviceBusy", "coreBluetooth.unknown.nil"])
        testbed.run(.seconds(1))
        #expect(ball.errors.isEmpty)
        #expect(central.ready == ["Crystal"])
    }

    @Test("A device is itself, and no other")
    func identity() {
        let testbed = Testbed()
        let balls = (1...2).map { testbed.ball("Ball \($0)") }
        let central = testbed.central()
        #expect(testbed.run { central.found.count == balls.count })
        #expect(central.found[0].amIThisDevice(central.found[0]))
        #expect(!central.found[0].amIThisDevice(central.found[1]))
    }
}
