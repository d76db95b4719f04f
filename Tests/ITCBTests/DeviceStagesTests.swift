// A ball's device in each of its stages: what a question, a callback of Core Bluetooth and the end of a time limit make
// of it, and what comes too late to make anything.

import CoreBluetooth
import Fixtures
import Foundation
import NIOCore
import Testbed
import Testing

@testable @_spi(Steps) import ITCB

/// A ball that does nothing by itself, and a central that is ready to ask it.
struct DeviceScene {
    let testbed: Testbed
    let ball: ForeignBall
    let central: Asker
    let device: ITCB_SDK_Device_Peripheral
    /// How many steps there were before.
    let count: Int

    init() throws {
        let testbed = Testbed()
        let ball = ForeignBall("Strange", on: testbed.adapter())
        let central = testbed.central()
        #expect(testbed.run { central.found.count == 1 })
        self.testbed = testbed
        self.ball = ball
        self.central = central
        self.device = try #require(central.device("Strange"))
        self.count = central.steps.count
    }

    /// The stage as text.
    var stage: String { "\(self.device._stage)" }

    /// The steps since the beginning.
    var steps: [ITCB_SDK_Step] { Array(self.central.steps.dropFirst(self.count)) }

    /// Notes where everything stands.
    func note(_ what: String) {
        RunRecord.note("\(what): \(self.stage) \(self.central.errors) \(self.device._timeoutTimer != nil)")
    }

    /// Has the ball notify the central of a value, which the device takes no notice of.
    func notify(_ text: String) throws {
        let answer = try #require(self.device._answerCharacteristic)
        self.device._peripheral.setNotifyValue(true, for: answer)
        #expect(self.testbed.run { answer.isNotifying })
        self.ball.notify(Data(text.utf8))
        #expect(self.testbed.run { answer.value == Data(text.utf8) })
    }
}

@Suite("The stages of a ball, as the central sees it")
struct DeviceStagesTests {
    private typealias Stage = ITCB_SDK_Device_Peripheral._Stage

    private var stages: [Stage] {
        [
            .connecting, .discovering, .idle, .subscribing(question: "Q?"), .writing(question: "Q?", answer: nil),
            .awaitingAnswer(question: "Q?"), .unsubscribing(next: nil), .unsubscribing(next: "N?"), .ended,
        ]
    }

    // MARK: Questions

    @Test("A question is sent, waits for the end of the notifications, or is refused as busy or offline")
    func question() throws {
        let (busy, offline) = (["sendFailed.deviceBusy"], ["sendFailed.deviceOffline"])
        let results: [(errors: [String], question: String?, hasTimer: Bool, stage: String)] = [
            (offline, nil, false, "connecting"), (offline, nil, false, "discovering"),
            ([], nil, true, #"subscribing(question: "Next?")"#),
            (busy, "Before?", false, #"subscribing(question: "Q?")"#),
            (busy, "Before?", false, #"writing(question: "Q?", answer: nil)"#),
            (busy, "Before?", false, #"awaitingAnswer(question: "Q?")"#),
            ([], nil, true, #"unsubscribing(next: Optional("Next?"))"#),
            (busy, "Before?", false, #"unsubscribing(next: Optional("N?"))"#), (offline, nil, false, "ended"),
        ]
        for (stage, result) in zip(self.stages, results) {
            let scene = try DeviceScene()
            scene.device.question = "Before?"
            scene.device.error = ITCB_Errors.unknown(nil)
            scene.device._stage = stage
            scene.device.sendQuestion("Next?")
            scene.note("question in \(stage)")
            #expect(scene.stage == result.stage)
            #expect(scene.central.errors == result.errors, "\(stage)")
            #expect(words(scene.device.error) == result.errors.first ?? "nil", "\(stage)")
            #expect(scene.device.question == result.question, "\(stage)")
            #expect((scene.device._timeoutTimer != nil) == result.hasTimer, "\(stage)")
            #expect(scene.steps.contains(.sendingQuestion("Next?")) == result.errors.isEmpty, "\(stage)")
            let isSubscribing = result.hasTimer && result.stage.hasPrefix("subscribing")
            #expect(scene.steps.contains(.settingNotifications(isOn: true)) == isSubscribing, "\(stage)")
        }
    }

    @Test("A device that ends says whether a question was on its way, and lets go of its peripheral")
    func end() throws {
        let pending = [nil, nil, nil, "Q?", "Q?", "Q?", nil, "N?", nil]
        for (stage, question) in zip(self.stages, pending) {
            let scene = try DeviceScene()
            scene.device._startTimeout(60)
            scene.device._stage = stage
            #expect(scene.device._pendingQuestion == question, "\(stage)")
            #expect(scene.device._end() == (question != nil), "\(stage)")
            scene.note("end in \(stage)")
            #expect(scene.stage == "ended" && scene.device._timeoutTimer == nil)
            #expect(scene.device._peripheral.delegate == nil)
        }
        // A peripheral that has another delegate by now keeps it.
        let scene = try DeviceScene()
        let other = ForeignCentral(on: scene.testbed.adapter())
        scene.device._peripheral.delegate = other
        #expect(!scene.device._end())
        #expect(scene.device._peripheral.delegate === other)
    }

    @Test("The signal is measured where there is a link")
    func signal() throws {
        for (stage, isMeasured) in zip(self.stages, [false, true, true, true, true, true, true, true, false]) {
            let scene = try DeviceScene()
            var count = 0
            scene.central.onStep = { if case .signalRead = $0 { count += 1 } }
            scene.device._stage = stage
            scene.device._readSignal()
            scene.testbed.run(.milliseconds(500))
            #expect(count == (isMeasured ? 1 : 0), "\(stage)")
        }
    }

    // MARK: Time limits

    @Test("What a time limit that ends makes of a device")
    func timeouts() throws {
        let failed = [ITCB_SDK_Step.connectionFailed(name: "Strange")]
        let lost = [ITCB_SDK_Step.lost(name: "Strange")]
        let off = [ITCB_SDK_Step.settingNotifications(isOn: false)]
        let offline = "sendFailed.deviceOffline"
        let results: [(error: String?, steps: [ITCB_SDK_Step], isLeft: Bool)] = [
            ("coreBluetooth.deviceOffline", failed, true), ("coreBluetooth.deviceOffline", failed, true),
            (nil, [], false), (offline, off, false), (offline, off, false), (offline, off, false),
            ("coreBluetooth.deviceOffline", lost, true), (offline, lost, true), (nil, [], false),
        ]
        for (stage, result) in zip(self.stages, results) {
            let scene = try DeviceScene()
            scene.device._stage = stage
            scene.device._startTimeout(1)
            scene.testbed.run(.milliseconds(999))
            #expect(scene.central.errors.isEmpty && scene.steps.isEmpty)
            scene.testbed.run(.milliseconds(1))
            scene.note("timeout in \(stage)")
            #expect(scene.central.errors == (result.error.map { [$0] } ?? []), "\(stage)")
            #expect(Array(scene.steps.prefix(1)) == result.steps, "\(stage)")
            #expect(scene.central.sdk.devices.isEmpty == result.isLeft, "\(stage)")
            #expect((scene.stage == "ended") == (result.isLeft || "\(stage)" == "ended"))
        }
    }

    @Test("A time limit that is started again counts from then on; one that is stopped does not end")
    func restartedTimeout() throws {
        let scene = try DeviceScene()
        scene.device._stage = .connecting
        scene.device._startTimeout(1)
        scene.testbed.run(.milliseconds(900))
        scene.device._startTimeout(1)
        scene.testbed.run(.milliseconds(999))
        #expect(scene.central.errors.isEmpty)
        scene.device._stopTimeout()
        #expect(scene.device._timeoutTimer == nil)
        scene.testbed.run(.seconds(2))
        #expect(scene.central.errors.isEmpty && scene.stage == "connecting")
    }

    @Test("A question that times out is looked at again when the user will have been idle for its limit")
    func idleUser() throws {
        // How often it is asked in the second after the limit, with what is always answered.
        for (idle, count) in [(nil, 1), (2.0, 1), (2.5, 1), (1.5, 3), (1.0, 2), (1.999, 101)] as [(Double?, Int)] {
            let scene = try DeviceScene()
            var asked = 0
            scene.central.sdk.userIdleTime = {
                asked += 1
                return idle
            }
            scene.device._stage = .awaitingAnswer(question: "Q?")
            scene.device._startTimeout(1)
            scene.testbed.run(.seconds(2))
            RunRecord.note("\(idle.map { "\($0)" } ?? "never"): \(asked) \(scene.central.errors)")
            #expect(asked == count, "\(String(describing: idle))")
            #expect(scene.central.errors.isEmpty == (count > 1))
        }
    }

    // MARK: Changed services

    @Test("A ball that changes its services is explored within ten seconds, or left; nothing else is of concern")
    func changedServices() throws {
        let untouched = ["connecting", "ended"]
        let pending = [
            #"subscribing(question: "Q?")"#, #"writing(question: "Q?", answer: nil)"#,
            #"awaitingAnswer(question: "Q?")"#, #"unsubscribing(next: Optional("N?"))"#,
        ]
        for stage in self.stages {
            let scene = try DeviceScene()
            let before = "\(stage)"
            let device = scene.device
            device._stage = stage
            let foreign = CBMutableService(type: CBUUID(string: "180D"), primary: true)
            device.peripheral(device._peripheral, didModifyServices: [foreign])
            device.peripheral(device._peripheral, didModifyServices: [])
            #expect(scene.stage == before && device._timeoutTimer == nil && scene.steps.isEmpty)
            device.peripheral(device._peripheral, didModifyServices: [foreign, try #require(device._service)])
            scene.note("services in \(stage)")
            guard !untouched.contains(before) else {
                #expect(scene.stage == before && device._timeoutTimer == nil && scene.steps.isEmpty)
                continue
            }
            let errors = pending.contains(before) ? ["sendFailed.peripheralError.nil"] : []
            #expect(scene.stage == "discovering" && device._timeoutTimer != nil)
            #expect(scene.steps == [.discoveringServices] && scene.central.errors == errors, "\(stage)")
            // What is found is not told to the device.
            device._peripheral.delegate = nil
            scene.testbed.run(.milliseconds(9_999))
            #expect(scene.central.errors == errors && scene.central.sdk.devices.count == 1, "\(stage)")
            scene.testbed.run(.milliseconds(1))
            #expect(scene.central.errors == errors + ["coreBluetooth.deviceOffline"], "\(stage)")
            #expect(scene.central.sdk.devices.isEmpty && scene.stage == "ended")
        }
    }
}
