// The timers of what is gone: a link, an advertising set and a controller take each of their timers back when they are
// released, since a timer's action holds its owner unowned.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothAir

@Suite("Owners of timers")
struct TimerOwnersTests {
    private let pair = ControllerPair()

    private func arm(_ timer: AirTimer) {
        self.pair.testbed.air.arm(timer, at: self.pair.testbed.air.now + .seconds(1))
    }

    @Test("a link that is released takes its five timers back")
    func link() {
        let (central, peripheral) = (self.pair.end(.central), self.pair.end(.peripheral))
        var link: AirLink? = AirLink(
            air: self.pair.testbed.air,
            central: central,
            peripheral: peripheral,
            timing: LinkTiming(TestHost.parameters),
            channels: .all,
            phy: .le1M,
            anchor: self.pair.testbed.air.now
        )
        var timers: [(name: String, timer: AirTimer)] = []
        if let link {
            timers = [
                ("supervision", link.supervision), ("response", link.responseTimer), ("event", link.eventTimer),
                ("central's payload", central.payloadTimer), ("peripheral's payload", peripheral.payloadTimer),
            ]
        }
        #expect(timers.count == 5)
        for (_, timer) in timers { self.arm(timer) }
        #expect(timers.allSatisfy { $0.timer.deadline != nil })
        link = nil
        for (name, timer) in timers {
            RunRecord.note("\(name): \(timer.deadline == nil)")
            #expect(timer.deadline == nil, "\(name)")
        }
        #expect(link == nil)
        // Only what was taken back may be passed.
        guard timers.allSatisfy({ $0.timer.deadline == nil }) else { return }
        self.pair.testbed.pass(.seconds(2))
    }

    @Test("an advertising set that is released takes its timer back")
    func advertisingSet() {
        var set: AdvertisingSet? = AdvertisingSet(
            handle: AdvertisingHandle(rawValue: 1),
            controller: self.pair.controllers[0],
            parameters: AdvertisingParameters()
        )
        let timer = set?.timer
        if let timer { self.arm(timer) }
        #expect(timer?.deadline != nil)
        set = nil
        #expect(timer != nil && timer?.deadline == nil && set == nil)
        guard timer?.deadline == nil else { return }
        self.pair.testbed.pass(.seconds(2))
    }

    @Test("a controller that is released takes its two timers back")
    func controller() {
        var controller: Controller? = Controller(
            air: self.pair.testbed.air,
            index: 2,
            slot: 2,
            configuration: VirtualControllerConfiguration()
        )
        var timers: [AirTimer] = []
        if let controller { timers = [controller.scanTimer, controller.completedPacketsTimer] }
        for timer in timers { self.arm(timer) }
        #expect(timers.count == 2 && timers.allSatisfy { $0.deadline != nil })
        controller = nil
        #expect(timers.allSatisfy { $0.deadline == nil } && controller == nil)
        guard timers.allSatisfy({ $0.deadline == nil }) else { return }
        self.pair.testbed.pass(.seconds(2))
    }
}
