// The last step of a movement: it is at the end of the time and at the end of the way, to the last digit, where sums of
// parts would miss both.

import BluetoothAir
import NIOCore
import Testbed
import Testing

@testable import CoreBluetoothTesting

@Suite("The last step of a movement")
struct MovementEndTests {
    @Test("The last step is taken when the duration is over, also of one that has more nanoseconds than a Double tells")
    func time() {
        // One more than 2 to the power of 53; about 104 days.
        let duration: Int64 = 9_007_199_254_740_993
        for (metres, steps) in [(0.5, 1), (1, 2), (2, 4)] as [(Double, Int64)] {
            var movement = Movement(
                from: AirPosition(x: 0, y: 0),
                to: AirPosition(x: metres, y: 0),
                at: .uptimeNanoseconds(10),
                over: .nanoseconds(duration)
            )
            #expect(movement.stepCount == steps)
            for _ in 1..<steps {
                #expect(movement.nextTime < .uptimeNanoseconds(9_007_199_254_741_003))
                _ = movement.takeStep()
            }
            #expect(movement.nextTime == .uptimeNanoseconds(9_007_199_254_741_003) && !movement.isOver)
            _ = movement.takeStep()
            #expect(movement.isOver)
        }
    }

    @Test("The last step is at the end, also where the way added to the start is not", arguments: [1, 2, 3] as [Int64])
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
