// Links that are lost at every step of a conversation, by either side.

import CoreBluetooth
import NIOCore
import Testbed
import Testing

@testable @_spi(Steps) import ITCB

@Suite("Lost links")
struct LostLinkTests {
    private let testbed = Testbed()

    /// The side that loses power.
    enum Side: CaseIterable {
        case ball
        case central
    }

    /// Plays one conversation; returns the number of steps of both sides until the notifications were off again.
    private func play(cut: (side: Side, step: Int)?) -> Int {
        let testbed = Testbed()
        let ball = testbed.ball("Crystal")
        let central = testbed.central()
        var steps = 0
        let count: (ITCB_SDK_Step) -> Void = { _ in
            steps += 1
            guard let cut, steps == cut.step else { return }
            // Not inside the callback.
            testbed.world.after(.zero) { (cut.side == .ball ? ball.adapter : central.adapter).setPowered(false) }
        }
        ball.onStep = count
        central.onStep = count
        var questions = 0
        central.onFound = { device in
            questions += 1
            device.sendQuestion("Question \(questions)?")
        }
        guard let cut else {
            #expect(testbed.run { central.steps.last == .setNotifications(isOn: false) })
            return steps
        }

        testbed.run(.seconds(15))
        #expect(central.sdk.devices.isEmpty, "step \(cut.step)")
        #expect(central.answered.count + central.errors.filter { $0 == "sendFailed.deviceOffline" }.count == questions)
        if central.found.isEmpty {
            #expect(central.answered.isEmpty)
        } else {
            #expect(central.answered.count == 1 || !central.errors.isEmpty)
        }

        let before = (found: central.found.count, answered: central.answered.count)
        (cut.side == .ball ? ball.adapter : central.adapter).setPowered(true)
        #expect(testbed.run { central.answered.count == before.answered + 1 }, "step \(cut.step): \(central.steps)")
        #expect(central.found.count == before.found + 1)
        #expect(central.ready == ["Crystal"])
        #expect(ball.answered.last == central.answered.last)
        return steps
    }

    @Test("recovers from a loss of power at every step of a conversation", arguments: Side.allCases)
    func everyStep(side: Side) {
        let total = play(cut: nil)
        #expect(total >= 25)
        for step in 1...total {
            _ = play(cut: (side, step))
        }
    }

    @Test("finds a ball again whose link was being cancelled when the adapter was switched off")
    func leaving() throws {
        _ = testbed.ball("Crystal")
        let central = testbed.central()
        #expect(testbed.run { central.ready == ["Crystal"] })
        let device = try #require(central.sdk.devices.first as? ITCB_SDK_Device_Peripheral)
        central.adapter.run {
            central.sdk._cancelConnection(device, because: .coreBluetooth(ITCB_RejectionReason.deviceOffline))
        }
        #expect(central.sdk.devices.isEmpty)
        central.adapter.setPowered(false)
        testbed.run(.seconds(1))
        #expect(central.sdk._leaving.isEmpty)
        central.adapter.setPowered(true)
        #expect(testbed.run { central.ready == ["Crystal"] })
    }

    @Test("reports a lost ball, removes it from the list, and finds it again")
    func idle() {
        let (ball, central) = testbed.meeting()
        let first = central.found[0]
        first.sendQuestion("Before?")
        #expect(testbed.run { central.answered.count == 1 && central.ready == ["Crystal"] })
        testbed.run(.seconds(3))
        ball.adapter.setPowered(false)
        #expect(testbed.run { central.sdk.devices.isEmpty })
        #expect(central.errors == ["coreBluetooth.deviceOffline"])
        #expect(words(first.error) == "coreBluetooth.deviceOffline")
        first.sendQuestion("Are you there?")
        #expect(central.errors.last == "sendFailed.deviceOffline")
        #expect(first.question == nil)
        ball.adapter.setPowered(true)
        #expect(testbed.run { central.found.count == 2 })
        #expect(central.found[1].uuid == first.uuid)
        #expect(central.found[1].amIThisDevice(first))
        central.found[1].sendQuestion("Are you back?")
        #expect(testbed.run { central.answered.count == 2 })
    }

    @Test("loses all balls with the adapter, and finds them again")
    func centralState() {
        let balls = (1...3).map { testbed.ball("Ball \($0)") }
        let central = testbed.central()
        #expect(testbed.run { central.found.count == 3 })
        central.found[1].sendQuestion("Pending?")
        // All are removed before the first loss is reported.
        let sdk = central.sdk
        var counts: [Int] = []
        central.onStep = { if case .lost = $0 { counts.append(sdk.devices.count) } }
        central.adapter.setPowered(false)
        #expect(testbed.run { counts == [0, 0, 0] })
        central.onStep = nil
        #expect(!central.sdk.isCoreBluetoothPoweredOn)
        #expect(
            central.errors.sorted() == [
                "coreBluetooth.deviceOffline", "coreBluetooth.deviceOffline", "sendFailed.deviceOffline",
            ]
        )
        testbed.run(.seconds(30))
        #expect(central.errors.count == 3)
        central.adapter.setPowered(true)
        #expect(testbed.run { central.found.count == 6 })
        #expect(Set(central.ready) == Set(balls.map(\.sdk.localName)))
    }
}
