// When the central on the whole screen measures the signals of its balls: with each twentieth tick, which is every two
// seconds. A ball and a central in virtual time.

import CoreBluetoothTesting
import Testing

@testable import eightball

@Suite("The ticks at which signals are measured")
@MainActor
struct SignalTicksTests {
    @Test("The strength of a ball's signal is measured with each twentieth tick, and with no other one")
    func ticks() throws {
        let world = World(seed: 1)
        let device = world.addDevice("ball")
        let ball = device.run { PeripheralPart(texts: .english, name: "Crystal", onChange: {}) }
        let central = world.addDevice("asker").run { CentralPart(texts: .english, onChange: {}) }
        try world.run(until: central.page.balls.count == 1)
        func strength(behind ticks: Int) -> Int? {
            for _ in 0..<ticks { central.tick() }
            world.advance(by: .seconds(1))
            return central.page.balls.first?.strength
        }
        // Half the distance less is 6 dB.
        #expect(strength(behind: 0) == -45)
        device.distance = 2
        #expect(strength(behind: 19) == -45)
        #expect(strength(behind: 1) == -51)
        device.distance = 1
        #expect(strength(behind: 19) == -51)
        #expect(strength(behind: 1) == -45)
        withExtendedLifetime(ball) {}
    }
}
