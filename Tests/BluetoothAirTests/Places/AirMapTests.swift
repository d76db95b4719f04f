import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothAir

@Suite("Map of the air")
struct AirMapTests {
    @Test("a sender of 0 dBm is heard in its own cell and the eight around it, and no farther")
    func range() {
        #expect(PathLoss.strength(distance: .metres(AirMap.cellSize), txPower: 0) == nil)
        #expect(PathLoss.strength(distance: .metres(AirMap.cellSize - 0.01), txPower: 0) == -95)
        #expect(AirMap.cellSize > 334 && AirMap.cellSize < 335)
    }

    @Test("forgets empty cells")
    func emptyCells() {
        var map = AirMap()
        var location = AirLocation.distance(.metres(1))
        map.place(0, order: 0, at: location, before: nil)
        for step in 1...100 {
            let change = map.lastChange
            let next = AirLocation.position(AirPosition(x: Double(step) * 1_000, y: 0))
            map.place(0, order: 0, at: next, before: location)
            #expect(!map.isUnchanged(since: change, around: location))
            #expect(!map.isUnchanged(since: change, around: next))
            #expect(map.isUnchanged(since: map.lastChange, around: next))
            location = next
        }
        #expect(map.cellCount == 1)
        map.remove(0, at: location)
        #expect(map.cellCount == 0 && map.all.isEmpty)
    }

    @Test("includes receivers at exactly the range of 0 dBm")
    func edgeOfRange() {
        var map = AirMap()
        for (slot, x) in [AirMap.cellSize, -AirMap.cellSize, AirMap.cellSize.nextUp].enumerated() {
            map.place(slot, order: slot, at: .position(AirPosition(x: x, y: 0)), before: nil)
        }
        #expect(map.candidates(around: .position(AirPosition(x: 0, y: 0))).map(\.slot) == [0, 1])
    }
}
