// What the recipes do that stand in for the Objective-C runtime.

import CoreBluetoothTesting
import Testing

@Suite("Recipes for what the Objective-C runtime does")
struct RuntimeRecipesTests {
    @Test("names the program without a bundle")
    func bundles() { #expect(!bundleIdentifier.isEmpty && hasBackgroundMode("bluetooth-central")) }

    @Test("keeps a value beside an object, as long as the object is there")
    func associated() {
        final class Key {}
        let values = AssociatedValues<Int>()
        let key = Key()
        values[key] = 1
        do {
            let other = Key()
            values[other] = 2
            #expect(values[other] == 2)
        }
        values[key] = 3
        #expect(values[key] == 3 && values[Key()] == nil)
    }

    @Test("enters a lock again, and reads by key paths")
    func locks() throws {
        let count = ReadingCount()
        #expect(count.add(2) == 2 && autoreleasepool { count.add(3) } == 5)
        #expect(values(of: [], \.name).isEmpty)
    }

    @Test("runs an actor on a queue, on which its manager calls the delegate")
    func executors() async throws {
        final class Delegate: NSObject, CBCentralManagerDelegate, @unchecked Sendable {
            func centralManagerDidUpdateState(_ central: CBCentralManager) {}
        }
        let world = World(seed: 1)
        let actor = CentralActor()
        let manager = CentralFactory().make(nil, nil)
        #expect(manager.state == .unknown && isHeartRate(CBUUID(string: "180D")))
        await actor.isOnItsQueue()
        withExtendedLifetime(world) {}
    }
}

extension CentralActor {
    /// Traps unless the actor runs on its queue.
    func isOnItsQueue() { self.assertIsolated() }
}
