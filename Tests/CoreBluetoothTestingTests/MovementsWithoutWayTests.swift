// Movements to the place where a device is: there is no way to go, so it is there at once.

import CoreBluetoothTesting
import Testbed
import Testing

@Suite("Movements without a way")
struct MovementsWithoutWayTests {
    @Test("A device that is to move to where it is has arrived at once, however long it may take")
    func ownPlace() {
        let world = World(seed: 1)
        let walker = world.addDevice("walker", position: Position(x: 3, y: 4))
        walker.move(to: Position(x: 3, y: 4), over: .seconds(5))
        #expect(!walker.isMoving && walker.position == Position(x: 3, y: 4))
        world.advance(by: .seconds(10))
        #expect(!walker.isMoving && walker.position == Position(x: 3, y: 4))
        #expect(walker.trace.map { "\($0.time) \($0.text)" } == ["0.0 seconds moves to (3.0, 4.0) m"])
    }

    @Test("A movement to the place that a device has on its way ends the one that goes on")
    func placeOnTheWay() {
        let world = World(seed: 1)
        let walker = world.addDevice("walker", position: Position(x: 0, y: 0))
        walker.move(to: Position(x: 100, y: 0), over: .seconds(100))
        world.advance(by: .seconds(50))
        #expect(walker.isMoving && walker.position == Position(x: 50, y: 0))
        walker.move(to: Position(x: 50, y: 0), over: .seconds(9))
        #expect(!walker.isMoving)
        world.advance(by: .seconds(100))
        #expect(walker.position == Position(x: 50, y: 0))
        #expect(walker.trace.count(of: "begins to move") == 1 && walker.trace.count(of: "arrives") == 0)
    }

    @Test("A movement along one axis alone is one", arguments: [(7.0, 0.0), (0.0, 7.0)])
    func oneAxis(x: Double, y: Double) {
        let world = World(seed: 1)
        let walker = world.addDevice("walker", position: Position(x: 0, y: 0))
        walker.move(to: Position(x: x, y: y), over: .seconds(7))
        #expect(walker.isMoving && walker.position == Position(x: 0, y: 0))
        world.advance(by: .seconds(7))
        #expect(!walker.isMoving && walker.position == Position(x: x, y: y))
    }
}
