// The link is lost in every step of the conversation, from either side: nothing hangs, everything is reported, and the
// two find each other again.

import CoreBluetooth
import NIOCore
import Testbed
import Testing

@testable @_spi(Steps) import ITCB

@Suite("Lost links")
struct LostLinkTests {
    /// Who loses power.
    enum Side: CaseIterable {
        case ball
        case central
    }

    /// Plays one conversation; returns how many steps both sides took until the notifications were off again.
    private func play(cut: (side: Side, step: Int)?) -> Int {
        let testbed = Testbed()
        let ball = testbed.ball("Crystal")
        let central = testbed.central()
        var steps = 0
        let count: (ITCB_SDK_Step) -> Void = { _ in
            steps += 1
            guard let cut, steps == cut.step else { return }
            // As a flat battery would: at once, but not from inside a callback.
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

        // Within the SDK's own limits the central knows, one way or the other.
        testbed.run(.seconds(15))
        #expect(central.sdk.devices.isEmpty, "step \(cut.step)")
        #expect(central.answered.count + central.errors.filter { $0 == "sendFailed.deviceOffline" }.count == questions)
        if central.found.isEmpty {
            #expect(central.answered.isEmpty)
        } else {
            #expect(central.answered.count == 1 || !central.errors.isEmpty)
        }

        // Then the power comes back, and so does the conversation.
        let before = (found: central.found.count, answered: central.answered.count)
        (cut.side == .ball ? ball.adapter : central.adapter).setPowered(true)
        #expect(testbed.run { central.answered.count == before.answered + 1 }, "step \(cut.step): \(central.steps)")
        #expect(central.found.count == before.found + 1)
        #expect(central.ready == ["Crystal"])
        #expect(ball.answered.last == central.answered.last)
        return steps
    }

    @Test("Power is lost in every step of the conversation", arguments: Side.allCases)
    func everyStep(side: Side) {
        let total = play(cut: nil)
        #expect(total >= 25)
        for step in 1...total {
            _ = play(cut: (side, step))
        }
    }

    @Test("A ball that was being left when the adapter went away is found again when it is back")
    func leaving() throws {
        let testbed = Testbed()
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

    @Test("A ball that is lost while nothing is asked is reported, leaves the list, and is found again")
    func idle() {
        let testbed = Testbed()
        let ball = testbed.ball("Crystal")
        let central = testbed.central()
        #expect(testbed.run { central.found.count == 1 })
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

    @Test("A central whose adapter goes away loses all its balls, and finds them again")
    func centralState() {
        let testbed = Testbed()
        let balls = (1...3).map { testbed.ball("Ball \($0)") }
        let central = testbed.central()
        #expect(testbed.run { central.found.count == 3 })
        central.found[1].sendQuestion("Pending?")
        central.adapter.setPowered(false)
        #expect(testbed.run { central.sdk.devices.isEmpty })
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

    @Test("A ball whose adapter goes away says so, forgets its centrals, and is heard again when it is back")
    func ballState() {
        let testbed = Testbed()
        let ball = testbed.ball("Crystal")
        let central = testbed.central()
        #expect(testbed.run { central.found.count == 1 })
        central.found[0].sendQuestion("Before?")
        #expect(testbed.run { central.answered.count == 1 })
        ball.adapter.setPowered(false)
        #expect(testbed.run { !ball.sdk.isCoreBluetoothPoweredOn })
        #expect(ball.errors == ["coreBluetooth.nil"])
        #expect(ball.sdk.central == nil)
        #expect(ball.sdk._centrals.isEmpty)
        ball.adapter.setPowered(true)
        #expect(testbed.run { central.found.count == 2 })
        central.found[1].sendQuestion("After?")
        #expect(testbed.run { central.answered.count == 2 })
        #expect(ball.errors == ["coreBluetooth.nil"])
        #expect(!central.steps.contains(.discoveredServices(count: 2)))
    }

    @Test("A ball that was lost is looked for at once; one that lacks the keys of a pairing is, after a second")
    func rescan() throws {
        let errors: [(error: CBError, words: String, delay: TimeAmount)] = [
            (CBError(.connectionTimeout), "coreBluetooth.deviceOffline", .zero),
            (CBError(.peerRemovedPairingInformation), "coreBluetooth.CB14", .seconds(1)),
        ]
        for (error, words, delay) in errors {
            let testbed = Testbed()
            let ball = testbed.ball("Crystal")
            let central = testbed.central()
            #expect(testbed.run { central.found.count == 1 })
            let device = try #require(central.device("Crystal"))
            let manager = try #require(central.sdk.centralManagerInstance)
            let scans = central.steps.count { $0 == .scanning }
            central.sdk.centralManager(manager, didDisconnectPeripheral: device._peripheral, error: error)
            #expect(central.errors == [words] && central.sdk.devices.isEmpty)
            if delay > .zero {
                testbed.run(delay - .nanoseconds(1))
                #expect(central.steps.count { $0 == .scanning } == scans)
                testbed.run(.nanoseconds(1))
            }
            #expect(central.steps.count { $0 == .scanning } == scans + 1)
            withExtendedLifetime(ball) {}
        }
    }

    @Test("A ball that is too far away is looked for again five seconds after it was first heard, whatever comes then")
    func rescanOfAFarBall() throws {
        let testbed = Testbed()
        let first = testbed.ball("Far", distance: 60)
        let central = testbed.central()
        var isHeard = false
        central.onStep = { if case .discovered(_, _, false) = $0 { isHeard = true } }
        #expect(testbed.run { isHeard })
        let scans = central.steps.count { $0 == .scanning }
        testbed.run(.seconds(2))
        isHeard = false
        let second = testbed.ball("Far, too", distance: 60)
        #expect(testbed.run { isHeard })
        #expect(central.steps.count { $0 == .scanning } == scans)
        testbed.run(.milliseconds(2_500))
        #expect(central.steps.count { $0 == .scanning } == scans)
        testbed.run(.milliseconds(500))
        #expect(central.steps.count { $0 == .scanning } == scans + 1)
        withExtendedLifetime((first, second)) {}
    }

    @Test("The strength of a link's signal is reported where it was measured")
    func signal() throws {
        let testbed = Testbed()
        let ball = testbed.ball("Crystal")
        let central = testbed.central()
        #expect(testbed.run { central.found.count == 1 })
        let device = try #require(central.device("Crystal"))
        let count = central.steps.count
        device.peripheral(device._peripheral, didReadRSSI: 127, error: nil)
        device.peripheral(device._peripheral, didReadRSSI: -50, error: CBError(.unknown))
        #expect(central.steps.count == count)
        device.peripheral(device._peripheral, didReadRSSI: -50, error: nil)
        #expect(central.steps.last == .signalRead(uuid: device.uuid ?? "", rssi: -50))
        device._readSignal()
        #expect(testbed.run { central.steps.count == count + 2 })
        device._end()
        device._readSignal()
        testbed.run()
        #expect(central.steps.count == count + 2)
        withExtendedLifetime(ball) {}
    }
}
