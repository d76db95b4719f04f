// The steps of a movement, as a value.

import BluetoothAir
import NIOCore
import Testbed
import Testing

@testable import CoreBluetoothTesting

@Suite("Steps of a movement")
struct MovementTests {
    private func movement(_ metres: Double, over duration: TimeAmount) -> Movement {
        Movement(
            from: AirPosition(x: 1, y: 2),
            to: AirPosition(x: 1 + metres, y: 2),
            at: .uptimeNanoseconds(5_000_000_000),
            over: duration
        )
    }

    @Test(
        "A step is half a metre at most, and a millisecond long at least",
        arguments: [
            (10, .seconds(10), 20), (10.1, .seconds(10), 21), (0.5, .seconds(1), 1), (0.51, .seconds(1), 2),
            (10, .milliseconds(20), 20), (10, .milliseconds(19), 19), (10, .milliseconds(1), 1),
            (10, .nanoseconds(999_999), 1),
        ] as [(Double, TimeAmount, Int64)]
    )
    func stepCount(metres: Double, duration: TimeAmount, count: Int64) {
        #expect(self.movement(metres, over: duration).stepCount == count)
    }

    @Test("The steps are equal in time and in length, and the last one is the end")
    func steps() {
        var movement = self.movement(2, over: .seconds(8))
        var places: [(seconds: Double, x: Double)] = []
        while !movement.isOver {
            let time = Double(movement.nextTime.uptimeNanoseconds) / 1e9
            places.append((time, movement.takeStep().x))
        }
        #expect(places.map(\.seconds) == [7, 9, 11, 13])
        #expect(places.map(\.x) == [1.5, 2, 2.5, 3])
        #expect(movement.step == 4)
    }
}
