// An adapter that is reported on once more, without having been off: the old service and advertisement may still be
// there.

import CoreBluetooth
import Foundation
import NIOCore
import Testbed
import Testing

@testable @_spi(Steps) import ITCB

@Suite("An adapter of the SDK that is on once more")
struct AdapterOnAgainTests {
    private let testbed = Testbed()

    @Test("A ball publishes its service anew and is heard, with one service and under its name")
    func ball() throws {
        let ball = self.testbed.ball("Crystal")
        #expect(self.testbed.run { ball.steps.contains(.advertising(name: "Crystal")) })
        ball.steps = []
        let manager = try #require(ball.sdk.peripheralManagerInstance)
        ball.sdk.peripheralManagerDidUpdateState(manager)
        self.testbed.run(.seconds(1))
        #expect(
            ball.steps == [
                .stateChanged(isPoweredOn: true, state: "poweredOn"), .serviceAdded, .advertising(name: "Crystal"),
            ]
        )
        #expect(ball.errors.isEmpty && manager.isAdvertising)
        let central = self.testbed.central()
        #expect(self.testbed.run { central.ready == ["Crystal"] })
        #expect(central.steps.contains(.discoveredServices(count: 1)))
        central.found[0].sendQuestion("Rain?")
        #expect(self.testbed.run { central.answered.count == 1 && ball.asked == ["Rain?"] })
    }

    @Test("A central that searches does so anew, and keeps the balls that it has")
    func central() throws {
        let ball = self.testbed.ball("Crystal")
        let central = self.testbed.central()
        #expect(self.testbed.run { central.ready == ["Crystal"] })
        let manager = try #require(central.sdk.centralManagerInstance)
        central.steps = []
        central.sdk._scan(after: 5)
        central.sdk.centralManagerDidUpdateState(manager)
        #expect(central.steps == [.stateChanged(isPoweredOn: true, state: "poweredOn"), .scanning])
        #expect(central.sdk._rescan == nil && manager.isScanning && central.ready == ["Crystal"])
        self.testbed.run(.seconds(10))
        // The one that is known is not found again.
        #expect(central.found.count == 1 && central.errors.isEmpty && central.steps.count == 2)
        // One that comes later is.
        let other = self.testbed.ball("Onyx")
        #expect(self.testbed.run { central.ready == ["Crystal", "Onyx"] })
        withExtendedLifetime((ball, other)) {}
    }
}
