// Places as values, and as the commands that carry them in whole centimetres.

import BluetoothHCI
import Fixtures
import Testing

@testable import BluetoothAir

@Suite("Places")
struct AirLocationTests {
    @Test("distances between all kinds of places, on record; the same in both directions")
    func distances() {
        let places: [AirLocation] = [
            .distance(.metres(0)), .distance(.metres(0.5)), .distance(.metres(1)), .distance(.metres(7)),
            .position(AirPosition(x: 0, y: 0)), .position(AirPosition(x: 3, y: 4)), .position(AirPosition(x: -3, y: 4)),
            .position(AirPosition(x: 1e7, y: -1e7)),
        ]
        for one in places {
            for other in places {
                let distance = one.distance(to: other)
                RunRecord.note("\(distance)")
                #expect(distance == other.distance(to: one))
            }
            RunRecord.note("\(one.distance) \(one.position.map { "\($0)" } ?? "-")")
        }
    }

    @Test("a distance is cut to whole centimetres, and is 10,000 km at most")
    func distanceCommand() {
        for (metres, centimetres) in [
            (0, 0), (0.009, 0), (0.01, 1), (1.239, 123), (9_999_999.99, 999_999_999), (10_000_000, 1_000_000_000),
            (10_000_001, 1_000_000_000),
        ] as [(Double, UInt32)] {
            let command = AirSetDistance(Distance.metres(metres))
            #expect(command.centimetres == centimetres)
            #expect(Distance(command) == .metres(Double(centimetres) / 100))
        }
    }

    @Test("a position is rounded to whole centimetres in each direction")
    func positionCommand() {
        for (metres, centimetres) in [
            (0, 0), (0.004, 0), (0.006, 1), (-0.006, -1), (1.234, 123), (-9.999, -1_000), (10_000_000, 1_000_000_000),
            (-10_000_000, -1_000_000_000),
        ] as [(Double, Int32)] {
            let command = AirSetPosition(AirPosition(x: metres, y: -metres))
            #expect(command.x == centimetres && command.y == -centimetres)
            let position = AirPosition(command)
            #expect(position.x == Double(centimetres) / 100 && position.y == -Double(centimetres) / 100)
        }
    }
}
