import BluetoothTypes
import Fixtures
import Testing

@testable import BluetoothAir

@Suite("Obstacles")
struct ObstaclesTests {
    private static let grid: [AirPosition] = (0..<4).flatMap { x in
        (0..<4).map { y in AirPosition(x: Double(x), y: Double(y)) }
    }

    /// Twice the area of a triangle, with a sign.
    private func area(_ one: AirPosition, _ two: AirPosition, _ three: AirPosition) -> Double {
        (two.x - one.x) * (three.y - one.y) - (two.y - one.y) * (three.x - one.x)
    }

    /// Whether two segments have a common point, unless all four ends are on one line.
    private func meet(_ wall: AirWall, _ here: AirPosition, _ there: AirPosition) -> Bool {
        let ends = (self.area(here, there, wall.start), self.area(here, there, wall.end))
        let ways = (self.area(wall.start, wall.end, here), self.area(wall.start, wall.end, there))
        return ends != (0, 0) && ends.0 * ends.1 <= 0 && ways.0 * ways.1 <= 0
    }

    @Test("crosses a wall that shares a point with the path and is not along it")
    func crossings() {
        var wrong = 0
        for start in Self.grid {
            for end in Self.grid {
                let wall = AirWall(from: start, to: end, attenuation: 1)
                for here in Self.grid {
                    for there in Self.grid {
                        let crosses = wall.crosses(from: here, to: there)
                        if crosses != self.meet(wall, here, there) { wrong += 1 }
                    }
                }
            }
        }
        #expect(wrong == 0)
    }

    @Test("adds up crossed walls and the attenuation of the pair, in both directions", arguments: simulationSeeds(3))
    func sums(seed: UInt64) {
        var choices = SeededChoices(seed: seed)
        func number(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &choices) }
        var obstacles = Obstacles()
        var pairs: [[Int]: Attenuation] = [:]
        var changes = 0
        for _ in 0..<300 {
            let (one, other) = (number(0...3), number(0...3))
            switch number(0...5) {
            case 0:
                obstacles.walls = (0..<number(0...3)).map { _ in
                    AirWall(
                        from: Self.grid[number(0...15)],
                        to: Self.grid[number(0...15)],
                        attenuation: .decibels(Double(number(1...9)))
                    )
                }
                changes += 1
            case 1:
                obstacles.forget(one)
                pairs = pairs.filter { !$0.key.contains(one) }
            default:
                let attenuation = Attenuation.decibels(Double(number(0...3)) * 10)
                obstacles.set(attenuation, between: one, and: other)
                pairs[[one, other].sorted()] = attenuation
                changes += 1
            }
            #expect(obstacles.changeCount == changes)
            let places = [Self.grid[number(0...15)], Self.grid[number(0...15)]]
            for (here, there) in [(true, true), (true, false), (false, true), (false, false)] {
                let ends = [
                    (one, here ? AirLocation.position(places[0]) : .distance(.metres(1))),
                    (other, there ? AirLocation.position(places[1]) : .distance(.metres(1))),
                ]
                var expected = pairs[[one, other].sorted()] ?? 0
                if here, there {
                    for wall in obstacles.walls where self.meet(wall, places[0], places[1]) {
                        expected = expected + wall.attenuation
                    }
                }
                #expect(obstacles.attenuation(between: ends[0], and: ends[1]) == expected)
                #expect(obstacles.attenuation(between: ends[1], and: ends[0]) == expected)
            }
        }
    }
}
