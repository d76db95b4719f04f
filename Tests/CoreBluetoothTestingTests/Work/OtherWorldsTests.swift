// Worlds beside each other in one process: what one of them is, and sees, while others begin and end.

import Dispatch
import Testing

@testable import CoreBluetoothTesting

@Suite("Work beside that of other worlds")
struct OtherWorldsTests {
    @Test("Worlds that another task makes and ends take nothing from the world of this task")
    func otherTask() async {
        let work = WorldWork()
        WorkObserver.add(work)
        var found: [Bool] = [WorkObserver.workOfTest === work]
        let areOthersFound = await Task.detached {
            let other = WorldWork()
            WorkObserver.add(other)
            let isFound = WorkObserver.workOfTest === other
            WorkObserver.remove(other)
            return isFound && WorkObserver.workOfTest == nil
        }.value
        found.append(areOthersFound)
        found.append(WorkObserver.workOfTest === work)
        WorkObserver.remove(work)
        found.append(WorkObserver.workOfTest == nil)
        #expect(found == [true, true, true, true])
        work.end()
    }

    @Test("The work of a world is seen as long as it is there, though worlds end that were made later")
    func laterWorlds() {
        let world = World(seed: 1)
        let phone = world.addDevice("phone")
        for number in 1...2 {
            World(seed: 2).advance(by: .zero)
            // Nobody serves it for the moment.
            let queue = DispatchQueue(label: "not yet \(number)", attributes: .initiallyInactive)
            phone.run { queue.async {} }
            #expect(!world.loop.work.isAtRest)
            queue.activate()
            world.advance(by: .zero)
            #expect(world.loop.work.isAtRest)
        }
    }
}
