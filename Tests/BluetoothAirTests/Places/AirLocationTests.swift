import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothAir

@Suite("Places")
struct AirLocationTests {
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

    @Test("B22: between two positions their distance counts, else the larger distance of the two devices")
    func locations() {
        let origin = AirLocation.position(AirPosition(x: 0, y: 0))
        let other = AirLocation.position(AirPosition(x: 30, y: -40))
        #expect(origin.distance(to: other) == .metres(50))
        #expect(other.distance(to: origin) == .metres(50))
        #expect(other.distance(to: .distance(.metres(1))) == .metres(1))
        #expect(AirLocation.distance(.metres(7)).distance(to: other) == .metres(7))
        #expect(AirLocation.distance(.metres(7)).distance(to: .distance(.metres(2))) == .metres(7))
        #expect(AirPosition(x: .nan, y: -.infinity) == AirPosition(x: 0, y: 0))
    }

    @Test("treats a distance that is not a number as one metre")
    func oddDistances() {
        let controller = AirTestbed().host().controller
        controller.distance = .metres(-3)
        #expect(controller.distance == .metres(0))
        controller.distance = .metres(.nan)
        #expect(controller.distance == .metres(1))
        controller.distance = .metres(.infinity)
        #expect(controller.distance == .metres(1))
    }

    @Test("clamps coordinates and probabilities to their ranges")
    func nearestEnds() {
        for (value, taken) in [
            (-10_000_001, -10_000_000), (-10_000_000, -10_000_000), (-1.5, -1.5), (10_000_000, 10_000_000),
            (10_000_001, 10_000_000), (.infinity, 0), (-.infinity, 0), (.nan, 0),
        ] as [(Double, Double)] {
            #expect(AirPosition(x: value, y: 0).x == taken && AirPosition(x: 0, y: value).y == taken)
        }
        for (value, taken) in [(-0.1, 0), (0, 0), (0.25, 0.25), (1, 1), (1.1, 1), (.nan, 0)] as [(Double, Double)] {
            #expect(LossProbability(value).value == taken)
        }
    }
}
