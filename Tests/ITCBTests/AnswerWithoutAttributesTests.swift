// An answer of a device whose attributes are not known, what a device is compared with, and that work which was put off
// is kept by nobody behind its end.

import CoreBluetooth
import Fixtures
import Foundation
import NIOCore
import Testbed
import Testing

@testable @_spi(Steps) import ITCB

@Suite("The end of a conversation with a ball")
struct AnswerWithoutAttributesTests {
    /// A device of another SDK.
    private struct OtherDevice: ITCB_Device_Protocol {
        let uuid: String?
        let name: String
        let error: ITCB_Errors! = nil

        func amIThisDevice(_ device: any ITCB_Device_Protocol) -> Bool { false }

        func rejectConnectionBecause(_ reason: ITCB_RejectionReason!) {}
    }

    @Test("An answer that is accepted ends the time limit, also where there are no notifications to be switched off")
    func accepted() throws {
        let testbed = Testbed()
        let ball = testbed.ball("Far", distance: 20)
        let adapter = testbed.adapter()
        let central = Asker(in: testbed, on: adapter)
        let helper = ForeignCentral(on: adapter)
        #expect(testbed.run { helper.peripheral != nil })
        let peripheral = try central.peripheral(foundBy: helper)
        let device = ITCB_SDK_Device_Peripheral(peripheral, name: "Far", owner: central.sdk)
        #expect(device._answerCharacteristic == nil)
        device._startTimeout(60)
        device._stage = .awaitingAnswer(question: "Q?")
        device._accept("SLUG-ANSWER-07")
        #expect(device._timeoutTimer == nil && "\(device._stage)" == "idle")
        #expect(device.answer == "SLUG-ANSWER-07" && central.answers == ["SLUG-ANSWER-07"])
        #expect(central.steps.last == .answerReceived("SLUG-ANSWER-07"))
        testbed.run(.seconds(61))
        #expect(central.errors.isEmpty && "\(device._stage)" == "idle")
        withExtendedLifetime(ball) {}
    }

    @Test("A device is none of another SDK, also where that has the same identifier")
    func otherDevice() throws {
        let scene = try DeviceScene()
        let uuid = try #require(scene.device.uuid)
        #expect(!scene.device.amIThisDevice(OtherDevice(uuid: uuid, name: "Strange")))
        #expect(!scene.device.amIThisDevice(OtherDevice(uuid: nil, name: "Strange")))
        #expect(scene.device.amIThisDevice(scene.device))
    }
}

@Suite("Work of the SDK that was put off")
struct ScheduledWorkTests {
    @Test("Work that is done or called off is kept by nobody", arguments: [false, true])
    @MainActor
    func released(isCalledOff: Bool) async {
        let scheduler = _ITCB_SDK_RunLoopScheduler()
        let (isReleased, isDone) = await releaseOfWork { body in
            // What is not called off is done at once.
            let work = scheduler.schedule(after: isCalledOff ? 3600 : 0, body)
            if isCalledOff { work.cancel() }
        }
        #expect(isReleased)
        #expect(isDone == !isCalledOff)
    }
}
