// The steps of a movement, as a value.

import BluetoothAir
import NIOCore
import Testing

@testable import CoreBluetoothTesting

@Suite("Movement")
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
        "takes steps of half a metre at most and a millisecond at least",
        arguments: [
            (10, .seconds(10), 20), (10.1, .seconds(10), 21), (0.5, .seconds(1), 1), (0.51, .seconds(1), 2),
            (10, .milliseconds(20), 20), (10, .milliseconds(19), 19), (10, .milliseconds(1), 1),
            (10, .nanoseconds(999_999), 1),
        ] as [(Double, TimeAmount, Int64)]
    )
    func stepCount(metres: Double, duration: TimeAmount, count: Int64) {
        #expect(self.movement(metres, over: duration).stepCount == count)
    }

    @Test("takes equal steps and ends at the end")
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

    @Test("takes the last step exactly to the end", arguments: [1, 2, 3] as [Int64])
    func place(milliseconds: Int64) {
        let end = AirPosition(x: 0.9, y: 0.1)
        var movement = Movement(
            from: AirPosition(x: 0.2, y: 1.1),
            to: end,
            at: .uptimeNanoseconds(0),
            over: .milliseconds(milliseconds)
        )
        var places: [AirPosition] = []
        while !movement.isOver { places.append(movement.takeStep()) }
        #expect(places.count == Int(milliseconds) && places.last == end)
        #expect(places.dropLast().allSatisfy { $0 != end })
    }
}
