// Timers of real time that the code of a world has begun: one that has run is none that a condition waits for, and work
// that follows a group is no timer, neither before it runs nor behind.

import Fixtures
import Foundation
import Testing

@testable import CoreBluetoothTesting

@Suite("Timers of real time that have ended")
struct EndedTimerTests {
    private static let words = "the condition did not become true within 5 ms"

    /// What is said of a condition that does not become true.
    private static func reason(_ world: World) -> String {
        let error = #expect(throws: WorldError.self) { try world.run(until: false, within: .milliseconds(5)) }
        return error?.reason ?? ""
    }

    private static func wait(for count: Int, of runs: Watched<Int>) async {
        let deadline = ContinuousClock.now + .seconds(60)
        while runs.value < count, ContinuousClock.now < deadline { await Task.yield() }
        #expect(runs.value == count)
    }

    @Test("A timer that has run is not named where a condition does not become true, and one that has not is")
    func timers() async {
        let world = World(seed: 1)
        let phone = world.addDevice("phone")
        let queue = DispatchQueue(label: "timers")
        let runs = Watched(0)
        for number in 1...2 {
            phone.run { queue.asyncAfter(deadline: .now() + 0.001) { runs.update { $0 += 1 } } }
            await Self.wait(for: number, of: runs)
            #expect(Self.reason(world).hasSuffix(Self.words))
        }
        phone.run { queue.asyncAfter(deadline: .now() + 60) {} }
        #expect(Self.reason(world).contains(Self.words + "; the devices' code waits for a timer of real time "))
    }

    @Test("What follows a group is no timer, whether it waits or has run")
    func groups() async {
        let world = World(seed: 1)
        let phone = world.addDevice("phone")
        let queue = DispatchQueue(label: "group")
        let group = DispatchGroup()
        let runs = Watched(0)
        group.enter()
        phone.run { group.notify(queue: queue) { runs.update { $0 += 1 } } }
        #expect(Self.reason(world).hasSuffix(Self.words) && runs.value == 0)
        group.leave()
        await Self.wait(for: 1, of: runs)
        #expect(Self.reason(world).hasSuffix(Self.words))
        phone.run { queue.asyncAfter(deadline: .now() + 60) {} }
        #expect(Self.reason(world).contains(Self.words + "; the devices' code waits for a timer of real time "))
    }
}
